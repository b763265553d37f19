/* Where a browser does not know `scroll-initial-target`: the page's own tab is in view, and nothing but its bar moves. */

function reveal() {
  for (const tab of document.querySelectorAll(".tabs [aria-current], .nav [aria-current]")) {
    const [bar, own] = [tab.parentElement.getBoundingClientRect(), tab.getBoundingClientRect()];
    if (own.left < bar.left || own.right > bar.right) tab.parentElement.scrollLeft += own.left - bar.left - (bar.width - own.width) / 2;
  }
}

reveal();
document.body.addEventListener("htmx:afterSwap", reveal);
