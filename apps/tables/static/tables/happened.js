/* What happened between two views. Views may have been missed, so they are compared; nothing is told twice. */

import { SEATS, seen, tricksPlayed, withSeats } from "./bridge.js";

export function whatHappened(before, after) {
  if (!before) return [];
  return [
    ...people(before, after),
    ...(sameBoard(before.board, after.board) ? boardEvents(before.board, after.board) : newBoard(after.board)),
    ...talk(before.chat, after.chat),
    ...(after.director && !before.director ? [{ kind: "director" }] : []),
    ...(after.prompt?.ends_at && !before.prompt?.ends_at ? [{ kind: "prompt", ...after.prompt }] : []),
    ...(isMyTurn(after) && !(isMyTurn(before) && sameMoment(before.board, after.board)) ? [{ kind: "turn" }] : []),
    ...(after.table.state === "over" && before.table.state !== "over" ? [{ kind: "table_over" }] : []),
  ];
}

export const isMyTurn = (view) => Boolean(view.board?.legal_calls ?? view.board?.legal_cards);

const sameBoard = (before, after) => before && after && before.board === after.board;
const moments = (board) => `${board.calls.length} ${cardsPlayed(board).length} ${board.turn}`;
export const sameMoment = (before, after) => sameBoard(before, after) && moments(before) === moments(after);

const newBoard = (board) => (board ? [{ kind: "board", board }] : []);

function people(before, after) {
  return [...SEATS].flatMap((seat) => {
    const [was, is] = [before.seats[seat], after.seats[seat]];
    if (seat === after.me || (!was && !is)) return [];
    if (!is) return [{ kind: "left", seat, name: was.name }];
    if (!was || was.name !== is.name) return [{ kind: "seated", seat, name: is.name }];
    if (was.present === is.present) return [];
    return [{ kind: is.present ? "back" : "away", seat, name: is.name }];
  });
}

function boardEvents(before, after) {
  return [
    ...calls(before, after),
    ...explanations(before, after),
    ...(before.phase === "auction" && after.phase === "play" ? [{ kind: "contract", contract: after.contract }] : []),
    ...cards(before, after),
    ...(!before.dummy && after.dummy && after.phase === "play"
      ? [{ kind: "dummy", seat: after.dummy, cards: seen(after, after.dummy) }]
      : []),
    ...claims(before, after),
    ...undos(before, after),
    ...(before.phase !== "over" && after.phase === "over" ? [{ kind: "over", board: after }] : []),
  ];
}

function calls(before, after) {
  if (after.calls.length < before.calls.length) return takenBack(after);
  return after.calls.slice(before.calls.length).map((each) => ({ kind: "call", ...each }));
}

/* A board that ends in the middle of a trick, by a claim or a ruling, shows fewer cards too: nobody took one back. */
const takenBack = ({ phase }) => (phase === "over" ? [] : [{ kind: "taken_back" }]);

function explanations(before, after) {
  if (after.phase === "over") return []; // then every meaning is shown, to partner too
  return before.calls.flatMap((was, index) => {
    const is = after.calls[index];
    if (is?.call !== was.call) return [];
    if (is.text && is.text !== was.text) return [{ kind: "explained", ...is }];
    return is.asked && !was.asked ? [{ kind: "asked", ...is }] : [];
  });
}

/* The cards that were played, in order: as many as a view still shows, null for those before. */
function cardsPlayed(board) {
  const current = board.trick ? withSeats(board.trick) : [];
  const past = board.last_trick ? withSeats(board.last_trick) : [];
  const hidden = 4 * tricksPlayed(board) - past.length;
  return [...Array(Math.max(0, hidden)).fill(null), ...past, ...current];
}

function cards(before, after) {
  const [was, is] = [cardsPlayed(before), cardsPlayed(after)];
  if (is.length < was.length) return takenBack(after);
  return is.slice(was.length).flatMap((each, at) => {
    if (!each) return [];
    const event = { kind: "card", ...each };
    const isLast = was.length + at === 4 * tricksPlayed(after) - 1;
    return isLast ? [event, trickWon(after)] : [event];
  });
}

const trickWon = (board) => ({ kind: "trick", winner: board.last_trick.winner, won: board.tricks_won });

/* The last trick once more, as it happened. */
export const lastTrick = (board) => [
  ...withSeats(board.last_trick).map((each) => ({ kind: "card", ...each })),
  trickWon(board),
];

function claims(before, after) {
  const [was, is] = [before.claim, after.claim];
  if (is && was?.seat !== is.seat) return [{ kind: "claim", ...is }];
  if (is) return is.contested && !was.contested ? [{ kind: "contested" }] : accepted(was, is);
  return was && after.phase === "play" ? [{ kind: "claim_gone", seat: was.seat }] : [];
}

function undos(before, after) {
  const [was, is] = [before.undo, after.undo];
  if (is && !was) return [{ kind: "undo", ...is }];
  if (is) return accepted(was, is);
  return was && sameMoment(before, after) ? [{ kind: "undo_gone", seat: was.seat }] : [];
}

const accepted = (was, is) =>
  was.waits_for.filter((seat) => !is.waits_for.includes(seat)).map((seat) => ({ kind: "accepted", seat }));

function talk(before, after) {
  const last = before.at(-1)?.id ?? 0;
  return after.filter((each) => each.id > last).map((each) => ({ kind: "chat", ...each }));
}
