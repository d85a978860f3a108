// @ts-check
// What a quotation is in the book: its kind, its line, the cells of its row.

/** @import { Passage, Span } from "./schema.js" */

import { Offsets } from "./offsets.js";

/**
 * Characters of a document, in code points.
 *
 * @typedef {{ document: string, start: number, end: number }} Place
 */
/** @typedef {Span["kind"]} Kind */
/** @typedef {Pick<Passage, "document" | "start" | "end" | "text">} PassageText */
/** @typedef {Pick<Passage, "document"> & { spans: Pick<Span, "start" | "end" | "kind">[] }} PassageSpans */

// A bar between two cells; an empty cell at either end of a row leaves half of one.
const CELL_BAR = /^\| | \| | \|$/g;

/**
 * What a range of a document is, as far as the passages say.
 *
 * @param {PassageSpans[]} passages
 * @param {Place} place
 * @returns {Kind}
 */
export function kindOf(passages, { document, start, end }) {
  for (const passage of passages) {
    if (passage.document !== document) continue;
    const holding = passage.spans.find((span) => span.start < end && start < span.end);
    if (holding) return holding.kind;
  }
  return "paragraph";
}

/**
 * Whether two ranges stand in one line of the book: of a list, in one item.
 *
 * @param {PassageText[]} passages
 * @param {Place} before
 * @param {Place} after
 */
export function isOneLine(passages, before, after) {
  const passage = passages.find((held) => holds(held, before) && holds(held, after));
  if (!passage) return false;
  const offsets = new Offsets(passage.text);
  const [from, to] = [before.end, after.start].map((point) => offsets.toUnits(point - passage.start));
  return from <= to && !passage.text.slice(from, to).includes("\n");
}

/**
 * @param {Place} outer
 * @param {Place} inner
 */
function holds(outer, inner) {
  return outer.document === inner.document && outer.start <= inner.start && inner.end <= outer.end;
}

/**
 * The cells of one line of a table, and the bars between them.
 *
 * @param {string} line
 */
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
