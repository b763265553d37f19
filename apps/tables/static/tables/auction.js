/* The auction as a table; a call tells its meaning, or asks for it, when it is pressed. */

import { fill, find, h } from "./dom.js";
import { inReadersWords, sentence, word } from "./words.js";
import { isVulnerable, side } from "./bridge.js";
import { keepsToSystem, systemMeaning } from "./system.js";
import { callMark, callName, seatName } from "./notation.js";

const COLUMNS = "WNES";

export function drawAuction(table) {
  const { view, pending, reads } = table;
  const { board } = view;
  const isBidding = board?.phase === "auction";
  const home = find(isBidding ? "#auction-middle" : "#auction-side");
  const auction = find("#auction");
  if (auction.parentElement !== home) home.append(auction);
  find("#auction-middle").hidden = !isBidding;
  find("#auction-note").hidden = !board?.calls.length || isBidding;
  if (!board) return;
  fill(find("thead tr", auction), [board.vulnerable, board.dealer], () => heads(board));
  const state = [board.board, board.calls, board.phase, board.may, pending?.call, reads];
  if (fill(find("tbody", auction), state, () => rows(table))) {
    const scroll = find(".scroll", auction);
    scroll.scrollTop = scroll.scrollHeight;
  }
  drawMeaning(table);
}

const heads = (board) =>
  [...COLUMNS].map((seat) =>
    h(
      "th",
      { scope: "col", class: isVulnerable(board, seat) ? "v" : null },
      h("span", { class: board.dealer === seat ? "deals" : null, "aria-hidden": "true" }, word(`letter.${seat}`)),
      h("span", { class: "vh" }, `${seatName(seat)}${isVulnerable(board, seat) ? `, ${word("vulnerable")}` : ""}`),
    ),
  );

function rows(table) {
  const { board } = table.view;
  const pending = table.pending?.call;
  const cells = [
    ...Array.from({ length: COLUMNS.indexOf(board.dealer) }, () => h("td")),
    ...board.calls.map((each, place) => cell(each, place, table)),
  ];
  if (pending) cells.push(h("td", { class: "sent" }, callMark(pending)));
  else if (board.phase === "auction") cells.push(h("td", { class: "turn" }, "?"));
  while (cells.length % 4) cells.push(h("td"));
  return Array.from({ length: cells.length / 4 }, (_, row) => h("tr", {}, cells.slice(4 * row, 4 * row + 4)));
}

function cell(each, place, table) {
  const drawn = [callMark(each.call)];
  if (each.alert) drawn.push(h("span", { class: "al", role: "img", "aria-label": word("alerted") }, "!"));
  if (each.asked) drawn.push(h("span", { class: "al", role: "img", "aria-label": word("asked") }, "?"));
  if (!canPress(each, table.view)) return h("td", {}, drawn);
  const name = word("call_by", { call: callName(each.call), seat: seatName(each.seat) });
  const about = [name, each.alert && word("alerted"), each.asked && word("asked"), inReadersWords(each.text)].filter(Boolean);
  return h(
    "td",
    {},
    h(
      "button",
      {
        type: "button",
        class: "told",
        "data-key": `call-${place}`,
        "aria-label": about.join(", "),
        "aria-pressed": String(table.reads === place),
        onclick: () => press(each, place, table),
      },
      drawn,
    ),
  );
}

/* What an opponent called may be asked, what I called may be explained, and what has a text may be read again. */
function canPress(each, view) {
  const [{ seat, text }, { me, board }] = [each, view];
  if (text || keepsToSystem(view, each)) return true;
  if (seat === me) return board.may.includes("explain");
  return board.may.includes("ask") && side(seat) !== side(me);
}

function press(each, place, table) {
  const { seat, text, asked } = each;
  table.change({ reads: table.reads === place ? null : place });
  if (seat === table.view.me) find("#explain-text").focus();
  else if (keepsToSystem(table.view, each)) return;
  else if (!text && !asked) table.send({ act: "ask", place });
}

/* Under the auction: what the call says that I have chosen and not made yet, where a robot is to understand it; the meaning
   that is being read; else that of the last call that has one. */
function drawMeaning(table) {
  const place = find("#meaning");
  const shown = chosen(table) ?? told(table);
  place.hidden = !shown;
  if (!shown) return;
  const { key, seat, call, text } = shown;
  fill(place, [table.view.board.board, shown], () =>
    sentence(key, { seat: seat && seatName(seat), call: callMark(call), text: inReadersWords(text) }),
  );
}

const madeUpTo = ({ calls }, place) => calls.slice(0, place).map(({ call }) => call);

function chosen(table) {
  const { view, picked } = table;
  const { board } = view;
  if (!picked || !board.legal_calls?.includes(picked)) return null;
  const text = systemMeaning(table, [...madeUpTo(board, board.calls.length), picked]);
  return text ? { key: "system.says", call: picked, text } : null;
}

function told(table) {
  const { view, reads } = table;
  const { board, me } = view;
  const hasWords = (each) => each.text || keepsToSystem(view, each);
  const index = board.calls[reads] ? reads : board.calls.findLastIndex(hasWords);
  const each = board.calls[index];
  if (!each || (!each.text && each.seat === me)) return null;
  const { seat, call, text, asked } = each;
  if (text) return { key: "meaning.is", seat, call, text };
  const meaning = keepsToSystem(view, each) ? systemMeaning(table, madeUpTo(board, index + 1)) : null;
  if (meaning) return { key: "meaning.system", seat, call, text: meaning };
  return { key: asked ? "meaning.asked" : "meaning.none", seat, call, text };
}
