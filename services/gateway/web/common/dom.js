// @ts-check
// Elements from data. Text is always a text node: nothing a book or a reader says becomes markup.

/** @typedef {string | number | boolean | null | undefined | (() => unknown)} Attribute */
/**
 * Where the widget lives; the page lives in the document.
 *
 * @type {ShadowRoot | null}
 */
let shadow = null;

/** @typedef {Node | string | null | undefined} Child */

/**
 * A function is what happens on the event that the name says; false, null and undefined leave the
 * attribute out.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, Attribute>} attributes
 * @param {Child[]} children
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), () => value());
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) {
      made.setAttribute(name, String(value));
    }
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** @param {ShadowRoot} root */
export function liveIn(root) {
  shadow = root;
}

/** Whether these are the parts of Quoth's own page. */
export function isWholePage() {
  return shadow === null;
}

/**
 * What holds the parts of the page, or of the widget.
 *
 * @returns {Document | ShadowRoot}
 */
export function home() {
  return shadow ?? document;
}

/**
 * What is selected, in the widget's shadow too.
 *
 * @returns {Selection | null}
 */
export function selectionHere() {
  const root = /** @type {{ getSelection?: () => Selection | null }} */ (home());
  return root.getSelection ? root.getSelection() : getSelection();
}

/**
 * The element of index.html, or of the widget, that has this id.
 *
 * @template {HTMLElement} [Found=HTMLElement]
 * @param {string} id
 * @param {new () => Found} [type]
 * @returns {Found}
 */
export function byId(id, type) {
  const found = home().getElementById(id);
  if (!(found instanceof (type ?? HTMLElement))) throw new TypeError(`The page has no such #${id}.`);
  return /** @type {Found} */ (found);
}

/**
 * The elements within `parent` that a selector names.
 *
 * @param {ParentNode} parent
 * @param {string} selector
 * @returns {Iterable<HTMLElement>}
 */
export function all(parent, selector) {
  return parent.querySelectorAll(selector);
}

/**
 * Tells those who do not see the page what has just happened.
 *
 * @param {string} text
 */
export function announce(text) {
  byId("announcement").textContent = text;
}

export function prefersStillness() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Scrolls `box` until `part` of it is seen. Unlike scrollIntoView this leaves Tab where the reader is.
 *
 * @param {Element} part
 * @param {Element} box
 */
export function reveal(part, box) {
  const room = box.getBoundingClientRect();
  const { top, bottom } = part.getBoundingClientRect();
  if (top < room.top) box.scrollTop += top - room.top;
  else if (bottom > room.bottom) box.scrollTop += Math.min(bottom - room.bottom, top - room.top);
}
