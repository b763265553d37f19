/* What the page needs to know about bridge: seats and sides, the order of cards, what a call is. The server judges. */

export const SEATS = "NESW";
export const SUITS = "SHDC";
export const RANKS = "AKQJT98765432";
const PLACES = ["bottom", "left", "top", "right"];

const turned = (seat, by) => SEATS[(SEATS.indexOf(seat) + by) % 4];
export const left = (seat) => turned(seat, 1);
export const partner = (seat) => turned(seat, 2);
export const side = (seat) => ("NS".includes(seat) ? "NS" : "EW");
export const isVulnerable = (board, seat) => board.vulnerable === "Both" || board.vulnerable === side(seat);

export const freeSeats = (view) => [...SEATS].filter((seat) => !view.seats[seat]);

/* Where a seat is on the screen of whoever sits at the bottom. */
export const placeOf = (seat, bottom) => PLACES[(SEATS.indexOf(seat) - SEATS.indexOf(bottom) + 4) % 4];

/* Who is to answer a claim or a wish to take something back; until then nobody calls or plays. */
export const toAnswer = (board) => (board?.claim ?? board?.undo)?.waits_for;

export const isBid = (call) => "1234567".includes(call[0]);
export const strainOf = (bid) => bid.slice(1);

/* Trumps first, then black and red in turn. */
const ORDERS = { S: "SHCD", H: "HSDC", D: "DCHS", C: "CDSH" };
export const suitsInOrder = (trump) => ORDERS[trump] ?? "SHCD";

export const bySuit = (cards, suit) =>
  cards.filter((card) => card[0] === suit).sort((a, b) => RANKS.indexOf(a[1]) - RANKS.indexOf(b[1]));

/* The cards of a seat that the viewer may see. */
export const seen = (board, seat) => board.hands[seat].cards ?? [];

/* The cards of a trick with their seats, the leader's first. */
export const withSeats = (trick) => trick.cards.map((card, index) => ({ card, seat: turned(trick.leader, index) }));

export const tricksPlayed = (board) => board.tricks_won.NS + board.tricks_won.EW;
