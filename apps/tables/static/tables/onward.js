/* The next table of a player whose table is over: the page goes there by itself, unless the player wants to stay. */

import { find, write } from "./dom.js";
import { counted, word } from "./words.js";

const PAUSE = 10_000; // milliseconds

let leavesAt = 0;
let stays = false;

export function startOnward(table) {
  find("#stay").addEventListener("click", () => {
    stays = true;
    drawOnward(table);
  });
}

/* Also called while the clock ticks: the moment to leave comes without anything new. */
export function drawOnward({ view: { table } }) {
  find("#onward").hidden = !table.onward;
  if (!table.onward) return;
  stays ||= table.state !== "over"; // nobody is taken away from a table that goes on
  leavesAt ||= performance.now() + PAUSE;
  const left = Math.max(Math.ceil((leavesAt - performance.now()) / 1000), 0);
  write(find("#next-table"), word("onward", { title: table.onward_title }));
  find("#go-on").href = table.onward;
  find("#stay").hidden = stays;
  write(find("#leaves-in"), stays ? "" : counted("leaves_in", left));
  if (!stays && !left) {
    stays = true; // once
    location.assign(table.onward);
  }
}
