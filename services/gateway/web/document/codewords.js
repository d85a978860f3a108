// @ts-check
// Code: its keywords, strings and comments set apart, and a button that copies it.

/** @import { Code, CodePart } from "../schema.js" */

import { readPieces } from "../common/api.js";
import { copy } from "../common/clipboard.js";
import { element } from "../common/dom.js";
import { t } from "../common/language.js";

/**
 * Code of a document, in UTF-16 units of its text.
 *
 * @typedef {{ place: Element, language: string, start: number, end: number }} CodeRange
 */
/** @typedef {{ code: Code, resolve: (parts: CodePart[]) => void }} Wanted */

const TOGETHER = 50;
const MOST_TOGETHER = 40000;
const LONGEST = 20000;
const MOST_PARTS = 3000;
const SAID_MS = 2000;
/** Before a reader comes to code, and so that nothing is asked of what nobody looks at. */
const NEAR = "300px";

/**
 * Code that was drawn since the page was last idle, asked for together.
 *
 * @type {Wanted[]}
 */
let waiting = [];

/** @type {WeakMap<Element, () => unknown>} */
const awaited = new WeakMap();
const comers = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      comers.unobserve(target);
      awaited.get(target)?.();
    }
  },
  { rootMargin: NEAR },
);

/**
 * Does it once, when the reader comes near.
 *
 * @param {Element} place
 * @param {() => unknown} act
 */
export function whenNear(place, act) {
  awaited.set(place, act);
  comers.observe(place);
}

/**
 * Waits until nothing in `place` is selected: words that are parted are selected no more.
 *
 * @param {Element} place
 */
export async function nothingSelected(place) {
  const selection = document.getSelection();
  while (selection && !selection.isCollapsed && selection.containsNode(place, true)) {
    await new Promise((resolve) => document.addEventListener("selectionchange", resolve, { once: true }));
  }
}

/**
 * The parts of code that stand out, in code points; none where they can't be told.
 *
 * @param {string} language
 * @param {string} text
 * @returns {Promise<CodePart[]>}
 */
export function readCode(language, text) {
  if (!text || text.length > LONGEST || language.length > 40) return Promise.resolve([]);
  return new Promise((resolve) => {
    waiting.push({ code: { language, text }, resolve });
    if (waiting.length === 1) queueMicrotask(askForThem);
  });
}

function askForThem() {
  const asked = waiting;
  waiting = [];
  for (let at = 0; at < asked.length; ) {
    let end = at;
    let size = 0;
    while (end < asked.length && end - at < TOGETHER && (size += asked[end].code.text.length) <= MOST_TOGETHER) end += 1;
    ask(asked.slice(at, end));
    at = end;
  }
}

/** @param {Wanted[]} asked */
async function ask(asked) {
  const read = await readPieces(asked.map(({ code }) => code)).catch(() => /** @type {CodePart[][]} */ ([]));
  asked.forEach(({ resolve }, number) => {
    const parts = read[number] ?? [];
    resolve(parts.length > MOST_PARTS ? [] : parts);
  });
}

/**
 * Replaces a text by nodes with the same characters, its parts in elements of their kinds; offsets are
 * in UTF-16 units.
 *
 * @param {Text} node
 * @param {CodePart[]} parts
 */
export function splitCode(node, parts) {
  const points = [...node.data];
  /** @type {{ node: Text, from: number, to: number }[]} */
  const pieces = [];
  /** @type {Node[]} */
  const shown = [];
  let [at, units] = [0, 0];
  const add = (/** @type {number} */ end, /** @type {string} */ kind) => {
    if (end <= at) return;
    const made = document.createTextNode(points.slice(at, end).join(""));
    shown.push(kind ? element("span", { class: `code-${kind}` }, made) : made);
    pieces.push({ node: made, from: units, to: units + made.length });
    [at, units] = [end, units + made.length];
  };
  for (const { start, end, kind } of parts) {
    if (start < at) continue;
    add(start, "");
    add(Math.min(end, points.length), kind);
  }
  add(points.length, "");
  node.replaceWith(...shown);
  return pieces;
}

/**
 * A button without characters of its own: what is around it keeps its text.
 *
 * @param {() => string} textOf
 */
export function copyButton(textOf) {
  const button = element("button", {
    class: "copy-code",
    type: "button",
    "aria-label": t("document.copy-code"),
    "data-words": t("document.copy"),
    "data-done": t("document.copied"),
  });
  button.addEventListener("click", async () => {
    if (!(await copy(textOf(), t("document.code-copied")))) return;
    button.dataset.state = "copied";
    setTimeout(() => delete button.dataset.state, SAID_MS);
  });
  return button;
}
