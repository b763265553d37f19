/* The four seats: who sits there and what is up to them, and the cards of each that may be seen. */

import { fill, find, h } from "./dom.js";
import { sentence, word } from "./words.js";
import { isVulnerable, placeOf, SEATS, seen, suitsInOrder, toAnswer } from "./bridge.js";
import { cardMark, seatName } from "./notation.js";
import { drawHand } from "./hand.js";
import { isMyTurn } from "./happened.js";
import { preferences } from "./preferences.js";
import { playedUpTo } from "./replay.js";

const countries = new Intl.DisplayNames([document.documentElement.lang], { type: "region" });

export function drawSeats(table) {
  for (const seat of SEATS) {
    const box = find(`.seat[data-seat="${seat}"]`);
    box.dataset.place = placeOf(seat, table.bottom);
    drawPlate(find(".plate", box), seat, table);
    drawCards(find(".cards", box), seat, table);
  }
}

function drawPlate(plate, seat, { view, picked }) {
  const [board, person] = [view.board, view.seats[seat]];
  const vulnerable = Boolean(board && isVulnerable(board, seat));
  const deals = board?.dealer === seat;
  const onTurn = toAnswer(board)?.includes(seat) ?? board?.turn === seat;
  const status = statusOf(seat, view);
  const waits = preferences.twoTapCards && board?.turn === seat && board.legal_cards?.includes(picked);
  plate.classList.toggle("turn", onTurn);
  plate.classList.toggle("away", Boolean(person && !person.present));
  fill(plate, [person, vulnerable, deals, status, waits && picked], () => [
    h(
      "span",
      { class: `dir${vulnerable ? " v" : ""}${deals ? " deals" : ""}` },
      h("span", { "aria-hidden": "true" }, word(`letter.${seat}`)),
      h("span", { class: "vh" }, `${seatName(seat)}${vulnerable ? `, ${word("vulnerable")}` : ""} `),
    ),
    name(person),
    h(
      "span",
      { class: "tm" },
      person?.title ? h("span", { class: "rank" }, word(`title.${person.title}`)) : null,
      waits ? sentence("tap_again", { card: cardMark(picked) }) : status,
    ),
  ]);
}

function name(person) {
  if (!person) return h("b", { class: "who" }, word("free_seat"));
  const guest = /^Guest (\d+)$/.exec(person.name);
  const text = h("bdi", {}, guest ? word("guest", { number: guest[1] }) : person.name);
  const link = person.player ? h("a", { href: person.player, target: "_blank", rel: "noopener" }, text) : text;
  const mark = person.robot ? h("span", { class: "bd robot" }, word("robot")) : null;
  return h("b", { class: "who" }, person.country ? flag(person.country) : null, link, mark);
}

/* As `flag` among the template's filters has it. */
function flag(country) {
  const letters = [...country].map((letter) => String.fromCodePoint(0x1f1e6 + letter.charCodeAt(0) - 65));
  const called = countries.of(country);
  const attributes = { class: "flag", role: "img", "aria-label": called, title: called, "data-flag": letters.join("") };
  return h("span", attributes, h("i", {}, country));
}

function statusOf(seat, view) {
  const { board } = view;
  const person = view.seats[seat];
  if (!person) return "";
  if (!person.present) return word("status.away");
  if (!board) return "";
  if (board.phase === "over") return view.next?.ready.includes(seat) ? word("status.ready") : "";
  if (toAnswer(board)?.includes(seat)) return word(seat === view.me ? "turn.answer" : "status.to_answer");
  if (board.turn === seat && !toAnswer(board)) return turnWords(board, isMyTurn(view));
  if (board.phase === "auction") return board.dealer === seat ? word("status.dealer") : "";
  if (board.contract?.declarer === seat) return word("status.declarer");
  return board.dummy === seat ? word("status.dummy") : "";
}

function turnWords(board, mine) {
  if (board.phase === "auction") return word(mine ? "turn.call" : "status.to_call");
  if (!mine) return word("status.to_play");
  const suits = new Set(board.legal_cards.map((card) => card[0]));
  const led = board.trick?.cards[0]?.[0];
  return led && suits.size === 1 && suits.has(led) ? word(`turn.follow.${led}`) : word("turn.card");
}

function drawCards(place, seat, table) {
  const { view, pending, picked } = table;
  const { board, me } = view;
  const cards = board ? seen(board, seat).filter((card) => card !== pending?.card) : [];
  const style = styleOf(seat, view, cards);
  const onTurn = board?.turn === seat && Boolean(board.legal_cards) && !pending;
  drawHand(place, cards, {
    style,
    label: labelOf(seat, view),
    plays: style === "fan" ? seat === me : Boolean(me) && board?.dummy === seat && board.contract.declarer === me,
    order: style === "columns" ? suitsInOrder(board.contract?.strain) : style === "fan" ? "SHCD" : "SHDC",
    legal: new Set(onTurn ? board.legal_cards : []),
    onTurn,
    picked,
    gone: board?.phase === "over" ? playedUpTo(board, table.step) : null,
  });
}

function styleOf(seat, { board, me }, cards) {
  if (!cards.length) return "none";
  if (board.phase === "over") return "lines";
  if (seat === me) return "fan";
  return me && board.phase === "play" ? "columns" : "lines";
}

function labelOf(seat, { board, me }) {
  if (seat === me) return word("hand.mine");
  return word(board?.dummy === seat ? "hand.dummy" : "hand.of", { seat: seatName(seat) });
}
