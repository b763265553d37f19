/* Calls, cards and contracts as they are drawn, and as they are said. */

import { h } from "./dom.js";
import { counted, word } from "./words.js";
import { isBid, side, strainOf } from "./bridge.js";

const SYMBOLS = { S: "♠", H: "♥", D: "♦", C: "♣" };

export const suit = (letter) => h("span", { class: `su su-${letter.toLowerCase()}` }, `${SYMBOLS[letter]}\ufe0e`);
export const rank = (card) => (card[1] === "T" ? "10" : card[1]);
export const seatName = (seat) => word(`seat.${seat}`);
export const sideName = (side) => word(`side.${side}`);

export const cardName = (card) => word("card", { rank: rankName(card), suit: word(`suit.${card[0]}`) });
const rankName = (card) => ("AKQJ".includes(card[1]) ? word(`rank.${card[1]}`) : rank(card));

export const callName = (call) =>
  isBid(call) ? counted(`bid.${strainOf(call)}`, Number(call[0])) : word(`call.${call}`);

const strain = (text) => (text === "NT" ? word("NT") : suit(text));

/* What stands in an auction: Pass, X, XX, 1♠, 2NT. */
export function callMark(call) {
  if (!isBid(call)) return h("span", { class: `call ${call.toLowerCase()}` }, call === "Pass" ? word("call.Pass") : call);
  const kind = strainOf(call) === "NT" ? "call nt" : "call";
  return h("span", { class: kind }, call[0], strain(strainOf(call)));
}

export const cardMark = (card) => h("span", { class: "ct" }, suit(card[0]), rank(card));

const MINUS = "−";

const ending = (over) => (over > 0 ? `+${over}` : over < 0 ? `${MINUS}${-over}` : "=");

/* 4♠X S, and with its tricks 4♠X S +1. */
export function contractMark(contract, tricks) {
  const over = tricks === undefined ? null : tricks - contract.level - 6;
  return h(
    "span",
    { class: "ct", role: "img", "aria-label": contractName(contract, tricks) },
    h("b", {}, String(contract.level), strain(contract.strain), contract.doubling),
    " ",
    h("i", {}, contract.declarer),
    over === null ? null : ` ${ending(over)}`,
  );
}

export function contractName(contract, tricks) {
  const said = word(`contract${contract.doubling}`, {
    bid: callName(`${contract.level}${contract.strain}`),
    seat: seatName(contract.declarer),
  });
  if (tricks === undefined) return said;
  const over = tricks - contract.level - 6;
  const end = over > 0 ? counted("over", over) : over < 0 ? counted("down", -over) : word("made");
  return word("ended", { contract: said, end });
}

/* A claim as whoever sits at `me` reads it. */
export function claimName({ seat, tricks, remaining }, me) {
  const who = seat === me ? "mine" : me && side(seat) === side(me) ? "partner" : "theirs";
  const parts = { seat: seatName(seat), tricks, of: remaining };
  if (tricks === remaining) return counted(`claim.${who}.all`, remaining, parts);
  return word(`claim.${who}.${tricks ? "some" : "none"}`, parts);
}

export const directorName = ({ by }) => (by ? word("director.called_by", { seat: seatName(by) }) : word("director.called"));

export function score(points) {
  return points < 0 ? `${MINUS}${-points}` : points > 0 ? `+${points}` : "0";
}

/* A playing card: to be pressed, or only to be looked at. */
export function playingCard(card, { button = true } = {}) {
  const index = (place) => h("span", { class: `ix ${place}`, "aria-hidden": "true" }, rank(card), suit(card[0]));
  const face = [index("near"), index("far")];
  const kind = `card ${card[0].toLowerCase()}`;
  const about = { class: kind, "data-card": card, "data-key": card, "aria-label": cardName(card) };
  return button
    ? h("button", { type: "button", ...about }, face)
    : h("span", { role: "img", ...about }, face);
}
