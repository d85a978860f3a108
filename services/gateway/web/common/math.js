// @ts-check
// Draws TeX as formulas.
//
// A formula is an element that holds its source and shows MathML in its shadow: whoever reads the
// text content, copies an offset or selects a range meets the book's own characters.

import { drawFormulas } from "./api.js";
import { element } from "./dom.js";
import { findFormulas } from "./formulas.js";

/** @typedef {{ tex: string, display: boolean, resolve: (mathml: string) => void }} Wanted */

const TOGETHER = 200;

// Only a font for mathematics has brackets and roots that grow.
const FONT = new CSSStyleSheet();
FONT.replaceSync(
  `math {
    font-family: "STIX Two Math", "Latin Modern Math", "Cambria Math", "Libertinus Math",
      "Asana Math", "DejaVu Math TeX Gyre", math;
  }
  mtd.left { text-align: left; padding-left: 0; }
  mtd.right { text-align: right; padding-right: 0; }`,
);

/**
 * What was drawn once is kept.
 *
 * @type {Map<string, Promise<string>>}
 */
const drawn = new Map();
/**
 * Formulas made since the page was last idle, asked for together.
 *
 * @type {Wanted[]}
 */
let waiting = [];

/**
 * @param {string} tex
 * @param {boolean} display
 * @returns {Promise<string>}
 */
function draw(tex, display) {
  const key = `${display}${tex}`;
  const known = drawn.get(key);
  if (known) return known;
  /** @type {Promise<string>} */
  const mathml = new Promise((resolve) => waiting.push({ tex, display, resolve }));
  drawn.set(key, mathml);
  if (waiting.length === 1) queueMicrotask(askForThem);
  return mathml;
}

function askForThem() {
  const asked = waiting;
  waiting = [];
  for (let at = 0; at < asked.length; at += TOGETHER) ask(asked.slice(at, at + TOGETHER));
}

/** @param {Wanted[]} asked */
async function ask(asked) {
  const formulas = asked.map(({ tex, display }) => ({ tex, display }));
  const mathml = await drawFormulas(formulas).catch(() => /** @type {string[]} */ ([]));
  asked.forEach(({ resolve }, number) => resolve(mathml[number] ?? ""));
}

/**
 * What is not understood stays as it is written.
 *
 * @param {string} source
 * @param {string} tex
 */
export function formula(source, tex, display = false) {
  const made = element("span", { class: display ? "tex display" : "tex", tabindex: "-1" }, source);
  draw(tex, display).then((mathml) => {
    if (!mathml) return;
    const [math] = new DOMParser().parseFromString(mathml, "text/html").body.children;
    const shadow = made.attachShadow({ mode: "open" });
    shadow.adoptedStyleSheets = [FONT];
    shadow.append(document.importNode(math, true));
    made.classList.add("drawn");
  });
  return made;
}

/**
 * Nodes that say `text`, its formulas drawn.
 *
 * @param {string} text
 */
export function withFormulas(text) {
  /** @type {Node[]} */
  const nodes = [];
  let at = 0;
  for (const { start, end, tex, display } of findFormulas(text)) {
    if (start > at) nodes.push(document.createTextNode(text.slice(at, start)));
    nodes.push(formula(text.slice(start, end), tex, display));
    at = end;
  }
  if (at < text.length) nodes.push(document.createTextNode(text.slice(at)));
  return nodes;
}
