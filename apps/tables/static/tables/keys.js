/* The table by keyboard: digit and letter for a bid, suit and rank for a card, arrows, and a few more. */

import { RANKS, SUITS } from "./bridge.js";
import { find, findAll } from "./dom.js";
import { preferences } from "./preferences.js";
import { choose, toggleAlert, toggleAnnouncement } from "./box.js";
import { speak } from "./said.js";
import { callName, cardName } from "./notation.js";

const STRAINS = { C: "C", D: "D", H: "H", S: "S", N: "NT" };
const WORDS = { P: "Pass", X: "X", R: "XX" };
const FORGETS_AFTER = 2000;
let begun = null; // the first key of two
let forgets = 0;
let oneAt = -Infinity; // when the 1 of a 10 was typed

export function startKeys(table) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || find("dialog[open]")) return;
    if (event.key.startsWith("Arrow")) return arrow(event);
    if (event.target.closest("input, textarea, select") || !preferences.letterKeys) return;
    const act = whatFor(event.key.toUpperCase(), event, table);
    if (!act) return;
    event.preventDefault();
    act(table, event.key.toUpperCase());
  });
}

const ALWAYS = {
  "?": () => find("#help").showModal(),
  L: () => find("#last-trick:not([hidden])")?.click(),
  ESCAPE: (table) => {
    remember(null);
    table.change({ picked: null, reads: null, refused: null });
  },
};

/* What a key does now; nothing when it is none of ours. */
function whatFor(key, { target }, { view: { board }, picked }) {
  if (ALWAYS[key]) return ALWAYS[key];
  if (key === "ENTER") return picked && !target.closest(PRESSES_ITSELF) ? confirm : null;
  if (board?.legal_calls) return SAYS[key] ?? (isOfCall(key) ? bidding : null);
  return board?.legal_cards && isOfCard(key) ? playing : null;
}

const SAYS = { "!": toggleAlert, A: toggleAnnouncement };
const PRESSES_ITSELF = "a, button:not([data-card], [data-call]), summary"; // Enter does that without us
const LEVELS = "1234567";
const isOfCall = (key) => LEVELS.includes(key) || key in (begun ? STRAINS : WORDS);
const isOfCard = (key) => SUITS.includes(key) || RANKS.includes(rankOf(key));
const rankOf = (key) => (key === "1" || key === "0" ? "T" : key);

function confirm(table) {
  if (table.view.board.legal_calls) choose(table, table.picked);
  else table.play(table.picked);
}

function bidding(table, key) {
  if (LEVELS.includes(key)) remember(key);
  else call(table, begun ? begun + STRAINS[key] : WORDS[key]);
}

function call(table, name) {
  remember(null);
  if (!table.view.board.legal_calls.includes(name)) return table.refuse("keys.no_call", { call: callName(name) });
  choose(table, name);
  if (table.picked === name) speak(callName(name));
}

/* A ten is T, or 10: of the two digits the first is the ten and the second says nothing more. */
function playing(table, key) {
  const since = performance.now() - oneAt;
  oneAt = key === "1" ? performance.now() : -Infinity;
  if (key === "0" && since < FORGETS_AFTER) return;
  if (SUITS.includes(key)) return remember(key);
  const cards = table.view.board.legal_cards;
  const fitting = cards.filter((card) => card[1] === rankOf(key) && (!begun || card[0] === begun));
  if (fitting.length > 1) return table.refuse("keys.which_suit");
  const card = fitting[0] ?? (begun && begun + rankOf(key));
  remember(null);
  if (!card) return table.refuse("keys.no_rank");
  if (!cards.includes(card)) return table.refuse("keys.no_card", { card: cardName(card) });
  table.choose(card);
  if (table.picked === card) speak(cardName(card));
}

function remember(key) {
  begun = key;
  clearTimeout(forgets);
  find("#typed").hidden = !key;
  find("#typed").textContent = key ?? "";
  if (key) forgets = setTimeout(() => remember(null), FORGETS_AFTER);
}

/* Arrows go along a hand or over the box, up and down between own hand and dummy. */
function arrow(event) {
  if (isReplay() && !event.target.closest("input, textarea, select, .scroll")) return step(event);
  const from = event.target.closest("[data-card], [data-call]");
  if (!from && event.target.closest("input, textarea, select, .scroll")) return;
  const group = from ? from.closest(".cards, #box") : find("#box-note:not([hidden]) #box") ?? handOnTurn();
  const all = group ? findAll("button[data-card], button[data-call]", group).filter((each) => each.offsetParent) : [];
  if (!all.length) return;
  event.preventDefault();
  if (!from) return move(null, all.find((each) => each.tabIndex === 0) ?? all[0]);
  const at = all.indexOf(from);
  if (from.dataset.call) return move(from, inBox(all, from, event.key));
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    return move(from, all[at + (event.key === "ArrowRight" ? 1 : -1)]);
  }
  const hands = openHands();
  const other = hands[(hands.indexOf(group) + 1) % hands.length];
  if (other && other !== group) move(null, find("[tabindex='0']", other));
}

const isReplay = () => Boolean(find("#replay:not([hidden])"));

/* A finished board is leafed through. */
function step(event) {
  const button = { ArrowLeft: "#step-back", ArrowRight: "#step-on" }[event.key];
  if (!button) return;
  event.preventDefault();
  find(button).click();
}

const openHands = () => findAll(".cards").filter((hand) => find("button[data-card]", hand));
const handOnTurn = () => find(".cards:has(button[data-card]:not([aria-disabled]))") ?? openHands()[0];

/* The nearest button in the direction of the arrow. */
function inBox(all, from, key) {
  const here = from.getBoundingClientRect();
  const [x, y] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  const distance = (button) => {
    const there = button.getBoundingClientRect();
    const dx = there.x + there.width / 2 - here.x - here.width / 2;
    const dy = there.y + there.height / 2 - here.y - here.height / 2;
    const along = dx * x + dy * y;
    const across = Math.abs(dx * y) + Math.abs(dy * x);
    return along > 2 && across <= Math.max(along * 2, here.width * 2) ? along + 3 * across : Infinity;
  };
  const best = all.reduce((nearest, each) => (distance(each) < distance(nearest) ? each : nearest), from);
  return best === from ? null : best;
}

function move(from, to) {
  if (!to) return;
  if (from) from.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
}
