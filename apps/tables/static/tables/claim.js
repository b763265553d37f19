/* To claim, or to concede: how many of the tricks that are left, and how they are to be played. */

import { fill, find, h, write } from "./dom.js";
import { sideName } from "./notation.js";
import { word } from "./words.js";
import { side, tricksPlayed } from "./bridge.js";

const dialog = find("#claim-dialog");
const form = find("#claim-form");
const line = find("#claim-line");

export function startClaim(table) {
  find("#claim").addEventListener("click", () => open(table));
  find("#claim-tricks").addEventListener("change", () => name(table));
  find("#claim-close").addEventListener("click", () => dialog.close());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    dialog.close();
    send(table, { act: "claim", tricks: chosen(), line: line.value.trim() });
  });
}

async function send(table, claim) {
  if (await table.send(claim)) line.value = "";
}

const remaining = (board) => 13 - tricksPlayed(board);
const chosen = () => Number(find("#claim-tricks input:checked").value);

function open(table) {
  const left = remaining(table.view.board);
  fill(find("#claim-tricks"), [table.view.board.board, left], () =>
    Array.from({ length: left + 1 }, (_, tricks) =>
      h(
        "label",
        {},
        h("input", { type: "radio", name: "tricks", value: tricks, checked: tricks === left }),
        h("span", {}, String(tricks)),
      ),
    ),
  );
  write(find("#claim-for"), word("claim.for", { side: sideName(side(table.view.me)), of: left }));
  name(table);
  dialog.showModal();
  find("#claim-tricks input:checked").focus();
}

function name(table) {
  const tricks = chosen();
  const of = remaining(table.view.board);
  write(find("#claim-go"), tricks ? word("claim.go", { tricks, of }) : word("claim.concede"));
}

/* A claim that is being written is void when the table has moved on. */
export function drawClaimDialog({ view: { board } }) {
  if (dialog.open && !board?.may.includes("claim")) dialog.close();
}
