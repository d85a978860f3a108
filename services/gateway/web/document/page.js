// @ts-check
// A document on the page: ranges of it highlighted, and what the reader has selected of it.

/** @import { CodePart, Document as BookDocument } from "../schema.js" */
/** @import { CodeRange } from "./codewords.js" */
/** @import { Surroundings } from "./inline.js" */
/** @import { Range as TextRange } from "../common/places.js" */
/** @import { FormulaPiece, Piece, TextPiece } from "./render.js" */

import { element } from "../common/dom.js";
import { Offsets } from "../common/offsets.js";
import { nothingSelected, readCode, splitCode, whenNear } from "./codewords.js";
import { Renderer } from "./render.js";

/**
 * In code points; the range is null where only the words are known, as on another site.
 *
 * @typedef {{ document: string, start: number | null, end: number | null, text: string }} TextSelection
 */

/**
 * Gets the part of a document that begins at a character, counted in code points.
 *
 * @typedef {(start: number) => Promise<BookDocument>} PartFrom
 */

export class Page {
  /**
   * @param {BookDocument} held The document, or its first part.
   * @param {Surroundings | null} around Where its links lead.
   * @param {PartFrom | null} partFrom Gets the parts that are not there yet.
   */
  constructor(held, around = null, partFrom = null) {
    this.held = { ...held, blocks: [...held.blocks], markup: [...held.markup], images: [...held.images] };
    this.offsets = new Offsets(held.text);
    this.partFrom = partFrom;
    /** @type {Promise<void> | null} */
    this.coming = null;
    this.renderer = new Renderer(this.held, this.offsets, around);
    this.article = this.renderer.article;
    this.pieces = this.renderer.pieces;
    /** @type {TextRange | null} */
    this.lit = null;
    /** @type {{ mark: HTMLElement, nodes: ChildNode[], node: Text | HTMLElement }[]} */
    this.marks = [];
    this.#draw(held);
  }

  /** Whether all of the document is there. */
  get isWhole() {
    return this.held.next_start === null || !this.partFrom;
  }

  /** Gets the next part, once for all who wait for it. */
  more() {
    this.coming ??= this.#append().finally(() => {
      this.coming = null;
    });
    return this.coming;
  }

  /** @param {() => boolean} isThere Gets parts until it holds, or there are no more. */
  async until(isThere) {
    while (!this.isWhole && !isThere()) await this.more();
  }

  async #append() {
    const { held, partFrom } = this;
    if (held.next_start === null || !partFrom) return;
    const part = await partFrom(held.next_start);
    held.text += part.text;
    held.blocks.push(...part.blocks);
    held.markup.push(...part.markup);
    held.images.push(...part.images);
    held.next_start = part.next_start;
    this.offsets.append(part.text);
    this.#draw(part);
  }

  /** @param {BookDocument} part */
  #draw(part) {
    const known = this.renderer.code.length;
    this.renderer.draw(part);
    for (const range of this.renderer.code.slice(known)) whenNear(range.place, () => this.#read(range));
  }

  /** @param {CodeRange} range */
  async #read(range) {
    const text = this.held.text.slice(range.start, range.end);
    const parts = await readCode(range.language, text);
    await nothingSelected(range.place);
    this.#colour(range, parts);
  }

  /**
   * Sets parts of code apart, each a piece of its own; what is highlighted stays so.
   *
   * @param {CodeRange} range
   * @param {CodePart[]} parts
   */
  #colour({ start, end }, parts) {
    const at = this.pieces.findIndex((piece) => piece.start === start && piece.end === end && !piece.whole);
    if (!parts.length || at < 0) return;
    const { lit } = this;
    this.clearHighlight();
    const whole = /** @type {TextPiece} */ (this.pieces[at]);
    const pieces = splitCode(whole.node, parts).map(({ node, from, to }) => ({
      ...whole,
      node,
      start: start + from,
      end: start + to,
    }));
    this.pieces.splice(at, 1, ...pieces);
    if (lit) this.highlight(lit);
  }

  /**
   * Highlights the characters of a range and returns the first mark.
   *
   * @param {TextRange} range
   */
  highlight({ start, end }) {
    this.clearHighlight();
    this.lit = { start, end };
    const from = this.offsets.toUnits(start);
    const to = this.offsets.toUnits(end);
    for (const piece of this.pieces) {
      if (!piece.gap && piece.start < to && piece.end > from) this.#mark(piece, from, to);
    }
    return this.marks.at(0)?.mark ?? null;
  }

  /**
   * @param {Piece} piece
   * @param {number} from
   * @param {number} to
   */
  #mark(piece, from, to) {
    if (piece.whole) this.#markFormula(piece);
    else this.#markText(piece, from, to);
  }

  /**
   * A formula is highlighted as a whole: half of one could not be read.
   *
   * @param {FormulaPiece} piece
   */
  #markFormula({ node }) {
    const mark = element("mark", { tabindex: "-1" });
    node.replaceWith(mark);
    mark.append(node);
    this.marks.push({ mark, nodes: [mark], node });
  }

  /**
   * @param {TextPiece} piece
   * @param {number} from
   * @param {number} to
   */
  #markText(piece, from, to) {
    const start = Math.max(from, piece.start) - piece.start;
    const end = Math.min(to, piece.end) - piece.start;
    const text = piece.node.data;
    const mark = element("mark", { tabindex: "-1" }, text.slice(start, end));
    const parts = [text.slice(0, start), mark, text.slice(end)].filter((part) => part !== "");
    if (parts.length === 1 && piece.node.parentElement?.childNodes.length === 1) mark.classList.add("whole");
    const nodes = parts.map((part) => (typeof part === "string" ? document.createTextNode(part) : part));
    piece.node.replaceWith(...nodes);
    this.marks.push({ mark, nodes, node: piece.node });
  }

  clearHighlight() {
    for (const { nodes, node } of this.marks) {
      nodes[0].before(node);
      for (const gone of nodes) gone.remove();
    }
    this.marks = [];
    this.lit = null;
  }

  /**
   * What the reader has selected of this page, in code points, without the space around it.
   *
   * @returns {TextSelection | null}
   */
  selected() {
    const selection = getSelection();
    if (!selection?.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    if (!range.intersectsNode(this.article)) return null;
    const whole = document.createRange();
    whole.selectNodeContents(this.article);
    const first = range.compareBoundaryPoints(Range.START_TO_START, whole) > 0;
    const last = range.compareBoundaryPoints(Range.END_TO_END, whole) < 0;
    let start = first ? this.#unitsBefore(range.startContainer, range.startOffset) : 0;
    let end = last ? this.#unitsBefore(range.endContainer, range.endOffset) : this.held.text.length;
    const text = this.held.text;
    while (start < end && !text[start].trim()) start += 1;
    while (end > start && !text[end - 1].trim()) end -= 1;
    if (start >= end) return null;
    return {
      document: this.held.path,
      start: this.offsets.toPoints(start),
      end: this.offsets.toPoints(end),
      text: text.slice(start, end),
    };
  }

  /**
   * @param {Node} container
   * @param {number} offset
   */
  #unitsBefore(container, offset) {
    const before = document.createRange();
    before.setStart(this.article, 0);
    before.setEnd(container, offset);
    return before.toString().length;
  }

  /**
   * @param {string} anchor
   * @returns {HTMLElement | null}
   */
  headingOf(anchor) {
    return this.article.querySelector(`[data-anchor="${CSS.escape(anchor)}"]`);
  }
}
