// Elements from data. Text is always a text node: nothing a book or a reader says becomes markup.

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export function byId(id) {
  return document.getElementById(id);
}

export function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

// Tells those who do not see the page what has just happened.
export function announce(text) {
  byId("announcement").textContent = text;
}

export function prefersStillness() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

// Scrolls `box` until `part` of it is seen. Unlike scrollIntoView this leaves Tab where the reader is.
export function reveal(part, box) {
  const room = box.getBoundingClientRect();
  const { top, bottom } = part.getBoundingClientRect();
  if (top < room.top) box.scrollTop += top - room.top;
  else if (bottom > room.bottom) box.scrollTop += Math.min(bottom - room.bottom, top - room.top);
}
