/* The reader's own hour beside that of the event, where the two differ. */
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/* Pages that write times for who has chosen no zone ask for the browser's (`apps/users/middleware.py`). */
const secure = location.protocol === "https:" ? "; secure" : "";
if (zone) document.cookie = `zone=${zone}; path=/; max-age=31536000; samesite=lax${secure}`;

function localise() {
  for (const place of document.querySelectorAll("[data-yours]")) {
    const at = new Date(place.dataset.yours);
    const asIn = (timeZone) => at.toLocaleString("sv-SE", { timeZone });
    if (!zone || asIn(zone) === asIn(place.dataset.zone)) continue;
    const hour = at.toLocaleTimeString("sv-SE", { hour: "2-digit", minute: "2-digit" });
    const day = asIn(zone).slice(0, 10) === asIn(place.dataset.zone).slice(0, 10) ? "" : `${asIn(zone).slice(0, 10)} `;
    place.textContent = ` = ${day}${hour} ${zone}`;
  }
}

localise();
document.body.addEventListener("htmx:afterSwap", localise);
