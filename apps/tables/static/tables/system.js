/* What a call means by the house system: at a table with robots a player reads what his robot partner says, and what his own
   call will say to it. It follows from the calls alone, so each is asked of the server once. */

import { find } from "./dom.js";

const known = new Map();

const hasRobots = ({ seats, table }) => table.casual && Object.values(seats).some((person) => person?.robot);

/* A robot keeps to the house system, which everybody may read: its partner, too. */
export const keepsToSystem = ({ seats, table }, { seat, call }) =>
  Boolean(table.casual && seats[seat]?.robot) && call !== "Pass";

/* Of the last of these calls; null until it is there, and where no robot sits. The page is drawn again when it comes. */
export function systemMeaning({ view, redraw }, calls) {
  const { system } = find("#table").dataset;
  if (!system || !hasRobots(view)) return null;
  const { dealer, vulnerable } = view.board;
  const asked = new URLSearchParams({ dealer, vulnerable, calls: calls.join(" ") }).toString();
  if (!known.has(asked)) {
    known.set(asked, null);
    ask(`${system}?${asked}`).then((meaning) => {
      known.set(asked, meaning);
      redraw();
    });
  }
  return known.get(asked);
}

async function ask(address) {
  try {
    const answer = await fetch(address, { headers: { Accept: "application/json" } });
    return answer.ok ? (await answer.json()).meaning : null;
  } catch {
    return null; // the line is lost, and the page says so elsewhere
  }
}
