// Text with TeX in, the same text drawn as formulas out.
//
// A formula is an element that holds its source and shows MathML in its shadow: whoever reads the
// text content, copies an offset or marks a range meets the book's own characters.

import { drawFormulas } from "./api.js";
import { element } from "./dom.js";

const TOGETHER = 200;

// Dollars as Pandoc reads them: no space inside either, no word or digit around them.
const DOLLARS = /(?<![\w\\$])(\$\$?)(?![\s$])([^$\n]*[^$\s\\])\1(?![\w$])/g;
// Prices and shell variables have dollars too; a formula has a sign of TeX, or is f(x), a letter, a number.
const FORMULA = /[\\^_{}=<>]|^[A-Za-z]('?$|\()|^-?[\d.,]+$/;

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

// Formulas made since the page was last idle, asked for together; what was drawn once is kept.
const drawn = new Map();
let waiting = [];

function draw(tex, display) {
  const key = `${display}${tex}`;
  if (!drawn.has(key)) {
    drawn.set(key, new Promise((resolve) => waiting.push({ tex, display, resolve })));
    if (waiting.length === 1) queueMicrotask(askForThem);
  }
  return drawn.get(key);
}

function askForThem() {
  const asked = waiting;
  waiting = [];
  for (let at = 0; at < asked.length; at += TOGETHER) ask(asked.slice(at, at + TOGETHER));
}

async function ask(asked) {
  const formulas = asked.map(({ tex, display }) => ({ tex, display }));
  const mathml = await drawFormulas(formulas).catch(() => []);
  asked.forEach(({ resolve }, number) => resolve(mathml[number] ?? ""));
}

// The formulas of a text: where each begins and ends in it, with its dollars, and its TeX.
export function findFormulas(text) {
  return [...text.matchAll(DOLLARS)]
    .filter(([, , tex]) => FORMULA.test(tex))
    .map((found) => ({
      start: found.index,
      end: found.index + found[0].length,
      tex: found[2],
      display: found[1] === "$$",
    }));
}

// What is not understood stays as it is written.
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

// Nodes that say `text`, its formulas drawn.
export function withFormulas(text) {
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
