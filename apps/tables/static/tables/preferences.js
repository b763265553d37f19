/* What a player likes on this device. */

import { findAll } from "./dom.js";

const KEPT_AS = "datum.table";
const byFinger = matchMedia("(pointer: coarse)").matches;

export const preferences = { twoTapCalls: true, twoTapCards: byFinger, sounds: false, letterKeys: true, muted: false };

export function startPreferences(changed) {
  Object.assign(preferences, read());
  for (const box of findAll("[data-preference]")) {
    box.checked = preferences[box.dataset.preference];
    box.addEventListener("change", () => {
      preferences[box.dataset.preference] = box.checked;
      keep();
      changed();
    });
  }
}

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEPT_AS)) ?? {};
  } catch {
    return {}; // a browser that keeps nothing
  }
}

function keep() {
  try {
    localStorage.setItem(KEPT_AS, JSON.stringify(preferences));
  } catch {
    // the choice holds until the page is left
  }
}
