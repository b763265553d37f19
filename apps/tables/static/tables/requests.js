/* What waits for an answer, over the hand: a claim, a wish to take something back, a question, a word from the table. */

import { fill, find, findAll, h, write } from "./dom.js";
import { sentence, word } from "./words.js";
import { isBid } from "./bridge.js";
import { callMark, callName, cardMark, claimName, directorName, seatName } from "./notation.js";
import { isHeard, sendWords } from "./chat.js";
import { secondsBefore } from "./clock.js";

const CHAT_SHOWN = 10000;
const answers = findAll(".requests [data-act]");

export function startRequests(table) {
  for (const button of answers) {
    button.addEventListener("click", () => table.send(JSON.parse(button.dataset.act)));
  }
  find("#explain").addEventListener("submit", (event) => {
    event.preventDefault();
    const place = Number(find("#explain").dataset.place);
    sendWords(table, find("#explain-text"), (words) => ({ act: "explain", place, explanation: words }));
    table.change({ reads: null });
  });
  find("#refused-close").addEventListener("click", () => table.change({ refused: null }));
}

export function drawRequests(table) {
  const { view, refused, sending } = table;
  const { board } = view;
  drawLost(table);
  drawRefused(refused);
  for (const button of answers) button.classList.toggle("sent", JSON.parse(button.dataset.act).act === sending);
  drawClaim(board, view.me);
  drawUndo(board, view.me);
  drawQuestion(table);
  drawTalk(table);
  drawDirector(view);
  drawPrompt(view);
}

/* Who lets the table wait for long may be asked to act, by any of the others; everybody reads what follows from it. */
export function drawPrompt({ prompt, me }) {
  const place = find("#prompt");
  const mine = prompt?.seat === me;
  const isOpen = Boolean(prompt?.ends_at);
  place.hidden = !prompt || !me || (!isOpen && (mine || secondsBefore(prompt.may_at) > 0));
  if (place.hidden) return;
  find("#ask-to-act").hidden = isOpen;
  const seconds = secondsBefore(prompt.ends_at);
  const key = !isOpen ? "prompt.may" : mine ? "prompt.mine" : "prompt.theirs";
  const by = prompt.by && (prompt.by === me ? word("you") : seatName(prompt.by));
  write(find("p", place), word(key, { seat: seatName(prompt.seat), by, seconds }));
}

function drawDirector({ director, board, table, ask }) {
  const settle = find("#settle");
  if (settle) settle.hidden = !director;
  find("#take-back-call").hidden = !ask.take_back_call;
  find("#director").hidden = !director && !board?.waits_for_director;
  if (board?.waits_for_director) write(find("#director p"), word("director.decides"));
  else if (director) write(find("#director p"), calledWords(director, table));
}

const calledWords = (call, { casual }) => [directorName(call), casual ? word("director.casual") : ""].join(" ");

function drawLost({ lost, pending, sending }) {
  find("#lost").hidden = !lost;
  if (!lost) return;
  write(find("#lost p"), word(lost === "line" && (pending || sending) ? "lost.kept" : `lost.${lost}`));
  find("#lost-sign-in").hidden = lost !== "signed_out";
  find("#lost-back").hidden = lost !== "gone";
}

function drawRefused(sentence) {
  find("#refused").hidden = !sentence;
  write(find("#refused p"), sentence ?? "");
}

const allows = (board, act) => board.may.includes(act);

function drawClaim(board, me) {
  const claim = board?.claim;
  const place = find("#claim-request");
  place.hidden = !claim;
  if (!claim) return;
  fill(find("p", place), [claim, me], () => [
    h("b", {}, claimName(claim, me)),
    claim.line ? h("q", {}, claim.line) : null,
    h("span", { class: "small" }, claim.contested ? "" : waitWords(claim.waits_for, me)),
  ]);
  find("[data-answers]", place).hidden = !allows(board, "answer_claim");
  find("[data-withdraw]", place).hidden = !allows(board, "withdraw_claim");
}

const waitWords = (seats, me) => {
  const others = seats.filter((seat) => seat !== me).map(seatName);
  return others.length ? word("waits_for", { seats: others.join(word("and")) }) : "";
};

function drawUndo(board, me) {
  const undo = board?.undo;
  const place = find("#undo-request");
  place.hidden = !undo;
  if (!undo) return;
  fill(find("p", place), [undo, me], () => [
    h(
      "b",
      {},
      sentence(undo.seat === me ? "undo.mine" : "undo.theirs", {
        seat: seatName(undo.seat),
        what: undo.of === "card" ? cardMark(undo.text) : isBid(undo.text) ? callMark(undo.text) : callName(undo.text),
      }),
    ),
    h("span", { class: "small" }, waitWords(undo.waits_for, me)),
  ]);
  find("[data-answers]", place).hidden = !allows(board, "answer_undo");
  find("[data-withdraw]", place).hidden = !allows(board, "withdraw_undo");
}

/* My own call, because an opponent asks about it, or because I pressed it to say what it means. */
function drawQuestion({ view: { board, me }, reads }) {
  const place = find("#explain");
  const isMine = (each) => each?.seat === me;
  const asked = board?.calls.findIndex((each) => isMine(each) && each.asked) ?? -1;
  const index = isMine(board?.calls[reads]) && me ? reads : asked;
  place.hidden = !me || !board || index < 0 || !allows(board, "explain");
  if (place.hidden) return;
  const each = board.calls[index];
  place.dataset.place = index;
  fill(find("label", place), [index, each], () =>
    sentence(each.asked ? "explain.asked" : "explain.own", { call: callMark(each.call) }),
  );
}

function drawTalk({ view, saidAt }) {
  const last = view.chat.at(-1);
  const isNew = last && last.seat !== view.me && performance.now() - saidAt < CHAT_SHOWN;
  const place = find("#talk");
  place.hidden = !isNew || !isHeard(view)(last);
  if (place.hidden) return;
  const who = last.seat ? seatName(last.seat) : word("chat.director");
  fill(place, last, () => [h("b", {}, `${who}: `), h("bdi", {}, last.text)]);
}
