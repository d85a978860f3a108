// @ts-check
// Draws a document as an article whose text content is the canonical text exactly.
//
// What the text has no characters for (list markers, names of admonitions) is drawn by the style
// sheet; what the text has but the page draws otherwise (bars between cells, the source of formulas)
// is there, hidden. So an offset of the article is an offset of the text.

/** @import { Block, Document as BookDocument } from "./schema.js" */

import { element } from "./dom.js";
import { findFormulas } from "./formulas.js";
import { formula } from "./math.js";
import { Offsets } from "./offsets.js";
import { splitCells } from "./quotations.js";

/**
 * A stretch of the text, in UTF-16 units, and the node that shows it. A gap is never highlighted; a
 * formula only as a whole.
 *
 * @typedef {{ node: Text, start: number, end: number, gap: boolean, whole: false }} TextPiece
 * @typedef {{ node: HTMLElement, start: number, end: number, gap: false, whole: true }} FormulaPiece
 * @typedef {TextPiece | FormulaPiece} Piece
 */

// Paragraphs of one quotation or note are blocks of their own, drawn as one.
const SET_APART = new Set(["quote", "admonition"]);

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const DIRECTION_LETTERS = 4000;

export class Renderer {
  /**
   * @param {BookDocument} held
   * @param {Offsets} offsets
   */
  constructor(held, offsets) {
    this.held = held;
    this.offsets = offsets;
    /** @type {Piece[]} */
    this.pieces = [];
    this.article = element("article", { class: "page", dir: directionOf(held.text) });
    this.anchors = new Map(held.sections.map((section) => [section.start, section.anchor]));
  }

  render() {
    let at = 0;
    /** @type {HTMLUListElement | null} */
    let list = null;
    /** @type {Block | null} */
    let before = null;
    for (const block of this.held.blocks) {
      const start = this.offsets.toUnits(block.start);
      const end = this.offsets.toUnits(block.end);
      if (block.kind !== "list_item") list = null;
      this.#gap(list ?? this.article, at, start);
      if (block.kind === "list_item") {
        list ??= this.article.appendChild(element("ul", { role: "list" }));
        list.append(this.#listItem(block, start, end));
      } else {
        const made = this.article.appendChild(this.#block(block, start, end));
        const goesOn = before?.kind === block.kind && before.label === block.label;
        if (goesOn && SET_APART.has(block.kind)) made.classList.add("goes-on");
      }
      before = block;
      at = end;
    }
    this.#gap(this.article, at, this.held.text.length);
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
        const label = block.label || "note";
        return this.#filled(
          "div",
          { class: "admonition", role: "note", "data-label": label, "aria-label": label },
          start,
          end,
        );
      }
      case "footnote":
        return this.#filled("p", { class: "footnote", "data-label": block.label }, start, end);
      case "math":
        return this.#math(start, end);
      case "caption":
        return this.#filled("p", { class: "caption" }, start, end);
      default:
        return this.#filled("p", {}, start, end);
    }
  }

  /**
   * @param {number} start
   * @param {number} end
   */
  #math(start, end) {
    const made = this.#empty("p", { class: "math" }, start);
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
    const code = element("pre", { tabindex: "0", role: "group", "aria-label": "Code" });
    if (block.label) code.dataset.label = block.label;
    const lines = code.appendChild(this.#empty("code", {}, start));
    this.#text(lines, start, end);
    return code;
  }

  /**
   * @param {number} start
   * @param {number} end
   */
  #table(start, end) {
    const table = element("table");
    let row = start;
    /** @type {HTMLTableSectionElement} */
    let part = table.appendChild(element("thead"));
    while (row <= end) {
      const newline = this.held.text.indexOf("\n", row);
      const rowEnd = newline < 0 || newline > end ? end : newline;
      part.append(this.#row(part.tagName === "THEAD" ? "th" : "td", row, rowEnd));
      if (rowEnd < end) this.#text(part, rowEnd, rowEnd + 1, true);
      if (part.tagName === "THEAD") part = table.appendChild(element("tbody"));
      row = rowEnd + 1;
    }
    const region = { class: "table", tabindex: "0", role: "group", "aria-label": "Table" };
    return element("div", region, table);
  }

  /**
   * @param {"th" | "td"} tag
   * @param {number} start
   * @param {number} end
   */
  #row(tag, start, end) {
    const row = element("tr");
    /** @type {HTMLElement} */
    let cell = row;
    for (const piece of splitCells(this.held.text.slice(start, end))) {
      const [from, to] = [start + piece.start, start + piece.end];
      if (piece.bar) {
        // A bar belongs to the cell before it: a row holds nothing but cells.
        this.#text(cell.appendChild(element("span", { class: "cell-bar" })), from, to, true);
      } else {
        cell = row.appendChild(this.#cell(tag, from, to));
      }
    }
    return row;
  }

  /**
   * @param {"th" | "td"} tag
   * @param {number} start
   * @param {number} end
   */
  #cell(tag, start, end) {
    if (tag === "th" && start < end) return this.#filled("th", { scope: "col" }, start, end);
    return this.#filled("td", {}, start, end);
  }
}

/**
 * The direction of most letters of the beginning: each line has its own beside it.
 *
 * @param {string} text
 */
function directionOf(text) {
  const letters = text.slice(0, DIRECTION_LETTERS).match(/\p{L}/gu) ?? [];
  const leftward = letters.filter((letter) => RIGHT_TO_LEFT.test(letter));
  return leftward.length > letters.length / 2 ? "rtl" : "ltr";
}

/** @param {Block} block */
function levelOf(block) {
  return Math.min(Math.max(block.level, 1), 6);
}
