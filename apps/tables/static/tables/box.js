/* The bidding box. With two taps a call is chosen first and made by the button that names it. */

import { fill, find, findAll, h, mark, write } from "./dom.js";
import { sentence, word } from "./words.js";
import { isBid } from "./bridge.js";
import { callMark, callName } from "./notation.js";
import { preferences } from "./preferences.js";
import { isMyTurn } from "./happened.js";
import { stopLasts } from "./clock.js";
import { speak } from "./said.js";
import { stopInWords } from "./speech.js";

const box = find("#box");
const alerts = find("#alert");
const announces = find("#announce");
const meaning = find("#alert-text");

/* Whether words go with the call: an alert may have them, an announcement is nothing else. */
const explains = () => alerts.checked || announces.checked;

export function startBox(table) {
  box.addEventListener("click", (event) => {
    const button = event.target.closest("[data-call]");
    if (button) choose(table, button.dataset.call);
  });
  box.addEventListener("submit", (event) => {
    event.preventDefault();
    if (table.picked && legal(table).includes(table.picked)) makeCall(table, table.picked);
  });
  for (const way of [alerts, announces]) {
    way.addEventListener("change", () => {
      decide(way, way.checked);
      table.redraw();
      if (way.checked) meaning.focus();
    });
  }
  find("#usual").addEventListener("click", () => {
    if (!explains()) decide(alerts, true);
    mean(table.view.meanings?.[table.picked] ?? "");
    table.redraw();
  });
  meaning.addEventListener("input", check);
}

export function choose(table, call) {
  if (isMyTurn(table.view) && stopLasts(table.view)) return sayStop(table);
  if (!legal(table).includes(call)) return;
  if (needsConfirmation() && table.picked !== call) table.change({ picked: call });
  else makeCall(table, call);
}

const needsConfirmation = () => preferences.twoTapCalls || explains();

/* A call is alerted or announced, or neither. An announcement has words. */
function decide(way, on) {
  for (const each of [alerts, announces]) each.checked = each === way && on;
  meaning.required = announces.checked;
  check();
}

function mean(words) {
  meaning.value = words;
  check();
}

/* Blanks are no words. */
function check() {
  const lacks = announces.checked && !meaning.value.trim();
  meaning.setCustomValidity(lacks ? word("box.needs_words") : "");
}

const toggle = (way) => (table) => {
  decide(way, !way.checked);
  table.redraw();
  if (way.checked && table.picked) meaning.focus(); // Enter makes the call
};

export const toggleAlert = toggle(alerts);
export const toggleAnnouncement = toggle(announces);

async function makeCall(table, call) {
  if (!meaning.reportValidity()) return;
  const [way, words] = [[alerts, announces].find((each) => each.checked), meaning.value.trim()];
  decide(null, false);
  mean("");
  if (await table.send({ act: "call", call, alert: way === alerts, explanation: way ? words : "" })) return;
  if (way && !explains()) decide(way, true); // what was refused is there to be sent again
  mean(meaning.value || words);
  table.redraw();
}

function legal({ view, pending }) {
  return isMyTurn(view) && !pending && !stopLasts(view) ? (view.board.legal_calls ?? []) : [];
}

export function drawBox(table) {
  const { view, picked } = table;
  const shows = Boolean(view.me) && view.board?.phase === "auction";
  find("#box-note").hidden = !shows;
  if (!shows) return;
  const calls = legal(table);
  const mine = isMyTurn(view);
  write(find("#box-title"), word(mine ? "turn.call" : "box.wait"));
  drawLevels(view.board, calls);
  for (const button of findAll("[data-call]", box)) {
    const call = button.dataset.call;
    mark(button, "aria-disabled", !calls.includes(call));
    button.setAttribute("aria-pressed", String(picked === call));
  }
  drawStop(table, mine);
  drawConfirm(calls.includes(picked) ? picked : null, view);
}

/* Levels on which no bid can be made any more are left out. */
function drawLevels(board, calls) {
  const bids = board.calls.map((each) => each.call).filter(isBid);
  const last = bids.at(-1);
  const lowest = last ? Number(last[0]) + (last.endsWith("NT") ? 1 : 0) : 1;
  for (const row of findAll("[data-level]", box)) row.hidden = Number(row.dataset.level) < lowest;
  const open = findAll("[data-call]", box).filter((button) => calls.includes(button.dataset.call));
  const chosen =
    open.find((button) => button === document.activeElement) ??
    open.find((button) => button.dataset.call === "Pass");
  for (const button of findAll("[data-call]", box)) button.tabIndex = button === chosen ? 0 : -1;
}

function drawConfirm(call, view) {
  const button = find("#confirm");
  const asks = needsConfirmation();
  button.hidden = !asks;
  mark(button, "aria-disabled", !call);
  fill(button, [call, alerts.checked, announces.checked], () => {
    if (!call) return word("box.choose");
    const key = isBid(call) ? "box.bid" : "box.call";
    const drawn = isBid(call) ? callMark(call) : callName(call);
    return [...sentence(key, { call: drawn }), ...withWords()];
  });
  find("#alert-field").hidden = !explains();
  const usual = call && view.meanings?.[call];
  const offer = find("#usual");
  offer.hidden = !usual || (explains() && meaning.value === usual);
  if (usual) fill(offer, [call, usual], () => sentence("box.usual", { call: callMark(call), text: usual }));
}

function withWords() {
  if (!explains()) return [];
  const [sign, key] = alerts.checked ? ["!", "box.with_alert"] : ["…", "box.with_announcement"];
  return [h("span", { class: "al", "aria-hidden": "true" }, sign), h("span", { class: "vh" }, ` ${word(key)}`)];
}

/* Who calls during the pause is led to where it passes: it is read in one place. */
function sayStop({ view }) {
  find("#stop").scrollIntoView({ block: "nearest" });
  speak(stopInWords(view));
}

/* The pause is read as it passes. That it is over is also heard, and what was refused meanwhile is past. */
function drawStop(table, mine) {
  const place = find("#stop");
  const text = mine ? stopInWords(table.view) : null;
  const ends = mine && !text && !place.hidden;
  place.hidden = !text;
  if (text) write(place, text);
  if (!ends) return;
  speak(word("turn.call"));
  table.change({ refused: null });
}
