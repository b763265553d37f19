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
    if (!text.value.trim()) return;
    table.send({ act: "chat", to: find("#chat-to").value, text: text.value.trim() });
    text.value = "";
  });
}

export function drawChat({ view }) {
  const to = view.ask.chat ?? [];
  form.hidden = !to.length;
  find("#chat").hidden = !to.length && !view.chat.length;
  for (const choice of find("#chat-to").options) choice.hidden = choice.disabled = !to.includes(choice.value);
  if (to.length && !to.includes(find("#chat-to").value)) find("#chat-to").value = to[0];
  const log = find("#chat-log");
  const lines = preferences.muted ? view.chat.filter((each) => each.seat === view.me) : view.chat;
  find("#chat-empty").hidden = lines.length > 0;
  if (fill(log, lines, () => lines.map((each) => said(each, view.me)))) log.scrollTop = log.scrollHeight;
}

const said = ({ seat, to, text: words }, me) =>
  h(
    "li",
    {},
    h("b", { class: "nw" }, seat === me ? word("chat.you") : `${seat ? seatName(seat) : word("chat.director")}:`),
    to === "opponents" ? h("span", { class: "small quiet" }, ` ${word("chat.to_opponents")}`) : null,
    " ",
    h("bdi", {}, words),
  );
