"""The JSON of an ACBL club game, as the page of the club's results carries it."""

import json
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from bridge.contracts import Contract, read_contract


@dataclass(frozen=True, slots=True)
class Row:
    """One result, with the score and the matchpoints that ACBL printed."""

    board: int
    round: int
    table: int
    ns: str
    ew: str
    contract: Contract | None
    tricks: int | None
    ns_score: int
    ns_points: Decimal
    ew_points: Decimal


@dataclass(frozen=True, slots=True)
class PairLine:
    """One line of the printed standings; `ranks` are of the strats, `1/2` when shared."""

    pair: str
    boards: int
    score: Decimal
    percent: Decimal
    ranks: dict[int, str]


@dataclass(frozen=True, slots=True)
class Game:
    """The game's only section: results board by board, and the standings."""

    top: int
    boards: int
    rows: tuple[Row, ...]
    standings: tuple[PairLine, ...]


def read_game(path: Path) -> Game:
    game = json.loads(path.read_text())
    (session,) = game["sessions"]
    (section,) = session["sections"]
    rows = []
    for board in section["boards"]:
        for row in board["board_results"]:
            contract, tricks = read_contract(f"{row['contract']} {row['declarer']} {row['result']}")
            rows.append(
                Row(
                    board=board["board_number"],
                    round=row["round_number"],
                    table=row["table_number"],
                    ns=row["ns_pair"],
                    ew=row["ew_pair"],
                    contract=contract,
                    tricks=tricks,
                    ns_score=int(row["ns_score"]),
                    ns_points=Decimal(row["ns_match_points"]),
                    ew_points=Decimal(row["ew_match_points"]),
                )
            )
    rows.sort(key=lambda row: (row.board, row.round, row.table))
    standings = tuple(
        PairLine(
            pair=line["pair_number"],
            boards=line["boards_played"],
            score=Decimal(line["score"]),
            percent=Decimal(line["percentage"]),
            ranks={place["strat_number"]: place["rank"] for place in line["strat_place"]},
        )
        for line in section["pair_summaries"]
    )
    return Game(int(game["acbl_board_top"]), len(section["boards"]), tuple(rows), standings)
