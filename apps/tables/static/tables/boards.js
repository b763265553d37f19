/* The boards of this table, and what comes after one that is over. */

import { fill, find, h, mark, write } from "./dom.js";
import { word } from "./words.js";
import { score, suit } from "./notation.js";

export function startBoards(table) {
  find("#next").addEventListener("click", () => table.send({ act: "ready" }));
  find("#leave").addEventListener("click", () => table.send({ act: "leave", stay: table.view.ask.leaving }));
}

export function drawBoards({ view, sending }) {
  drawNext(view, sending);
  const { boards } = view;
  find("#boards-note").hidden = !boards.length;
  const isOver = view.table.state === "over";
  fill(find("#boards tbody"), [boards, isOver], () => boards.map((board) => row(board, isOver)));
  const leave = find("#leave");
  leave.hidden = !view.ask.leave && !view.ask.leaving;
  const isPlaying = view.board && view.board.phase !== "over";
  write(leave, word(view.ask.leaving ? "leave.stay" : isPlaying ? "leave.after" : "leave.now"));
}

function drawNext({ me, next, ask, table }, sending) {
  const note = find("#next-note");
  const isOver = table.state === "over";
  note.hidden = (!next && !isOver) || Boolean(find("#table").dataset.still); // a record leads nowhere
  find("#table-over").hidden = !isOver;
  if (isOver) write(find("#closed"), word(`closed.${table.why}`));
  find("#goes-on").hidden = !me || table.casual || Boolean(table.onward);
  find("#next").hidden = !me || !next || (!ask.ready && !next.ready.includes(me));
  if (!next) return;
  const isReady = next.ready.includes(me);
  const button = find("#next");
  mark(button, "aria-disabled", isReady);
  write(button, word(isReady ? "next.waits" : "next.go"));
  button.classList.toggle("sent", sending === "ready");
}

/* What a table that is over has not come to, nobody plays there any more. */
function row({ number, state, how, result, score: points, url }, isOver) {
  const name = url && state === "over" ? h("a", { href: url }, String(number)) : String(number);
  return h(
    "tr",
    {},
    h("th", { scope: "row", class: "n" }, name),
    h("td", {}, result ? drawn(result) : h("span", { class: "quiet" }, word(how ? `how.${how}` : `board.${isOver && state === "waiting" ? "unplayed" : state}`))),
    h("td", { class: "n" }, points === null || points === undefined ? "" : score(points)),
  );
}

/* `3NT N +1` as plain text, with the suit drawn. */
function drawn(result) {
  const match = /^([1-7])([SHDC])(X*)(.*)$/.exec(result);
  if (!match) return h("span", { class: "ct" }, result);
  const [, level, strain, doubled, rest] = match;
  return h("span", { class: "ct" }, h("b", {}, level, suit(strain), doubled), rest.replace("-", "−"));
}
