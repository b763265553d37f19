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

/* What was said of a call, in the reader's language: a robot's words are of a few fixed parts, each with its translation;
   what is not made of them was written by a person and stays. */
export function inReadersWords(text) {
  const parts = text.split("; ").map(translated);
  return parts.every(Boolean) ? parts.join(word("between_parts")) : text;
}

const IN_PART = /^in_part\./;
const suits = [...words.keys()].filter((key) => IN_PART.test(key)).map((key) => key.replace(IN_PART, ""));
const escaped = (text) => text.replace(/[.*+?()|[\]\\^$]/g, "\\$&");
const filled = (_, name) => `(?<${name}>${name === "suit" ? suits.join("|") : "[0-9]+"})`;
const PARTS = findAll("[data-part]", find("#words").content).map((place) => ({
  says: new RegExp(`^${escaped(place.dataset.part).replace(new RegExp(PLACE, "g"), filled)}$`),
  text: place.textContent,
}));

function translated(part) {
  const known = PARTS.find(({ says }) => says.test(part));
  if (!known) return null;
  const { groups } = known.says.exec(part);
  return known.text.replace(new RegExp(PLACE, "g"), (_, name) => words.get(`in_part.${groups[name]}`) ?? groups[name]);
}

export function sentence(key, parts) {
  return words
    .get(key)
    .split(PLACE)
    .map((piece, index) => (index % 2 ? parts[piece] : piece))
    .filter((piece) => piece !== "");
}
