// A document's canonical text and blocks in, an article out whose text content is that text exactly.
//
// What the text has no characters for (list markers, names of admonitions) is drawn by the style
// sheet; what the text has but the page draws otherwise (bars between cells, the source of formulas)
// is there, hidden. So an offset of the article is an offset of the text.

import { element } from "./dom.js";
import { findFormulas, formula } from "./math.js";
import { Offsets } from "./offsets.js";
import { splitCells } from "./quoted.js";

// Paragraphs of one quotation or note are blocks of their own, drawn as one.
const SET_APART = new Set(["quote", "admonition"]);

export class Page {
  constructor(held) {
    this.held = held;
    this.offsets = new Offsets(held.text);
    this.pieces = [];
    this.marks = [];
    this.article = element("article", { class: "page" });
    this.anchors = new Map(held.sections.map((section) => [section.start, section.anchor]));
    this.#render();
  }

  #render() {
    let at = 0;
    let list = null;
    let before = null;
    for (const block of this.held.blocks) {
      const start = this.offsets.toUnits(block.start);
      const end = this.offsets.toUnits(block.end);
      if (block.kind !== "list_item") list = null;
      this.#renderGap(list ?? this.article, at, start);
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
    this.#renderGap(this.article, at, this.held.text.length);
  }

  #renderGap(parent, start, end) {
    if (start >= end) return;
    if (this.held.text.slice(start, end).trim()) {
      parent.append(this.#filled("p", {}, start, end));
    } else {
      this.#text(parent, start, end, true);
    }
  }

  #text(parent, start, end, gap = false) {
    const node = document.createTextNode(this.held.text.slice(start, end));
    parent.append(node);
    this.pieces.push({ node, start, end, gap });
  }

  #formula(parent, start, end, tex, display) {
    const node = formula(this.held.text.slice(start, end), tex, display);
    parent.append(node);
    this.pieces.push({ node, start, end, gap: false, whole: true });
  }

  #prose(parent, start, end) {
    let at = start;
    for (const found of findFormulas(this.held.text.slice(start, end))) {
      if (start + found.start > at) this.#text(parent, at, start + found.start);
      at = start + found.end;
      this.#formula(parent, start + found.start, at, found.tex, found.display);
    }
    if (at < end) this.#text(parent, at, end);
  }

  #empty(tag, attributes, start) {
    return element(tag, { ...attributes, "data-start": this.offsets.toPoints(start) });
  }

  #filled(tag, attributes, start, end) {
    const made = this.#empty(tag, attributes, start);
    this.#prose(made, start, end);
    return made;
  }

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
          "aside",
          { class: "admonition", "data-label": label, "aria-label": label },
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

  #math(start, end) {
    const made = this.#empty("p", { class: "math" }, start);
    this.#formula(made, start, end, this.held.text.slice(start, end), true);
    return made;
  }

  #heading(block, start, end) {
    const level = Math.min(Math.max(block.level, 1), 6);
    const anchor = this.anchors.get(block.start);
    const heading = this.#filled(`h${level}`, { tabindex: "-1" }, start, end);
    if (anchor) heading.dataset.anchor = anchor;
    return heading;
  }

  #listItem(block, start, end) {
    const level = Math.min(Math.max(block.level, 1), 6);
    const label = /^[-*+]$/.test(block.label) ? (level % 2 ? "•" : "–") : block.label;
    return this.#filled("li", { "data-label": label, "data-level": level }, start, end);
  }

  #code(block, start, end) {
    const code = element("pre", { tabindex: "0", role: "region", "aria-label": "Code" });
    if (block.label) code.dataset.label = block.label;
    const lines = code.appendChild(this.#empty("code", {}, start));
    this.#text(lines, start, end);
    return code;
  }

  #table(start, end) {
    const table = element("table");
    let row = start;
    let part = table.appendChild(element("thead"));
    while (row <= end) {
      const newline = this.held.text.indexOf("\n", row);
      const rowEnd = newline < 0 || newline > end ? end : newline;
      part.append(this.#row(part.tagName === "THEAD" ? "th" : "td", row, rowEnd));
      if (rowEnd < end) this.#text(part, rowEnd, rowEnd + 1, true);
      if (part.tagName === "THEAD") part = table.appendChild(element("tbody"));
      row = rowEnd + 1;
    }
    const region = { class: "table", tabindex: "0", role: "region", "aria-label": "Table" };
    return element("div", region, table);
  }

  #row(tag, start, end) {
    const row = element("tr");
    for (const piece of splitCells(this.held.text.slice(start, end))) {
      const [from, to] = [start + piece.start, start + piece.end];
      if (piece.bar) {
        this.#text(row.lastChild.appendChild(element("span", { class: "cell-bar" })), from, to, true);
      } else {
        row.append(this.#cell(tag, from, to));
      }
    }
    return row;
  }

  #cell(tag, start, end) {
    const heads = tag === "th" && start < end;
    return this.#filled(heads ? "th" : "td", heads ? { scope: "col" } : {}, start, end);
  }

  // Marks the characters in [start, end), code points, and returns the first mark.
  highlight({ start, end }) {
    this.clearHighlight();
    const from = this.offsets.toUnits(start);
    const to = this.offsets.toUnits(end);
    for (const piece of this.pieces) {
      if (!piece.gap && piece.start < to && piece.end > from) this.#mark(piece, from, to);
    }
    return this.marks[0]?.mark ?? null;
  }

  // A formula is marked as a whole: half of one is nothing that could be read.
  #mark(piece, from, to) {
    if (piece.whole) {
      const mark = element("mark", { tabindex: "-1" });
      piece.node.replaceWith(mark);
      mark.append(piece.node);
      this.marks.push({ mark, nodes: [mark], node: piece.node });
      return;
    }
    const start = Math.max(from, piece.start) - piece.start;
    const end = Math.min(to, piece.end) - piece.start;
    const text = piece.node.data;
    const mark = element("mark", { tabindex: "-1" }, text.slice(start, end));
    const parts = [text.slice(0, start), mark, text.slice(end)].filter((part) => part !== "");
    const nodes = parts.map((part) => (part === mark ? mark : document.createTextNode(part)));
    piece.node.replaceWith(...nodes);
    this.marks.push({ mark, nodes, node: piece.node });
  }

  clearHighlight() {
    for (const { nodes, node } of this.marks) {
      nodes[0].before(node);
      for (const gone of nodes) gone.remove();
    }
    this.marks = [];
  }

  // What the reader has selected of this page: start and end in code points, and the text.
  selected() {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
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

  #unitsBefore(container, offset) {
    const before = document.createRange();
    before.setStart(this.article, 0);
    before.setEnd(container, offset);
    return before.toString().length;
  }

  headingOf(anchor) {
    return this.article.querySelector(`[data-anchor="${CSS.escape(anchor)}"]`);
  }
}
