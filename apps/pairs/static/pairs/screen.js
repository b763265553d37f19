/* The list on the wall turns its own pages when it is longer than the screen. */

const EVERY = 8000;

setInterval(() => {
  const list = document.getElementById("wall-list");
  const head = list.querySelector("thead")?.offsetHeight ?? 0;
  const end = list.scrollHeight - list.clientHeight;
  if (end > 1) list.scrollTop = list.scrollTop >= end - 1 ? 0 : list.scrollTop + list.clientHeight - head;
}, EVERY);
