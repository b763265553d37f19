/* Clocks by the site's time: what a side has used, and how long the turn and the round go on. They never pulse. */

import { find, write } from "./dom.js";
import { word } from "./words.js";
import { speak } from "./said.js";
import { freeSeats } from "./bridge.js";

const LATE = 60; // seconds
let ahead = 0; // the site's clock less this page's own running time, both in milliseconds
let since = 0; // when the shown view was made, by the site's clock

export function hear(text) {
  const said = Date.parse(text ?? "");
  if (!Number.isNaN(said)) ahead = said - performance.now();
}

const siteTime = () => performance.now() + ahead;

const left = (moment) => Math.max(0, Date.parse(moment) - siteTime()) / 1000;

/* Whole seconds until a moment is there; none when there is no such moment. */
export const secondsBefore = (moment) => (moment ? Math.ceil(left(moment)) : 0);

/* For how many seconds nobody may call, because the last call was a jump. */
export const stopLasts = ({ clock }) => secondsBefore(clock.stop_ends_at);

export function hearView(view) {
  hear(view.now);
  since = Date.parse(view.now);
}

function clockText(seconds) {
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

export function drawClock({ view }) {
  const { clock, next, board, table } = view;
  for (const side of ["NS", "EW"]) {
    const runs = clock.running.includes(side) ? (siteTime() - since) / 1000 : 0;
    write(find(`#used-${side}`), clockText(Math.floor(clock.used[side] + Math.max(0, runs))));
  }
  countdown("turn", board?.phase === "over" ? null : clock.turn_ends_at);
  const isPast = table.state === "over" && Date.parse(clock.closes_at) <= siteTime();
  countdown("closes", isPast ? null : clock.closes_at);
  countdown("opens", freeSeats(view).length ? null : next?.opens_at); // it does not open without all four
}

function countdown(name, moment) {
  const row = find(`#${name}`);
  row.hidden = !moment;
  if (!moment) return;
  const seconds = Math.floor(left(moment));
  const isLate = seconds < LATE && Boolean(row.dataset.late);
  write(find(".clock", row), clockText(seconds));
  if (row.dataset.late) write(find(".label", row), word(isLate ? row.dataset.late : row.dataset.early));
  if (isLate && row.dataset.spoken && !row.classList.contains("late")) speak(word(row.dataset.late));
  row.classList.toggle("late", isLate);
}
