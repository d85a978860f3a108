// The book's own words in, drawn as what they are in the book: prose, code, a row of a table, a formula.

import { element } from "./dom.js";
import { Offsets } from "./offsets.js";
import { formula, withFormulas } from "./math.js";

// A bar between two cells; an empty cell at either end of a row leaves half of one.
export const CELL_BAR = /^\| | \| | \|$/g;

// What a range of a document is, as far as the passages say.
export function kindOf(passages, { document, start, end }) {
  for (const passage of passages) {
    if (passage.document !== document) continue;
    const holding = passage.units.find((unit) => unit.start < end && start < unit.end);
    if (holding) return holding.kind;
  }
  return "paragraph";
}

// Whether two ranges stand in one line of the book: of a list, in one item.
export function isOneLine(passages, before, after) {
  const holds = ({ document, start, end }, range) =>
    document === range.document && start <= range.start && range.end <= end;
  const passage = passages.find((held) => holds(held, before) && holds(held, after));
  if (!passage) return false;
  const offsets = new Offsets(passage.text);
  const [from, to] = [before.end, after.start].map((point) => offsets.toUnits(point - passage.start));
  return from <= to && !passage.text.slice(from, to).includes("\n");
}

// Nodes for words that stand on their own; their text content is `text`.
export function quoted(text, kind) {
  switch (kind) {
    case "code":
      return [element("code", { class: "code-words" }, text)];
    case "table":
      return [rows(text)];
    case "math":
      return [formula(text, text, true)];
    default:
      return withFormulas(text);
  }
}

// The cells of one line of a table, and the bars between them.
export function splitCells(line) {
  const pieces = [];
  let at = 0;
  for (const bar of line.matchAll(CELL_BAR)) {
    pieces.push({ start: at, end: bar.index, bar: false });
    at = bar.index + bar[0].length;
    pieces.push({ start: bar.index, end: at, bar: true });
  }
  pieces.push({ start: at, end: line.length, bar: false });
  return pieces;
}

export function cellsOf(line) {
  return splitCells(line).map(({ start, end, bar }) => {
    const text = line.slice(start, end);
    if (bar) return element("span", { class: "cell-bar" }, text);
    return element("span", { class: "cell" }, ...withFormulas(text));
  });
}

function rows(text) {
  const lines = text.split("\n");
  const drawn = lines.map((line, number) =>
    element("span", { class: "row" }, ...cellsOf(line), number < lines.length - 1 ? "\n" : null),
  );
  return element("span", { class: "rows" }, ...drawn);
}
