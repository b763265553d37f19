/* What is said to those who listen to the page: a polite log that nobody sees. */

import { find, h } from "./dom.js";

const KEPT = 20;

export function speak(text) {
  const log = find("#said");
  log.append(h("p", {}, text));
  while (log.children.length > KEPT) log.firstElementChild.remove();
}
