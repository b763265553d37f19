/* Buttons about the table: undo, claim, last trick, director, help. */

import { find, findAll, write } from "./dom.js";
import { word } from "./words.js";
import { tricksPlayed } from "./bridge.js";
import { lastTrick } from "./happened.js";
import { speak } from "./said.js";
import { tell } from "./speech.js";

export function startControls(table) {
  find("#undo").addEventListener("click", () => table.send({ act: "ask_undo" }));
  find("#last-trick").addEventListener("click", () => showLast(table));
  find("#call-director").addEventListener("click", () => find("#director-dialog").showModal());
  find("#director-close").addEventListener("click", () => find("#director-dialog").close());
  find("#director-form").addEventListener("submit", () => table.send({ act: "director" }));
  find("#copy").addEventListener("click", copyAddress);
  find("#copy").hidden = !navigator.clipboard;
  for (const name of ["help", "preferences"]) {
    find(`#open-${name}`).addEventListener("click", () => find(`#${name}`).showModal());
    find(`#${name}`).addEventListener("click", (event) => event.target === event.currentTarget && event.target.close());
  }
}

function showLast(table) {
  table.change({ showsLast: !table.showsLast });
  if (!table.showsLast) return;
  speak(word("trick", { number: tricksPlayed(table.view.board) }));
  tell(lastTrick(table.view.board), table.view);
}

export function drawControls({ view, pending, sending, showsLast }) {
  drawFreeSeats(view);
  const { board, ask } = view;
  const may = (!pending && board?.may) || []; // what I have just done may change all of it
  const plays = board?.phase === "play";
  const sits = Boolean(view.me && board && board.phase !== "over");
  offer("#call-director", { open: ask.director, sent: sending === "director", stays: sits });
  offer("#undo", { open: may.includes("ask_undo"), sent: sending === "ask_undo", stays: sits });
  offer("#claim", { open: may.includes("claim"), sent: sending === "claim", stays: sits && plays });
  offer("#last-trick", { open: plays && Boolean(board.last_trick), sent: false, stays: sits && plays });
  find("#last-trick").setAttribute("aria-pressed", String(showsLast));
  const expected = find("[name=expect]"); // what a director decides is about the table as it is shown
  if (expected) expected.value = view.v;
}

/* Whoever looks on at a table that is open to all may sit down where nobody sits. */
function drawFreeSeats({ seats, table }) {
  const form = find("#free");
  if (!form) return;
  const buttons = findAll("[name=seat]", form);
  for (const button of buttons) button.hidden = Boolean(seats[button.value]?.present);
  form.hidden = table.state === "over" || buttons.every((button) => button.hidden);
}

async function copyAddress() {
  try {
    await navigator.clipboard.writeText(location.origin + location.pathname);
  } catch {
    return; // the browser did not allow it
  }
  write(find("#copy"), word("copied"));
  speak(word("copied"));
}

/* While I play, a button that is of no use now stays: no other slides under the pointer. Those of the play come last. */
function offer(selector, { open, sent, stays }) {
  const button = find(selector);
  button.hidden = !open && !sent && !stays;
  button.disabled = !open && !sent;
  button.classList.toggle("sent", sent);
}
