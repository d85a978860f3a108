// @ts-check
// Draws a document as an article whose text content is the canonical text exactly.
//
// What the text has no characters for (list markers, names of admonitions) is drawn by the style
// sheet; what the text has but the page draws otherwise (bars between cells, the source of formulas)
// is there, hidden. So an offset of the article is an offset of the text.

/** @import { Surroundings } from "./inline.js" */
/** @import { Block, Document as BookDocument, Markup } from "../schema.js" */
/** @import { CodeRange } from "./codewords.js" */

import { directionOf, lineDirection } from "../common/direction.js";
import { element } from "../common/dom.js";
import { t } from "../common/language.js";
import { findFormulas } from "../common/formulas.js";
import { formula } from "../common/math.js";
import { Offsets } from "../common/offsets.js";
import { joinBox, nameOfNote } from "./boxes.js";
import { copyButton } from "./codewords.js";
import { Columns, isOfCell } from "./columns.js";
import { Figures } from "./figures.js";
import { callPages, elementFor, isWrittenOut, pageBegin, writtenAround } from "./inline.js";
import { splitCells } from "./quotations.js";

/**
 * A stretch of the text, in UTF-16 units, and the node that shows it. A gap is never highlighted; a
 * formula only as a whole.
 *
 * @typedef {{ node: Text, start: number, end: number, gap: boolean, whole: false }} TextPiece
 * @typedef {{ node: HTMLElement, start: number, end: number, gap: false, whole: true }} FormulaPiece
 * @typedef {TextPiece | FormulaPiece} Piece
 */

/**
 * Markup whose range is in UTF-16 units, and as it was held.
 *
 * @typedef {{ start: number, end: number, markup: Markup }} PlacedMarkup
 */

export class Renderer {
  /**
   * @param {BookDocument} held
   * @param {Offsets} offsets
   * @param {Surroundings | null} around Where the links of the document lead; null for nowhere.
   */
  constructor(held, offsets, around = null) {
    this.held = held;
    this.offsets = offsets;
    this.around = around;
    this.figures = new Figures(held);
    /** @type {CodeRange[]} Code in a language that the book names. */
    this.code = [];
    /** @type {PlacedMarkup[]} Of the part that is drawn. */
    this.markup = [];
    /** The first markup that is not drawn yet: blocks are drawn in their order. */
    this.next = 0;
    /** Where in the text the last block that is drawn ends. */
    this.at = 0;
    /** @type {HTMLUListElement | null} The list that it is in. */
    this.list = null;
    /** @type {Block | null} */ this.before = null;
    this.pageNumber = 0;
    /** @type {Piece[]} */
    this.pieces = [];
    this.article = element("article", { class: "page", dir: directionOf(held.text) });
    this.anchors = new Map(held.sections.map((section) => [section.start, section.anchor]));
  }

  /**
   * Draws a part of the document behind those that are drawn, its text being held.
   *
   * @param {BookDocument} part
   */
  draw(part) {
    const { offsets } = this;
    this.figures = new Figures(part);
    this.next = 0;
    this.markup = part.markup
      .filter((one) => one.kind !== "page_label" && !this.figures.takes(one))
      .map((one) => ({ start: offsets.toUnits(one.start), end: offsets.toUnits(one.end), markup: one }));
    for (const block of part.blocks) this.#next(block);
    callPages(this.article, part);
    if (part.next_start === null) this.#gap(this.article, this.at, this.held.text.length);
  }

  /** @param {Block} block */
  #next(block) {
    const { article, figures, before } = this;
    const start = this.offsets.toUnits(block.start);
    const end = this.offsets.toUnits(block.end);
    if (block.kind !== "list_item") this.list = null;
    this.#gap(this.list ?? article, this.at, start);
    if (block.kind === "list_item") {
      // A picture before the first item stands before the list, as far as anybody can tell.
      const isFirst = !this.list;
      if (isFirst) article.append(...figures.before(block));
      this.list ??= article.appendChild(element("ul", { role: "list" }));
      const item = this.list.appendChild(this.#listItem(block, start, end));
      if (!isFirst) item.prepend(...figures.before(block));
      item.append(...figures.behind(block));
      this.pageNumber = beginPage(item, block.page, this.pageNumber);
    } else {
      article.append(...figures.before(block));
      const made = article.appendChild(this.#block(block, start, end));
      article.append(...figures.behind(block));
      this.pageNumber = beginPage(made, block.page, this.pageNumber);
      joinBox(made, block, before);
    }
    this.before = block;
    this.at = end;
  }

  /**
   * @param {HTMLElement} parent
   * @param {number} start
   * @param {number} end
   */
  #gap(parent, start, end) {
    if (start >= end) return;
    if (this.held.text.slice(start, end).trim()) {
      parent.append(this.#filled("p", {}, start, end));
    } else {
      this.#text(parent, start, end, true);
    }
  }

  /**
   * @param {HTMLElement} parent
   * @param {number} start
   * @param {number} end
   */
  #text(parent, start, end, gap = false) {
    const node = document.createTextNode(this.held.text.slice(start, end));
    parent.append(node);
    this.pieces.push({ node, start, end, gap, whole: false });
  }

  /**
   * @param {HTMLElement} parent
   * @param {number} start
   * @param {number} end
   * @param {string} tex
   * @param {boolean} display
   */
  #formula(parent, start, end, tex, display) {
    const node = formula(this.held.text.slice(start, end), tex, display);
    parent.append(node);
    this.pieces.push({ node, start, end, gap: false, whole: true });
  }

  /**
   * @param {HTMLElement} parent
   * @param {number} start
   * @param {number} end
   */
  #prose(parent, start, end) {
    this.#directed(parent, start, end, this.#inside(start, end));
  }

  /**
   * Draws a line in its own direction: lists, quotations and notes are set by that of their words.
   *
   * @param {HTMLElement} parent
   * @param {number} start
   * @param {number} end
   * @param {PlacedMarkup[]} inside
   */
  #directed(parent, start, end, inside) {
    const isWhole = (/** @type {PlacedMarkup} */ one) =>
      one.markup.kind === "direction" && one.start === start && one.end === end;
    const said = inside.find(isWhole)?.markup.value ?? "";
    const direction = lineDirection(this.held.text.slice(start, end), said);
    if (direction && direction !== this.article.dir) parent.dir = direction;
    this.#marked(parent, start, end, inside.filter((one) => !isWhole(one)));
  }

  /**
   * The markup of a range, which is drawn next.
   *
   * @param {number} start
   * @param {number} end
   */
  #inside(start, end) {
    const inside = [];
    while (this.next < this.markup.length && this.markup[this.next].start < start) this.next += 1;
    while (this.next < this.markup.length && this.markup[this.next].start <= end) {
      const one = this.markup[this.next];
      // What begins where a cell ends begins in the next one, unless it is of no length.
      if (one.start === end && one.end > end) break;
      if (one.end <= end) inside.push(one);
      this.next += 1;
    }
    return inside;
  }

  /**
   * The places at the beginning of what is drawn as it stands.
   *
   * @param {HTMLElement} parent
   * @param {number} start
   */
  #anchors(parent, start) {
    for (const { markup } of this.#inside(start, start)) {
      if (markup.kind !== "image") parent.append(elementFor(markup, this.held, null));
    }
  }

  /**
   * @param {HTMLElement} parent
   * @param {number} start
   * @param {number} end
   * @param {PlacedMarkup[]} inside Of the range, outer ones first.
   */
  #marked(parent, start, end, inside) {
    let at = start;
    for (let index = 0; index < inside.length; ) {
      const outer = within(inside[index], at, end);
      let next = index + 1;
      while (next < inside.length && inside[next].start < outer.end) next += 1;
      if (at < outer.start) this.#plain(parent, at, outer.start);
      this.#range(parent, outer, inside.slice(index + 1, next));
      at = outer.end;
      index = next;
    }
    if (at < end) this.#plain(parent, at, end);
  }

  /**
   * @param {HTMLElement} parent
   * @param {PlacedMarkup} outer
   * @param {PlacedMarkup[]} inside
   */
  #range(parent, { start, end, markup }, inside) {
    const text = this.held.text.slice(start, end);
    if (markup.kind === "formula") {
      const display = text.startsWith("$$");
      const tex = text.slice(display ? 2 : 1, display ? -2 : -1);
      this.#formula(parent, start, end, tex, display);
      return;
    }
    if (markup.kind === "image") {
      this.#pictured(parent, markup, start, end);
      return;
    }
    const made = parent.appendChild(elementFor(markup, this.held, this.around));
    // An address that is written out says its host already.
    if (isWrittenOut(made.dataset.host, text, markup.value)) made.dataset.host = "";
    if (markup.kind === "code" && !inside.length) {
      this.#text(made, start, end);
      return;
    }
    const [before, behind] = writtenAround(markup);
    if (before) this.#text(made.appendChild(element("span", { class: "written" })), start, start + before);
    this.#marked(made, start + before, end - behind, inside);
    if (behind) this.#text(made.appendChild(element("span", { class: "written" })), end - behind, end);
  }

  /**
   * A picture within a line: its words are there, and seen as long as it is not.
   *
   * @param {HTMLElement} parent
   * @param {Markup} markup
   * @param {number} start
   * @param {number} end
   */
  #pictured(parent, markup, start, end) {
    const text = this.held.text.slice(start, end);
    const made = parent.appendChild(element("span", { class: "pictured" }, this.figures.image(markup, text)));
    if (text) this.#text(made.appendChild(element("span", { class: "described" })), start, end);
  }

  /**
   * @param {HTMLElement} parent
   * @param {number} start
   * @param {number} end
   */
  #plain(parent, start, end) {
    let at = start;
    for (const found of findFormulas(this.held.text.slice(start, end))) {
      if (start + found.start > at) this.#text(parent, at, start + found.start);
      at = start + found.end;
      this.#formula(parent, start + found.start, at, found.tex, found.display);
    }
    if (at < end) this.#text(parent, at, end);
  }

  /**
   * @param {keyof HTMLElementTagNameMap} tag
   * @param {Record<string, string | number>} attributes
   * @param {number} start
   */
  #empty(tag, attributes, start) {
    return element(tag, { ...attributes, "data-start": this.offsets.toPoints(start) });
  }

  /**
   * @param {keyof HTMLElementTagNameMap} tag
   * @param {Record<string, string | number>} attributes
   * @param {number} start
   * @param {number} end
   */
  #filled(tag, attributes, start, end) {
    const made = this.#empty(tag, attributes, start);
    this.#prose(made, start, end);
    return made;
  }

  /**
   * @param {Block} block
   * @param {number} start
   * @param {number} end
   */
  #block(block, start, end) {
    switch (block.kind) {
      case "heading":
        return this.#heading(block, start, end);
      case "table":
        return this.#table(start, end);
      case "code":
        return this.#code(block, start, end);
      case "quote":
        return this.#filled("blockquote", {}, start, end);
      case "admonition": {
        const name = nameOfNote(block.label);
        return this.#filled(
          "div",
          { class: "admonition", role: "note", "data-label": block.label, "data-words": name, "aria-label": name },
          start,
          end,
        );
      }
      case "footnote":
        return this.#filled("p", { class: "footnote", "data-label": block.label }, start, end);
      case "math":
        return this.#math(start, end);
      case "caption":
        return this.#caption(block, start, end);
      default:
        return this.#filled("p", {}, start, end);
    }
  }

  /**
   * @param {Block} block
   * @param {number} start
   * @param {number} end
   */
  #caption(block, start, end) {
    const image = this.figures.describedBy(block);
    if (!image) return this.#filled("p", { class: "caption" }, start, end);
    const words = this.#filled("figcaption", { class: "caption" }, start, end);
    return element("figure", {}, this.figures.image(image, this.held.text.slice(start, end)), words);
  }

  /**
   * @param {number} start
   * @param {number} end
   */
  #math(start, end) {
    const made = this.#empty("p", { class: "math" }, start);
    this.#anchors(made, start);
    this.#formula(made, start, end, this.held.text.slice(start, end), true);
    return made;
  }

  /**
   * @param {Block} block
   * @param {number} start
   * @param {number} end
   */
  #heading(block, start, end) {
    const tag = /** @type {"h1"} */ (`h${levelOf(block)}`);
    const anchor = this.anchors.get(block.start);
    const heading = this.#filled(tag, { tabindex: "-1" }, start, end);
    if (anchor) heading.dataset.anchor = anchor;
    return heading;
  }

  /**
   * @param {Block} block
   * @param {number} start
   * @param {number} end
   */
  #listItem(block, start, end) {
    const level = levelOf(block);
    const label = /^[-*+]$/.test(block.label) ? (level % 2 ? "•" : "–") : block.label;
    return this.#filled("li", { "data-label": label, "data-level": level }, start, end);
  }

  /**
   * @param {Block} block
   * @param {number} start
   * @param {number} end
   */
  #code(block, start, end) {
    const code = element("pre", { tabindex: "0", role: "group", "aria-label": t("document.code") });
    if (block.label) code.dataset.label = block.label;
    if (block.label.toLowerCase() === "mermaid") {
      code.classList.add("diagram");
      code.dataset.words = t("document.diagram");
    }
    const lines = code.appendChild(this.#empty("code", {}, start));
    this.#anchors(lines, start);
    this.#text(lines, start, end);
    if (block.label) this.code.push({ place: code, language: block.label, start, end });
    return element("div", { class: "code-block" }, code, copyButton(() => this.held.text.slice(start, end)));
  }

  /**
   * @param {number} start
   * @param {number} end
   */
  #table(start, end) {
    const table = element("table");
    let row = start;
    const columns = new Columns();
    /** @type {HTMLTableSectionElement} */
    let part = table.appendChild(element("thead"));
    while (row <= end) {
      const newline = this.held.text.indexOf("\n", row);
      const rowEnd = newline < 0 || newline > end ? end : newline;
      part.append(this.#row(columns, row, rowEnd));
      if (rowEnd < end) this.#text(part, rowEnd, rowEnd + 1, true);
      if (part.tagName === "THEAD") part = table.appendChild(element("tbody"));
      row = rowEnd + 1;
    }
    const region = { class: "table", tabindex: "0", role: "group", "aria-label": t("document.table") };
    return element("div", region, table);
  }

  /**
   * @param {Columns} columns
   * @param {number} start
   * @param {number} end
   */
  #row(columns, start, end) {
    const row = element("tr");
    /** @type {HTMLElement} */
    let cell = row;
    columns.beginRow();
    for (const piece of splitCells(this.held.text.slice(start, end))) {
      const [from, to] = [start + piece.start, start + piece.end];
      if (piece.bar) {
        // A bar belongs to the cell before it: a row holds nothing but cells.
        this.#text(cell.appendChild(element("span", { class: "cell-bar" })), from, to, true);
      } else {
        cell = row.appendChild(this.#cell(columns, from, to));
      }
    }
    columns.endRow();
    return row;
  }

  /**
   * @param {Columns} columns
   * @param {number} start
   * @param {number} end
   */
  #cell(columns, start, end) {
    const inside = this.#inside(start, end);
    const made = columns.place(
      inside.map(({ markup }) => markup),
      start === end,
    );
    made.dataset.start = String(this.offsets.toPoints(start));
    this.#directed(made, start, end, inside.filter(({ markup }) => !isOfCell(markup)));
    return made;
  }
}

/**
 * Says on an element that a page of the source begins with it; returns the page that is read then.
 *
 * @param {HTMLElement} made
 * @param {number | null} number
 * @param {number} before
 */
function beginPage(made, number, before) {
  if (!number || number === before) return before;
  made.prepend(pageBegin(number));
  return number;
}

/**
 * What of a markup lies between two offsets.
 *
 * @param {PlacedMarkup} one
 * @param {number} from
 * @param {number} to
 * @returns {PlacedMarkup}
 */
function within({ start, end, markup }, from, to) {
  const begin = Math.min(Math.max(start, from), to);
  return { start: begin, end: Math.min(Math.max(end, begin), to), markup };
}

/** @param {Block} block */
function levelOf(block) {
  return Math.min(Math.max(block.level, 1), 6);
}
