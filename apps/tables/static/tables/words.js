/* The sentences of the page, in the reader's language: the template holds them, modules ask for them by a key.

   `{seat}` in a sentence stands for something; where that is drawn (a suit), `sentence` gives text and elements. */

import { find, findAll } from "./dom.js";

const words = new Map(
  findAll("[data-word]", find("#words").content).map((place) => [place.dataset.word, place.textContent]),
);
const forms = new Intl.PluralRules(document.documentElement.lang || "en");

const PLACE = /\{(\w+)\}/;

export function word(key, parts = {}) {
  const text = words.get(key);
  if (text === undefined) throw new Error(`no word for ${key}`);
  return text.replace(new RegExp(PLACE, "g"), (_, name) => parts[name] ?? "");
}

/* The sentence for so many: `tricks.one` and `tricks.other`. */
export const counted = (key, count, parts = {}) => word(`${key}.${form(key, count)}`, { count, ...parts });

const form = (key, count) => (words.has(`${key}.${forms.select(count)}`) ? forms.select(count) : "other");

export function sentence(key, parts) {
  return words
    .get(key)
    .split(PLACE)
    .map((piece, index) => (index % 2 ? parts[piece] : piece))
    .filter((piece) => piece !== "");
}
