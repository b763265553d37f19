/* What a player likes: kept with the account, where there is one, and on this device. */

import { find, findAll } from "./dom.js";

const KEPT_AS = "datum.table";
const byFinger = matchMedia("(pointer: coarse)").matches;

export const preferences = { twoTapCalls: true, twoTapCards: byFinger, sounds: false, letterKeys: true, muted: false };

export function startPreferences(changed) {
  Object.assign(preferences, read(), JSON.parse(find("#settings").textContent));
  for (const box of findAll("[data-preference]")) {
    box.checked = preferences[box.dataset.preference];
    box.addEventListener("change", () => {
      preferences[box.dataset.preference] = box.checked;
      keep(box.dataset.preference);
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

function keep(name) {
  try {
    localStorage.setItem(KEPT_AS, JSON.stringify(preferences));
  } catch {
    // the choice holds until the page is left
  }
  const { account } = find("#preferences").dataset;
  const headers = { "Content-Type": "application/json", "X-CSRFToken": find("[name=csrfmiddlewaretoken]").value };
  const body = JSON.stringify({ [name]: preferences[name] });
  if (account) fetch(account, { method: "POST", headers, body, keepalive: true }).catch(() => {}); // this device has it
}
