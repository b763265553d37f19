"""The best pairing of a field: who meets whom, by positions in the standings.

The best pairing is smallest in, one after the other,

1. the number of tables where barred pairs meet;
2. the number of rematches;
3. the number of earlier meetings that are repeated;
4. the sum of d * d - 1 over the tables, d being the distance of the two positions;
5. the list of position pairs from the top.

Two searches find it. `closest` looks for pairings in which nobody meets a barred or an earlier opponent. Neighbours
pair off at no cost, so it only thinks where neighbours may not meet. `best` takes any field, those included where
everybody has met, and leaves the work to Edmonds' algorithm.
"""

from collections.abc import Collection, Sequence

import rustworkx

Pairing = list[tuple[int, int]]
"""Positions from 0, the smaller first, in order of the smaller."""

Edge = tuple[int, int, int]
"""Two positions, the smaller first, and what it costs that they meet."""

NEVER = 1 << 62
SLACKS = (3, 11, 27, 59, 123, 507)
"""By how much a block may exceed its bound, tried in this order: few do by more than a little."""

PATIENCE = 1_000_000
"""Steps after which `closest` gives up, fewer in smaller fields: there most have met most."""

WEIGHT_BITS = 110
"""Weights of Edmonds' algorithm have 128 bits, and it adds some of them up."""


class TooMany(Exception):
    """The search was given up."""


def closest(order: Sequence[int], closed: Sequence[Collection[int]]) -> Pairing | None:
    """The best pairing without barred meetings or rematches.

    A pairing falls into blocks: positions in a row that pair off among themselves, with no smaller such row inside.
    Two neighbours are a block of one table and cost nothing. In a block of t > 1 tables at least two tables reach over
    each place where a block could have ended, and so it costs at least 8t − 10: 6, 14, 22, ...

    From the last table to the first, `least[k]` is what the positions from table k on cost at best: either as much as
    those from the next table on, or as much as the best longer block and what comes after it. The bound says when no
    longer block can be better, and that is so nearly everywhere.

    Args:
        order: Pairs in standings order, an even number.
        closed: Whom each of them may not meet, in the same order.

    Returns:
        None when there is no such pairing.

    Raises:
        TooMany: Finding out would take too long.
    """
    tables = len(order) // 2
    least = [0] * (tables + 1)
    reach = [NEVER] * tables + [8 * tables, NEVER]  # the smallest least[i] + 8i with i >= k
    blocks: dict[int, Pairing] = {}
    search = _Search(order, closed, least, reach)
    apart = [
        k for k, (upper, lower) in enumerate(zip(closed[::2], order[1::2], strict=True)) if lower in upper
    ]
    below = tables
    for k in reversed([-1, *apart]):
        # Between two tables that are apart: once a table does best by itself, all above it do.
        cost = least[below]
        for table in range(below - 1, k, -1):
            if reach[table + 2] - 8 * table - 10 >= cost:
                least[k + 1 : table + 1] = [cost] * (table - k)
                reach[k + 1 : table + 1] = range(8 * k + 8 + cost, 8 * table + 8 + cost, 8)
                break
            if block := search.best_block(table, below=cost):
                blocks[table], cost = block, search.limit
            least[table], reach[table] = cost, min(reach[table + 1], cost + 8 * table)
        if k >= 0:
            if block := search.best_block(k, below=NEVER):
                blocks[k], least[k] = block, search.limit
            else:
                least[k] = NEVER
            reach[k] = min(reach[k + 1], least[k] + 8 * k)
        below = k
    if least[0] >= NEVER:
        return None
    pairing = [(upper, upper + 1) for upper in range(0, len(order), 2)]
    end = 0
    for k in sorted(blocks):
        if k >= end:
            end = k + len(blocks[k])
            pairing[k:end] = [(2 * k + upper, 2 * k + lower) for upper, lower in blocks[k]]
    return pairing


class _Search:
    """The search for the best block that begins at a table, together with what comes after it.

    Attributes:
        limit: What it has to cost less than; once found, what it costs.
        found: The best block so far.
        cut: Whether anything was left out because of the limit.
        seen: What the positions taken so far cost, by their bits: there is no need to come back for as much.
        steps: How many are left before the search is given up.
    """

    def __init__(
        self,
        order: Sequence[int],
        closed: Sequence[Collection[int]],
        least: Sequence[int],
        reach: Sequence[int],
    ) -> None:
        self.order, self.closed, self.least, self.reach = order, closed, least, reach
        self.start, self.limit, self.cut = 0, NEVER, False
        self.found: Pairing = []
        self.seen: dict[int, int] = {}
        self.steps = min(PATIENCE, 2 * len(order) ** 2 + 1000)

    def best_block(self, start: int, *, below: int) -> Pairing:
        """The first in order of the best blocks of two or more tables; empty when none costs less than `below`."""
        if start + 2 >= len(self.least):
            return []
        first = 2 * start
        bound = self.reach[start + 2] - 8 * start - 10
        if (
            bound == self.least[start + 2] + 6
            and self.order[first + 2] not in self.closed[first]
            and self.order[first + 3] not in self.closed[first + 1]
        ):
            self.limit = bound
            return [(0, 2), (1, 3)]
        self.start, self.found = start, []
        for limit in (below,) if below < NEVER else (*(bound + slack for slack in SLACKS), NEVER):
            self.limit, self.cut = limit, False
            self.seen.clear()
            self._extend(0, 0, ())
            if self.found or not self.cut:
                break
        return self.found

    def _extend(self, taken: int, spent: int, tables: tuple[tuple[int, int], ...]) -> None:
        """Pair the first position that is free in every way, nearest first, while the limit allows it.

        Args:
            taken: A bit for each position of the block, from its first, that is paired.
            spent: What the tables so far cost.
            tables: The tables so far.
        """
        if self.steps < 0:
            raise TooMany
        free = ~taken & (taken + 1)
        upper = free.bit_length() - 1
        length = taken.bit_length()
        first = 2 * self.start
        closed = self.closed[first + upper]
        for lower in range(upper + 1 if upper else 2, len(self.order) - first):
            cost = spent + (lower - upper) ** 2 - 1
            if self._bound(cost, max(length, lower + 1)) >= self.limit:
                self.cut = True
                return
            if taken >> lower & 1 or self.order[first + lower] in closed:
                continue
            now = taken | free | 1 << lower
            if self.seen.get(now, NEVER) <= cost:
                continue
            self.seen[now] = cost
            paired = (*tables, (upper, lower))
            if now & (now + 1):
                self._extend(now, cost, paired)
            elif (value := cost + self.least[self.start + len(paired)]) < self.limit:
                self.limit, self.found = value, list(paired)

    def _bound(self, spent: int, length: int) -> int:
        """What a block with tables to the given length costs at least, with what comes after it."""
        least = NEVER
        floor = 8 * ((length + 1) // 2) - 10
        for end in range(self.start + (length + 1) // 2, len(self.least)):
            self.steps -= 1
            if floor >= spent:
                return min(least, self.reach[end] - 8 * self.start - 10)
            least = min(least, spent + self.least[end])
            floor += 8
        return least


def cheapest(edges: Collection[Edge]) -> Pairing:
    """A perfect matching of least cost by Edmonds' algorithm; the same edges give the same one.

    Args:
        edges: Which positions may meet, and what it costs. There must be a perfect matching of them.
    """
    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from([None] * (1 + max(lower for _, lower, _ in edges)))
    most = max(cost for _, _, cost in edges)
    graph.add_edges_from([(upper, lower, most - cost) for upper, lower, cost in edges])
    matching = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return sorted((min(table), max(table)) for table in matching)


def best(edges: Collection[Edge]) -> Pairing:
    """The first in order of the perfect matchings of least cost.

    Below each cost are written, as digits, the partners of the first few positions. What is found is kept for these,
    and the others are matched again.

    Args:
        edges: As for `cheapest`; costs below 2 ** 90.
    """
    pairing: Pairing = []
    while edges:
        positions = sorted({position for upper, lower, _ in edges for position in (upper, lower)})
        digit = positions[-1].bit_length()
        room = WEIGHT_BITS - (len(positions) * max(cost for _, _, cost in edges)).bit_length()
        first = dict(zip(positions, range(room // digit - 1, -1, -1), strict=False))
        found = cheapest(
            [
                (upper, lower, (cost << room) + (lower << digit * first[upper] if upper in first else 0))
                for upper, lower, cost in edges
            ]
        )
        settled = [table for table in found if table[0] in first]
        seated = {position for table in settled for position in table}
        pairing += settled
        edges = [edge for edge in edges if edge[0] not in seated and edge[1] not in seated]
    return sorted(pairing)
