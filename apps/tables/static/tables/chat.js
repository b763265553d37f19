/* Talk at the table. Nobody talks to partner alone. */

import { fill, find, h } from "./dom.js";
import { word } from "./words.js";
import { seatName } from "./notation.js";
import { preferences } from "./preferences.js";

const form = find("#chat-form");
const text = find("#chat-text");

export function startChat(table) {
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    sendWords(table, text, (words) => ({ act: "chat", to: find("#chat-to").value, text: words }));
  });
}

/* Send what a field holds. It is empty at once, and what is refused stands there again. */
export async function sendWords(table, field, act) {
  const words = field.value.trim();
  if (!words) return;
  field.value = "";
  if (!(await table.send(act(words)))) field.value ||= words;
}

export function drawChat({ view }) {
  const to = view.ask.chat ?? [];
  form.hidden = !to.length;
  find("#chat").hidden = !to.length && !view.chat.length;
  for (const choice of find("#chat-to").options) choice.hidden = choice.disabled = !to.includes(choice.value);
  if (to.length && !to.includes(find("#chat-to").value)) find("#chat-to").value = to[0];
  const log = find("#chat-log");
  const lines = view.chat.filter(isHeard(view));
  find("#chat-empty").hidden = view.chat.length > 0;
  find("#chat-muted").hidden = lines.length === view.chat.length;
  if (fill(log, lines, () => lines.map((each) => said(each, view.me)))) log.scrollTop = log.scrollHeight;
}

/* What the others write can be hidden; what the director says cannot. */
export const isHeard =
  ({ me }) =>
  ({ seat }) =>
    !preferences.muted || !seat || seat === me;

const said = ({ seat, to, text: words }, me) =>
  h(
    "li",
    {},
    h("b", { class: "nw" }, seat === me ? word("chat.you") : `${seat ? seatName(seat) : word("chat.director")}:`),
    to === "opponents" ? h("span", { class: "small quiet" }, ` ${word("chat.to_opponents")}`) : null,
    " ",
    h("bdi", {}, words),
  );
