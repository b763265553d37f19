/* Buttons about the table: undo, claim, last trick, director, help. Each is there when it can be of use. */

import { find, mark, write } from "./dom.js";
import { word } from "./words.js";

export function startControls(table) {
  find("#undo").addEventListener("click", () => table.send({ act: "ask_undo" }));
  find("#last-trick").addEventListener("click", () => table.change({ showsLast: !table.showsLast }));
  find("#call-director").addEventListener("click", () => table.send({ act: "director" }));
  find("#copy").addEventListener("click", copyAddress);
  for (const name of ["help", "preferences"]) {
    find(`#open-${name}`).addEventListener("click", () => find(`#${name}`).showModal());
    find(`#${name}`).addEventListener("click", (event) => event.target === event.currentTarget && event.target.close());
  }
}

export function drawControls({ view, pending, sending, showsLast }) {
  const { board, ask } = view;
  const may = (!pending && board?.may) || []; // what I have just done may change all of it
  const plays = board?.phase === "play";
  offer("#undo", may.includes("ask_undo"), sending === "ask_undo");
  offer("#claim", may.includes("claim"), sending === "claim");
  offer("#call-director", ask.director, sending === "director");
  offer("#last-trick", plays && Boolean(board.last_trick));
  mark(find("#last-trick"), "aria-pressed", showsLast);
}

async function copyAddress() {
  await navigator.clipboard?.writeText(location.origin + location.pathname);
  write(find("#copy"), word("copied"));
}

function offer(selector, open, sent = false) {
  const button = find(selector);
  button.hidden = !open && !sent;
  button.classList.toggle("sent", sent);
}
