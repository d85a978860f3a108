// Text with TeX in, the same text drawn as formulas out.
//
// A formula is an element that holds its source and shows MathML in its shadow: whoever reads the
// text content, copies an offset or marks a range meets the book's own characters.

import { element } from "./dom.js";

const LIBRARY = "/static/vendor/temml/temml.min.js";

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
  }`,
);

let library = null;

function load() {
  library ??= new Promise((resolve) => {
    const script = element("script", {
      src: LIBRARY,
      onload: () => resolve(globalThis.temml),
      onerror: () => resolve(null),
    });
    document.head.append(script);
  });
  return library;
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

// What the library does not understand stays as it is written.
export function formula(source, tex, display = false) {
  const made = element("span", { class: display ? "tex display" : "tex", tabindex: "-1" }, source);
  load().then((temml) => {
    if (!temml) return;
    const drawn = document.createElement("span");
    try {
      temml.render(tex, drawn, { displayMode: display, throwOnError: true });
    } catch {
      return;
    }
    const shadow = made.attachShadow({ mode: "open" });
    shadow.adoptedStyleSheets = [FONT];
    shadow.append(...drawn.childNodes);
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
