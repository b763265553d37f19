/* A finished board, trick by trick. Step 0 shows the deal, step n the n-th trick. */

import { find, mark, write } from "./dom.js";
import { word } from "./words.js";

const tricksOf = (board) => board?.record ?? [];

/* The cards that were played before the step's trick was over. */
export const playedUpTo = (board, step) => new Set(tricksOf(board).slice(0, step).flatMap((trick) => trick.cards));

export const trickAt = (board, step) => (step ? tricksOf(board)[step - 1] : null);

export function drawReplay({ view, step }) {
  const tricks = tricksOf(view.board);
  const isOver = view.board?.phase === "over";
  find("#replay").hidden = !isOver || !tricks.length;
  write(find("#step"), step ? word("replay.trick", { number: step, of: tricks.length }) : word("replay.deal"));
  mark(find("#step-back"), "aria-disabled", step === 0);
  mark(find("#step-on"), "aria-disabled", step === tricks.length);
}

export function startReplay(table) {
  const last = () => tricksOf(table.view.board).length;
  const go = (by) => () => table.change({ step: Math.min(last(), Math.max(0, table.step + by)) });
  find("#step-back").addEventListener("click", go(-1));
  find("#step-on").addEventListener("click", go(1));
}
