/* The table: what the server last said, what this player is about to do, and the parts that draw both. */

import { find, write } from "./dom.js";
import { word } from "./words.js";
import { Line } from "./transport.js";
import { isMyTurn, sameMoment, whatHappened } from "./happened.js";
import { cardName } from "./notation.js";
import { sound } from "./sound.js";
import { speak } from "./said.js";
import { tell } from "./speech.js";
import { preferences, startPreferences } from "./preferences.js";
import { drawSeats } from "./seats.js";
import { drawMiddle, LINGERS } from "./middle.js";
import { drawAuction } from "./auction.js";
import { drawBox, startBox } from "./box.js";
import { drawPrompt, drawRequests, startRequests } from "./requests.js";
import { drawClaimDialog, startClaim } from "./claim.js";
import { drawClock, hear, hearView } from "./clock.js";
import { drawChat, startChat } from "./chat.js";
import { drawBoards, startBoards } from "./boards.js";
import { drawOnward, startOnward } from "./onward.js";
import { drawReplay, startReplay } from "./replay.js";
import { drawControls, startControls } from "./controls.js";
import { startKeys } from "./keys.js";

const place = find("#table");
const MOVES = ["call", "play"];
const ASIDE = ["chat", "ask", "explain", "director", "take_back_call", "prompt"]; // said beside the game: nothing waits for what becomes of it

const table = {
  view: JSON.parse(find("#view").textContent),
  bottom: "S",
  pending: null, // the call or card that was sent, until a view or a refusal answers it
  until: Infinity, // the version of the view that brings it
  sending: null, // the name of another act that was sent
  picked: null, // the call or card whose second tap is to come
  reads: null, // the place of the call whose meaning is read
  lost: null, // why nothing comes through: the line, signed out, gone
  refused: null, // the sentence with which the last act was refused
  withdrew: false, // the last act took back what I had asked for
  showsLast: false,
  lingersUntil: 0,
  saidAt: -Infinity,
  step: 0, // of the replay

  change(what) {
    Object.assign(table, what);
    table.redraw();
  },

  redraw() {
    const { view } = table;
    place.dataset.phase = view.board?.phase ?? "none";
    place.dataset.me = view.me ?? "";
    place.classList.toggle("on-turn", isMyTurn(view) && !table.pending);
    for (const draw of PARTS) draw(table);
  },

  /* Whether it was taken. */
  async send(act) {
    const isMove = MOVES.includes(act.act);
    const isAside = ASIDE.includes(act.act);
    if (!isAside && (table.pending || table.sending)) return false;
    if (!isAside) table.withdrew = act.act.startsWith("withdraw");
    if (isMove) table.change({ refused: null, picked: null, showsLast: false, pending: act, until: Infinity });
    else if (!isAside) table.change({ refused: null, sending: act.act });
    const question = asked(act, table.view);
    let outcome = await line.send(act);
    if (outcome.why === "stale" && question && question === asked(act, table.view)) outcome = await line.send(act);
    if (!outcome.ok) table.refused = outcome.say ?? word(outcome.why === "gone" ? "lost.gone" : "refused");
    if (!isAside) table.sending = null;
    if (isMove && outcome.ok && table.view.v < outcome.v) table.until = outcome.v;
    else if (isMove) table.pending = null;
    table.redraw();
    return outcome.ok;
  },

  choose(card) {
    if (preferences.twoTapCards && table.picked !== card) table.change({ picked: card });
    else table.play(card);
  },

  play(card) {
    if (table.view.board.legal_cards?.includes(card)) table.send({ act: "play", card });
  },

  refuse(key, parts) {
    table.change({ refused: word(key, parts) });
  },
};

/* What an answer answers: while it is the same it does not matter that somebody else has answered meanwhile. */
function asked({ act }, { board }) {
  const open = act === "answer_claim" ? board?.claim : act === "answer_undo" ? board?.undo : null;
  return open && JSON.stringify({ ...open, waits_for: null });
}

const PARTS = [
  drawSeats,
  drawMiddle,
  drawAuction,
  drawBox,
  drawRequests,
  drawClaimDialog,
  drawControls,
  drawChat,
  drawBoards,
  drawReplay,
  drawOnward,
  drawClock,
];

const STARTS = [startBox, startRequests, startClaim, startChat, startBoards, startOnward, startReplay, startControls, startKeys];

function show(view) {
  if (view.me !== table.view.me) return location.reload(); // another seat is another page
  const events = whatHappened(table.view, view);
  const happened = (kind) => events.some((event) => event.kind === kind);
  if (happened("board")) Object.assign(table, { picked: null, reads: null, step: 0, showsLast: false });
  if (happened("card") || happened("taken_back")) table.showsLast = false;
  if (happened("trick")) {
    table.lingersUntil = performance.now() + LINGERS;
    setTimeout(table.redraw, LINGERS + 20);
  }
  if (happened("chat")) table.saidAt = performance.now();
  if (happened("over")) table.step = 0;
  hearView(view);
  if (!sameMoment(table.view.board, view.board) || view.v >= table.until) table.pending = null;
  table.view = view;
  if (!isMyTurn(view)) table.picked = null;
  if (happened("turn")) table.refused = null; // what was refused before is long past
  const gone = events.find(({ kind, seat }) => ["claim_gone", "undo_gone"].includes(kind) && seat === view.me);
  if (gone && !table.withdrew) table.refused = word(gone.kind === "claim_gone" ? "claim.refused" : "undo.refused");
  table.redraw();
  tell(events, view);
  sound(events);
  if (isMyTurn(view)) write(find("title"), `● ${title}`);
  else write(find("title"), title);
}

const title = document.title;

table.bottom = table.view.me ?? "S";
hearView(table.view);
startPreferences(table.redraw);
for (const start of STARTS) start(table);
place.addEventListener("click", ({ target }) => {
  const card = target.closest("button[data-card]");
  if (!card || card.getAttribute("aria-disabled") === "true") return;
  const name = card.dataset.card;
  table.choose(name);
  if (table.picked === name) speak(word("tap_again", { card: cardName(name) }));
});
table.redraw();
setInterval(() => {
  drawClock(table);
  drawOnward(table);
  drawPrompt(table.view);
  if (table.view.clock.stop_ends_at) drawBox(table);
  if (performance.now() - table.saidAt < 12000) drawRequests(table);
}, 250);

const line = place.dataset.still ? null : connect();

function connect() {
  const hears = {
    view: show,
    now: hear,
    on() {
      table.change({ lost: null });
      speak(word("lost.back"));
    },
    off: () => table.change({ lost: "line" }),
    gone: (status) => table.change({ lost: status === 401 ? "signed_out" : "gone" }),
  };
  const { act, view, live } = place.dataset;
  return new Line({ act, view, live, token: find("[name=csrfmiddlewaretoken]").value, version: table.view.v }, hears);
}
