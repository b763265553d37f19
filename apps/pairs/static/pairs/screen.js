/* The list on the wall turns its own pages when it is longer than the screen, whole rows at a time. */

const EVERY = 8000;

setInterval(() => {
  const list = document.getElementById("wall-list");
  const head = list.querySelector("thead")?.offsetHeight ?? 0;
  const end = list.scrollTop + list.clientHeight;
  const next = [...list.querySelectorAll("tbody tr")].find((row) => row.offsetTop + row.offsetHeight > end);
  list.scrollTop = next ? next.offsetTop - head : 0;
}, EVERY);
