/* The middle of the table: the trick as it lies there, what the board came to, or who is still missing. */

import { fill, find, h, write } from "./dom.js";
import { counted, word } from "./words.js";
import { freeSeats, placeOf, SEATS, side, toAnswer, tricksPlayed, withSeats } from "./bridge.js";
import { cardName, contractMark, playingCard, score, seatName, sideName } from "./notation.js";
import { endInWords } from "./speech.js";
import { isMyTurn } from "./happened.js";
import { trickAt } from "./replay.js";

export const LINGERS = 1500; // a trick that is complete stays in view for so long, or until the next card

export function drawMiddle(table) {
  const { board, next } = table.view;
  drawTrick(table);
  drawEnding(table);
  drawCorners(table);
  find("#not-shown").hidden = !board || board.phase !== null;
  const free = freeSeats(table.view);
  const begins = !board && table.view.table.state === "waiting";
  const waiting = begins || Boolean(next && free.length && !table.step);
  find("#waiting").hidden = !waiting;
  find("#invite").hidden = !table.view.me;
  if (begins) write(find("#waiting-for"), counted("free_seats", free.length));
  else if (waiting) write(find("#waiting-for"), word("waiting_for", { seats: free.map(seatName).join(word("and")) }));
}

/* The trick to show: the last one while it is asked for or has just been won, else this one with the card I sent. */
function trickToShow({ view: { board }, pending, showsLast, lingersUntil, step }) {
  if (board.phase === "over") return { trick: trickAt(board, step), isPast: true };
  if (showsLast) return { trick: board.last_trick, isPast: true };
  const cards = board.trick?.cards ?? [];
  if (pending?.card) return { trick: { leader: board.trick?.leader ?? board.turn, cards: [...cards, pending.card] } };
  if (!cards.length && performance.now() < lingersUntil) return { trick: board.last_trick, isPast: true };
  return { trick: board.trick };
}

function drawTrick(table) {
  const { view, bottom, pending } = table;
  const board = view.board;
  const place = find("#trick");
  const isClaimed = board?.claim && !board.trick?.cards.length; // nothing to be played: the claim has the room
  const shows = board && ((board.phase === "play" && !isClaimed) || (board.phase === "over" && table.step > 0));
  place.hidden = !shows;
  if (!shows) return;
  const { trick, isPast } = trickToShow(table);
  const cards = new Map(trick?.cards.length ? withSeats(trick).map(({ seat, card }) => [seat, card]) : []);
  const number = board.phase === "over" ? table.step : tricksPlayed(board) + (isPast ? 0 : 1);
  place.setAttribute("aria-label", word("trick", { number }));
  for (const seat of SEATS) {
    const spot = find(`[data-spot="${placeOf(seat, bottom)}"]`, place);
    const card = cards.get(seat);
    const isTurn = !isPast && !card && board.phase === "play" && board.turn === seat && !toAnswer(board);
    const mine = isTurn && isMyTurn(view);
    spot.classList.toggle("won", Boolean(isPast && trick?.winner === seat));
    spot.classList.toggle("pending", Boolean(card && card === pending?.card));
    fill(spot, card ?? (isTurn ? [mine] : null), () => {
      if (card) return laid(card, seat);
      return isTurn ? h("span", { class: "slot" }, mine ? word("slot.mine") : "") : [];
    });
  }
}

function laid(card, seat) {
  const drawn = playingCard(card, { button: false });
  drawn.setAttribute("aria-label", word("said.card", { seat: seatName(seat), card: cardName(card) }));
  drawn.classList.add("new");
  return drawn;
}

function drawEnding({ view: { board, boards, table }, step }) {
  const place = find("#ending");
  const ending = board?.ending;
  place.hidden = !ending || step > 0; // then the trick has the room, and the corner says what it came to
  if (place.hidden) return;
  const { contract } = board;
  const wasPlayed = contract && ending.tricks !== null;
  const own = boards.find(({ number }) => number === board.board)?.url;
  const analysis = own && table.casual ? `${own}analysis/` : null;
  fill(place, [board.board, ending, analysis], () => [
    h("p", { class: "ended" }, wasPlayed ? contractMark(contract, ending.tricks) : word(`how.${ending.how}`)),
    ending.ns_score
      ? h(
          "p",
          { class: "points" },
          h("b", { class: "num" }, score(Math.abs(ending.ns_score))),
          ` ${sideName(ending.ns_score > 0 ? "NS" : "EW")}`,
        )
      : null,
    wasPlayed && ending.how !== "played" ? h("p", { class: "small" }, word(`how.${ending.how}`)) : null,
    h("p", { class: "vh" }, endInWords(board)),
    analysis ? h("a", { class: "btn sm again", href: analysis }, word("analysis")) : null,
  ]);
}

/* Top left: the contract, or the board alone; top right: the tricks won. */
function drawCorners({ view, step }) {
  const { board } = view;
  const info = find("#about");
  const won = find("#won");
  won.hidden = board?.phase !== "play";
  info.hidden = !board;
  if (!board) return;
  const shown = board.phase === "play" || (board.phase === "over" && step > 0) ? board.contract : null;
  fill(info, [board.board, board.dealer, board.vulnerable, shown, board.ending, view.me], () => [
    shown ? h("p", { class: "contract" }, contractMark(shown, board.ending?.tricks ?? undefined)) : null,
    h("p", { class: shown ? "small" : "no" }, word("board", { number: board.board })),
    h(
      "p",
      { class: "small" },
      board.vulnerable === "None"
        ? h("span", { class: "quiet" }, word("vul.None"))
        : h("span", { class: "bd vul" }, word(`vul.${board.vulnerable}`)),
    ),
    h("p", { class: "small quiet dealer" }, word("dealer", { seat: seatName(board.dealer) })),
    view.me ? h("p", { class: "small own" }, word("you_sit", { seat: seatName(view.me) })) : null,
  ]);
  if (board.phase === "play") drawWon(won, board, view.me);
}

function drawWon(place, board, me) {
  const ours = me ? side(me) : side(board.contract.declarer);
  const theirs = ours === "NS" ? "EW" : "NS";
  const declares = side(board.contract.declarer) === ours;
  const needed = declares ? board.contract.level + 6 : 14 - board.contract.level - 6;
  const more = needed - board.tricks_won[ours];
  fill(place, [board.tricks_won, ours, more], () => [
    h(
      "p",
      {},
      h("span", { class: "quiet" }, `${word(me ? "won.ours" : `short.${ours}`)} `),
      h("b", { class: "num" }, String(board.tricks_won[ours])),
      h("span", { class: "quiet" }, ` · ${word(me ? "won.theirs" : `short.${theirs}`)} `),
      h("b", { class: "num" }, String(board.tricks_won[theirs])),
    ),
    h(
      "p",
      { class: "small quiet" },
      more > 0
        ? counted(declares ? "needed.make" : "needed.defeat", more)
        : word(declares ? "needed.made" : "needed.defeated"),
    ),
  ]);
}
