/* Every event once, in words, for those who listen to the page. */

import { find } from "./dom.js";
import { inReadersWords, word } from "./words.js";
import { speak } from "./said.js";
import { callName, cardName, claimName, contractName, directorName, rank, seatName, sideName } from "./notation.js";
import { isHeard } from "./chat.js";
import { stopLasts } from "./clock.js";
import { bySuit, left, seen, SUITS } from "./bridge.js";

export function tell(events, view) {
  for (const event of events) {
    const text = SENTENCES[event.kind]?.(event, view);
    if (text) speak(text);
  }
}

const who = (seat, view) => (seat === view.me ? word("you") : seatName(seat));

const SENTENCES = {
  board: ({ board }) =>
    word("said.board", {
      number: board.board,
      dealer: seatName(board.dealer),
      vulnerable: word(`vul.${board.vulnerable}`),
    }) + " " + inWords(board),
  seated: ({ seat, name }) => word("said.seated", { seat: seatName(seat), name }),
  left: ({ seat, name }) => word("said.left", { seat: seatName(seat), name }),
  away: ({ seat, name }) => word("said.away", { seat: seatName(seat), name }),
  back: ({ seat, name }) => word("said.back", { seat: seatName(seat), name }),
  call: ({ seat, call, alert, text }, view) => {
    const said = word("said.call", { seat: who(seat, view), call: callName(call) });
    const note = text ? word("said.means", { text: inReadersWords(text) }) : alert ? word("said.alerted") : "";
    return [said, note].filter(Boolean).join(" ");
  },
  explained: ({ seat, call, text }) => word("said.explained", { seat: seatName(seat), call: callName(call), text: inReadersWords(text) }),
  asked: ({ seat, call }, view) =>
    seat === view.me ? word("said.asked", { call: callName(call) }) : null,
  contract: ({ contract }, view) =>
    word("said.contract", { contract: contractName(contract), leader: who(left(contract.declarer), view) }),
  dummy: ({ seat, cards }) => word("said.dummy", { seat: seatName(seat), cards: suitsInWords(cards) }),
  card: ({ seat, card }, view) => word("said.card", { seat: who(seat, view), card: cardName(card) }),
  trick: ({ winner, won }, view) =>
    word("said.trick", { seat: who(winner, view), ns: won.NS, ew: won.EW }),
  taken_back: () => word("said.taken_back"),
  claim: (claim, view) => [claimName(claim, view.me), claim.line].filter(Boolean).join(". "),
  claim_gone: () => word("said.claim_gone"),
  contested: () => word("said.contested"),
  undo: ({ seat }, view) => word("said.undo", { seat: who(seat, view) }),
  undo_gone: () => word("said.undo_gone"),
  accepted: ({ seat }, view) => word("said.accepts", { seat: who(seat, view) }),
  over: ({ board }) => endInWords(board),
  chat: (said, view) => {
    if (said.seat === view.me || !isHeard(view)(said)) return null;
    return word("said.chat", { seat: said.seat ? seatName(said.seat) : word("chat.director"), text: said.text });
  },
  director: (_, view) => directorName(view.director),
  prompt: ({ seat, by }, view) =>
    word(seat === view.me ? "said.prompt.mine" : "said.prompt.theirs", { seat: seatName(seat), by: who(by, view) }),
  turn: (_, view) => stopInWords(view) ?? word(view.board.phase === "auction" ? "turn.call" : "turn.card"),
  table_over: (_, view) => word(`closed.${view.table.why}`),
};

/* The pause after a jump, for as long as it lasts. */
export function stopInWords(view) {
  const seconds = stopLasts(view);
  return seconds ? word("box.stop", { call: callName(view.board.calls.at(-1).call), seconds }) : null;
}

export function endInWords({ contract, ending }) {
  if (ending.ns_score === null) return word(`how.${ending.how}`);
  const result = contract ? contractName(contract, ending.tricks) : word("how.passed out");
  if (!ending.ns_score) return word("said.over_nothing", { result });
  const side = ending.ns_score > 0 ? "NS" : "EW";
  return word("said.over", { result, points: Math.abs(ending.ns_score), side: sideName(side) });
}

const suitsInWords = (cards) =>
  [...SUITS]
    .map((suit) => {
      const ranks = bySuit(cards, suit).map(rank).join(" ");
      return ranks ? `${word(`suit.${suit}`)} ${ranks}` : word("void", { suit: word(`suit.${suit}`) });
    })
    .join(", ");

function inWords(board) {
  const own = find("#table").dataset.me;
  return own ? word("said.hand", { cards: suitsInWords(seen(board, own)) }) : "";
}
