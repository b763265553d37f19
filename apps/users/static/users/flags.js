/* Whether this device draws flags: one that has none shows the letters of the country, as the page came. */

const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
pen.textBaseline = "top";
pen.font = "16px sans-serif";
pen.fillText("🇯🇵", 0, 0);
const dots = pen.getImageData(0, 0, 24, 24).data;
document.documentElement.toggleAttribute("data-flags", dots.some((red, place) => place % 4 === 0 && red !== dots[place + 1]));
