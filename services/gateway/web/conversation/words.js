// @ts-check
// Draws the book's own words as what they are in the book: prose, code, a row of a table, a formula.

/** @import { Kind } from "../document/quotations.js" */

import { element } from "../common/dom.js";
import { formula, withFormulas } from "../common/math.js";
import { splitCells } from "../document/quotations.js";

/**
 * Nodes for words that stand on their own; their text content is `text`.
 *
 * @param {string} text
 * @param {Kind} kind
 * @returns {Node[]}
 */
export function drawWords(text, kind) {
  switch (kind) {
    case "code":
      return [element("code", { class: "code-words" }, text)];
    case "table":
      return [drawRows(text)];
    case "math":
      return [formula(text, text, true)];
    default:
      return withFormulas(text);
  }
}

/**
 * The cells of one line of a table, and the bars between them.
 *
 * @param {string} line
 */
export function drawCells(line) {
  return splitCells(line).map(({ start, end, bar }) => {
    const text = line.slice(start, end);
    if (bar) return element("span", { class: "cell-bar" }, text);
    return element("span", { class: "cell" }, ...withFormulas(text));
  });
}

/** @param {string} text */
function drawRows(text) {
  const lines = text.split("\n");
  const drawn = lines.map((line, number) =>
    element("span", { class: "row" }, ...drawCells(line), number < lines.length - 1 ? "\n" : null),
  );
  return element("span", { class: "rows" }, ...drawn);
}
