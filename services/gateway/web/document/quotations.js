// @ts-check
// What a quotation is in the book: its kind, its line, the cells of its row.

/** @import { Passage, Span } from "../schema.js" */

import { Offsets } from "../common/offsets.js";

/**
 * Characters of a document, in code points.
 *
 * @typedef {{ document: string, start: number, end: number }} Place
 */
/** @typedef {Span["kind"]} Kind */
/**
 * A paragraph, item, row or piece of code of a passage.
 *
 * @typedef {{ kind: Kind, start: number, end: number, text: string }} QuotedBlock
 */
/**
 * The part of a block that is quoted; the block is null where the passage is not known.
 *
 * @typedef {{ kind: Kind, start: number, end: number, text: string, block: QuotedBlock | null }} QuotedPiece
 */
/** @typedef {Pick<Passage, "document" | "start" | "end" | "text">} PassageText */
/**
 * A part of a document with what its pieces are: a passage is one.
 *
 * @typedef {PassageText & { spans: Pick<Span, "start" | "end" | "kind">[] }} Source
 */
/** @typedef {Pick<Passage, "document"> & { spans: Pick<Span, "start" | "end" | "kind">[] }} PassageSpans */

const MOST_OF_TERM = 60;

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
 * The passage that a place stands in whole.
 *
 * @template {Pick<Passage, "document" | "start" | "end">} Held
 * @param {Held[]} passages
 * @param {Place} place
 */
function passageOf(passages, place) {
  return passages.find((held) => holds(held, place));
}

/**
 * What a quotation is made of, in the book's own characters: paragraphs, items, rows, code. Sentences
 * of one paragraph or item are one piece, and so is all code that stands together.
 *
 * @param {Source[]} passages
 * @param {Place & { quote: string }} citation
 * @returns {QuotedPiece[]}
 */
export function piecesOf(passages, citation) {
  const passage = passageOf(passages, citation);
  const { start, end } = citation;
  const spans = passage?.spans.filter((span) => span.start < end && start < span.end) ?? [];
  if (!passage || !spans.length) return [{ kind: "paragraph", start, end, text: citation.quote, block: null }];
  const text = textOf(passage);
  const blocks = blocksOf(passage.spans, text);
  /** @type {QuotedPiece[]} */
  const pieces = [];
  for (const block of blocks) {
    const [from, to] = [Math.max(start, block.start), Math.min(end, block.end)];
    if (from < to) pieces.push({ kind: block.kind, start: from, end: to, text: text(from, to), block });
  }
  return pieces;
}

/**
 * What a sentence is made of that is its quotations, none of it for another sentence. Several of them are
 * one paragraph, unless one is an item, a row of a table, which says little without its header, or a term.
 *
 * @template {Place & { quote: string }} C
 * @param {Source[]} passages
 * @param {string} text
 * @param {C[]} citations
 * @returns {{ piece: QuotedPiece, from: C }[]}
 */
export function piecesOfSentence(passages, text, citations) {
  if (bare(citations.map(({ quote }) => quote).join("")) !== bare(text)) return [];
  const pieces = citations.flatMap((from) => piecesOf(passages, from).map((piece) => ({ piece, from })));
  const stands = pieces.some(({ piece }) => ["table", "list_item"].includes(piece.kind) || isTerm(piece.block));
  return citations.length === 1 || stands ? pieces : [];
}

/**
 * Whether a paragraph is a few words that what follows explains: "--backup" in a list of options.
 *
 * @param {QuotedBlock | null} block
 */
export function isTerm(block) {
  return block?.kind === "paragraph" && block.text.length <= MOST_OF_TERM && !/[.!?:;,…。！？：；，]$/.test(block.text);
}

/** @param {string} text */
function bare(text) {
  return text.replace(/\s+/g, "");
}

/**
 * Spans put together that are one paragraph, item, row or piece of code.
 *
 * @param {Pick<Span, "start" | "end" | "kind">[]} spans
 * @param {(start: number, end: number) => string} text
 */
function blocksOf(spans, text) {
  /** @type {QuotedBlock[]} */
  const blocks = [];
  for (const { kind, start, end } of spans) {
    const last = blocks.at(-1);
    const gap = last ? text(last.end, start) : "";
    const goesOn = last?.kind === kind && (kind === "code" ? !gap.includes("\n\n") : !gap.includes("\n"));
    if (last && goesOn && !gap.trim()) last.end = end;
    else blocks.push({ kind, start, end, text: "" });
  }
  for (const block of blocks) block.text = text(block.start, block.end);
  return blocks;
}

/**
 * What returns the characters of a range of the document.
 *
 * @param {Pick<Passage, "start" | "text">} passage
 */
function textOf({ start, text }) {
  const offsets = new Offsets(text);
  return (/** @type {number} */ from, /** @type {number} */ to) =>
    text.slice(offsets.toUnits(from - start), offsets.toUnits(to - start));
}

/**
 * Whether nothing but space stands between two ranges of a document.
 *
 * @param {PassageText[]} passages
 * @param {Place} before
 * @param {Place} after
 */
export function goesOnAt(passages, before, after) {
  if (before.document !== after.document || before.end > after.start) return false;
  const passage = passageOf(passages, { document: before.document, start: before.start, end: after.end });
  return Boolean(passage && !textOf(passage)(before.end, after.start).trim());
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
  if (!passage || before.end > after.start) return false;
  return !textOf(passage)(before.end, after.start).includes("\n");
}

/**
 * @param {Pick<Place, "document" | "start" | "end">} outer
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
