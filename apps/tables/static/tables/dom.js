/* Elements in few words, and places that are filled again only when what they show has changed. */

export const find = (selector, within = document) => within.querySelector(selector);
export const findAll = (selector, within = document) => [...within.querySelectorAll(selector)];

/* h("button", {class: "btn", onclick: press}, "Press"): a value that is false or missing leaves its attribute out. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function mark(element, attribute, on) {
  if (on) element.setAttribute(attribute, "true");
  else element.removeAttribute(attribute);
}

const drawn = new WeakMap();

/* Fill a place with what `make` gives, unless it shows this state already; the focus stays where it was. */
export function fill(place, state, make) {
  const key = JSON.stringify(state);
  if (drawn.get(place) === key) return false;
  drawn.set(place, key);
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  place.replaceChildren(...[make()].flat().filter(Boolean));
  if (focused) find(`[data-key="${CSS.escape(focused)}"]`, place)?.focus();
  return true;
}
