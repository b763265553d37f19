/* Hands: a fan of cards to play from, columns as dummy lays them, lines as a diagram prints them. */

import { bySuit, SUITS } from "./bridge.js";
import { fill, find, findAll, h, mark } from "./dom.js";
import { playingCard, rank, suit } from "./notation.js";

/* `look`: style, label, order of suits; legal (the cards that may be played now), onTurn, picked; gone (played). */
export function drawHand(place, cards, look) {
  place.dataset.style = look.style;
  if (look.label) place.setAttribute("aria-label", look.label);
  const hadFocus = place.contains(document.activeElement);
  const suits = [...look.order].map((letter) => [letter, bySuit(cards, letter)]);
  fill(place, [look.style, look.plays, suits], () => MAKE[look.style]?.(suits, look) ?? []);
  place.style.setProperty("--count", Math.max(2, cards.length));
  place.style.setProperty("--suits", suits.filter(([, each]) => each.length).length);
  for (const card of findAll("[data-card]", place)) dress(card, look);
  rove(place);
  if (hadFocus && !place.contains(document.activeElement)) find("[tabindex='0']", place)?.focus({ preventScroll: true });
}

function fan(suits, look) {
  const groups = suits.filter(([, cards]) => cards.length);
  return groups.flatMap(([, cards], group) =>
    cards.map((card, index) => {
      const drawn = playingCard(card, { button: look.plays });
      drawn.classList.toggle("gap", group > 0 && index === 0);
      return drawn;
    }),
  );
}

const columns = (suits, look) =>
  suits
    .filter(([, cards]) => cards.length)
    .map(([, cards]) => h("ul", {}, cards.map((card) => h("li", {}, playingCard(card, { button: look.plays })))));

const lines = (suits) =>
  h(
    "ul",
    { class: "hand" },
    [...SUITS].map((letter) => {
      const cards = suits.find(([each]) => each === letter)[1];
      const ranks = cards.flatMap((card, index) => [
        index ? " " : null,
        h("span", { "data-card": card }, rank(card)),
      ]);
      return h("li", {}, suit(letter), h("span", { class: "cards" }, ranks.length ? ranks : "—"));
    }),
  );

const MAKE = { fan, columns, lines };

function dress(card, { legal, onTurn, picked, gone, style }) {
  const name = card.dataset.card;
  card.classList.toggle("gone", Boolean(gone?.has(name)));
  if (style === "lines" || card.tagName !== "BUTTON") return;
  const may = legal.has(name);
  mark(card, "aria-disabled", !may);
  card.classList.toggle("off", onTurn && !may);
  card.classList.toggle("pick", picked === name);
}

/* One card of a hand is reached by Tab, the arrows lead to the others. */
function rove(place) {
  const cards = findAll("button[data-card]", place);
  const open = cards.filter((card) => !card.hasAttribute("aria-disabled"));
  const chosen = open.find((card) => card === document.activeElement) ?? open[0] ?? cards[0];
  for (const card of cards) card.tabIndex = card === chosen ? 0 : -1;
}
