/* The parts of a page that are marked data-live fetch themselves, and clocks count down by the site's clock.

   No clock of the browser is asked: what counts is how long ago the site said what time it is there. */

const EVERY = 2500;
let ahead = 0; // the site's clock less this page's own running time, both in milliseconds

function hear(text, heardAt = performance.now()) {
  const said = Date.parse(text ?? "");
  if (!Number.isNaN(said)) ahead = said - heardAt;
}

const siteTime = () => performance.now() + ahead;

function shown(seconds, days) {
  if (seconds >= 86400) {
    const hours = Math.floor((seconds % 86400) / 3600);
    return days.replace("%(days)s", Math.floor(seconds / 86400)).replace("%(hours)s", hours);
  }
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function count() {
  for (const clock of document.querySelectorAll(".clock[data-until]")) {
    const seconds = Math.max(0, Math.floor((Date.parse(clock.dataset.until) - siteTime()) / 1000));
    write(clock, shown(seconds, clock.dataset.days));
    clock.parentElement.classList.toggle("late", seconds < 60);
  }
  for (const bar of document.querySelectorAll("progress[data-until]")) {
    const [since, until] = [Date.parse(bar.dataset.since), Date.parse(bar.dataset.until)];
    bar.value = Math.min(100, Math.max(0, (100 * (siteTime() - since)) / (until - since)));
  }
}

let lastSaid = document.querySelector("[data-say]")?.dataset.say ?? "";

function announce() {
  const say = document.querySelector("[data-say]")?.dataset.say ?? "";
  if (say === lastSaid) return;
  lastSaid = say;
  const place = document.getElementById("said-now");
  if (place) place.textContent = say;
}

function poll() {
  if (document.hidden) return;
  for (const part of document.querySelectorAll("[data-live][hx-get]")) htmx.trigger(part, "poll");
}

let openDetails = [];

document.body.addEventListener("htmx:beforeSwap", () => {
  openDetails = [...document.querySelectorAll("details[open][id]")].map((details) => details.id);
});
document.body.addEventListener("htmx:afterSwap", () => {
  for (const id of openDetails) document.getElementById(id)?.setAttribute("open", "");
  count();
  announce();
});
document.body.addEventListener("htmx:afterRequest", ({ detail }) => {
  hear(detail.xhr.getResponseHeader("Datum-Now"));
  const lost = document.getElementById("lost");
  if (lost) lost.hidden = detail.xhr.status !== 0 && detail.xhr.status < 500;
});
document.addEventListener("visibilitychange", poll);

const [page] = performance.getEntriesByType("navigation");
const arrived = document.querySelector("[data-now]");
hear(arrived?.dataset.now, page?.responseStart || performance.now());
count();
setInterval(count, 250);
setInterval(poll, EVERY);
