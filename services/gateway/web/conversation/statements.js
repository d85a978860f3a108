// @ts-check
// Writes the sentences of an answer: words of the book as what they are there, one chip a statement.

/** @import { Citation, Sentence } from "../schema.js" */
/** @import { Kind, QuotedBlock, QuotedPiece, Source } from "../document/quotations.js" */
/** @import { Range } from "../common/places.js" */
/** @import { Step } from "./steps.js" */

import { element } from "../common/dom.js";
import { onPage } from "../common/places.js";
import { goesOnAt, isOneLine, isTerm, kindOf, piecesOfSentence } from "../document/quotations.js";
import { fillCode, openCode, openTable, rowOf } from "./answerparts.js";
import { chipOf } from "./chips.js";
import { wordingOf } from "./wording.js";
import { drawWords } from "./words.js";

/**
 * The statement before: another that goes on with it shares its chip, another like it its element.
 *
 * @typedef {object} Before
 * @property {Kind} kind
 * @property {string | undefined} place
 * @property {string} header Of the table that it is a row of.
 * @property {HTMLElement} box
 * @property {HTMLElement} words The element that the chip stands in.
 * @property {QuotedBlock | null} block
 * @property {Citation[]} cited
 * @property {Element | null} chip
 * @property {boolean} quoted
 */

export class StatementWriter {
  /**
   * @param {HTMLElement} text Where the statements go.
   * @param {Source[]} passages
   * @param {(citation: Citation, range: Range) => string} hrefOf
   */
  constructor(text, passages, hrefOf) {
    this.text = text;
    this.passages = passages;
    this.hrefOf = hrefOf;
    /** @type {Before | null} */
    this.last = null;
    /**
     * The items written, which may be numbered in the book.
     *
     * @type {Step[]}
     */
    this.steps = [];
    /**
     * The titles written above statements, with what they are the places of.
     *
     * @type {{ box: HTMLElement, title: string, citation: Citation }[]}
     */
    this.named = [];
    /**
     * What is quoted of the code that was written last.
     *
     * @type {QuotedPiece[]}
     */
    this.code = [];
  }

  /**
   * @param {Sentence} sentence
   * @param {Citation[]} cited
   */
  write(sentence, cited) {
    const first = cited.at(0);
    const place = first ? placeOf(first) : this.last?.place;
    const pieces = this.#piecesOf(sentence, cited);
    // A title that is quoted itself is not said twice.
    const says = first && first.quote !== first.section_path.at(-1) && pieces.every(({ piece }) => piece.kind !== "table");
    if (says && place !== this.last?.place) {
      this.#name(first);
    }
    const before = this.last;
    const shares = Boolean(before && this.#goesOn(before, sentence, cited, pieces[0].piece));
    for (const { piece, from } of pieces) this.last = this.#writePiece(piece, sentence, place, from ? [from] : cited);
    if (this.last) this.#cite(this.last, shares ? before : null, cited);
  }

  /**
   * Writes where the next statements are from. A title that other places have too, as an overview in each
   * chapter, is written with the one around it, above them all.
   *
   * @param {Citation} citation
   */
  #name(citation) {
    const title = titleOf(citation);
    const one = { box: element("p", { class: "from" }, title), title, citation };
    const alike = this.named.filter((other) => other.title === title && placeOf(other.citation) !== placeOf(citation));
    this.named.push(one);
    this.text.append(one.box);
    if (alike.length) for (const { box, citation: from } of [...alike, one]) box.textContent = wholeTitleOf(from);
  }

  /**
   * @param {Sentence} sentence
   * @param {Citation[]} cited
   * @returns {{ piece: QuotedPiece, from: Citation | null }[]}
   */
  #piecesOf(sentence, cited) {
    const quoted = piecesOfSentence(this.passages, sentence.text, cited);
    if (quoted.length) return quoted;
    return [{ piece: { kind: "paragraph", start: 0, end: 0, text: sentence.text, block: null }, from: null }];
  }

  /**
   * Whether a sentence goes on with the words before it, in one line or one piece of code of the book.
   *
   * @param {Before} before
   * @param {Sentence} sentence
   * @param {Citation[]} cited
   * @param {QuotedPiece} piece
   */
  #goesOn(before, { kind }, cited, piece) {
    const [last, next] = [before.cited.at(-1), cited.at(0)];
    if (!last || !next || !before.quoted || kind !== "quoted" || before.kind !== piece.kind) return false;
    if (!goesOnAt(this.passages, last, next)) return false;
    return piece.kind === "code" ? isSame(before.block, piece.block) : isOneLine(this.passages, last, next);
  }

  /**
   * @param {Before} last
   * @param {Before | null} shared The statement whose chip is the new one's as well.
   * @param {Citation[]} cited
   */
  #cite(last, shared, cited) {
    last.cited = shared ? [...shared.cited, ...cited] : cited;
    const [first] = last.cited;
    if (!first) return;
    shared?.chip?.remove();
    const isWhole = last.cited.every((citation, at) => !at || goesOnAt(this.passages, last.cited[at - 1], citation));
    const end = isWhole ? last.cited[last.cited.length - 1].end : first.end;
    last.chip = chipOf(last.cited, this.hrefOf(first, { start: first.start, end }), (citation) =>
      drawWords(citation.quote, kindOf(this.passages, citation)),
    );
    last.words.append(last.chip);
  }

  /**
   * @param {QuotedPiece} piece
   * @param {Sentence} sentence
   * @param {string | undefined} place
   * @param {Citation[]} cited
   * @returns {Before}
   */
  #writePiece(piece, sentence, place, cited) {
    const { kind, block } = piece;
    const header = kind === "table" ? (cited[0]?.table_header ?? "") : "";
    const before = this.last;
    const isLike = before?.kind === kind && before.place === place && before.header === header;
    const [box, words] = this.#draw(piece, sentence, isLike ? before : null, cited);
    const quoted = sentence.kind === "quoted";
    return { kind, place, header, box, words, block, cited: [], chip: null, quoted };
  }

  /**
   * Adds a piece to the element of the one before, or to a new one; returns it and where its chip goes.
   *
   * @param {QuotedPiece} piece
   * @param {Sentence} sentence
   * @param {Before | null} before What is like it and stands before it.
   * @param {Citation[]} cited
   * @returns {[HTMLElement, HTMLElement]}
   */
  #draw(piece, sentence, before, cited) {
    switch (piece.kind) {
      case "table":
        return this.#drawRow(piece, before, cited);
      case "list_item":
        return this.#drawItem(piece, before, cited);
      case "code":
        return this.#drawCode(piece, before);
      case "math": {
        const box = element("div", { class: "sentence math" }, ...drawWords(piece.text, "math"));
        return [this.text.appendChild(box), box];
      }
      default:
        return this.#drawProse(piece, sentence, before, cited);
    }
  }

  /**
   * @param {QuotedPiece} piece
   * @param {Before | null} before
   * @param {Citation[]} cited
   * @returns {[HTMLElement, HTMLElement]}
   */
  #drawRow({ text }, before, [first]) {
    const header = first?.table_header ?? "";
    const box = before?.box ?? openTable(this.text, header, titleOf(first));
    const row = rowOf(text, header);
    box.append(row);
    return [box, /** @type {HTMLElement} */ (row.firstElementChild)];
  }

  /**
   * @param {QuotedPiece} piece
   * @param {Before | null} before
   * @param {Citation[]} cited
   * @returns {[HTMLElement, HTMLElement]}
   */
  #drawItem({ text, start, end }, before, [first]) {
    const box = before?.box ?? this.text.appendChild(element("ul", { role: "list" }));
    const { document } = first;
    const last = before?.cited.at(-1);
    const same = last && isOneLine(this.passages, last, { document, start, end });
    let item = same ? /** @type {HTMLElement | null} */ (box.lastElementChild) : null;
    if (item) item.append(" ");
    else {
      item = box.appendChild(element("li"));
      this.steps.push({ item, document, start });
    }
    const words = element("span", { class: "sentence" }, ...drawWords(text, "list_item"));
    item.append(words);
    return [box, words];
  }

  /**
   * @param {QuotedPiece} piece
   * @param {Before | null} before
   * @returns {[HTMLElement, HTMLElement]}
   */
  #drawCode(piece, before) {
    if (before && isSame(before.block, piece.block)) {
      this.code = [...this.code, piece].sort((one, other) => one.start - other.start);
      fillCode(before.box, this.code);
      return [before.box, before.words];
    }
    const { words, chips } = openCode(this.text);
    this.code = [piece];
    fillCode(words, this.code);
    return [words, chips];
  }

  /**
   * @param {QuotedPiece} piece
   * @param {Sentence} sentence
   * @param {Before | null} before
   * @param {Citation[]} cited
   * @returns {[HTMLElement, HTMLElement]}
   */
  #drawProse({ kind, text, block }, sentence, before, cited) {
    const term = isTerm(block);
    const goesOn = before && term === isTerm(before.block);
    const style = kind === "heading" ? "title" : term ? "term" : null;
    const box = goesOn ? before.box : this.text.appendChild(element("p", { class: style }));
    const reworded = sentence.kind === "paraphrased";
    const attributes = { class: reworded ? "sentence reworded" : "sentence", title: wordingOf(sentence) || null };
    const words = element("span", attributes, ...drawWords(text, kind));
    box.append(words, " ");
    if (reworded) box.append(...cited.map(({ quote }) => element("q", { class: "evidence" }, quote)));
    return [box, words];
  }
}

/**
 * @param {QuotedBlock | null} one
 * @param {QuotedBlock | null} other
 */
function isSame(one, other) {
  return one !== null && other !== null && one.start === other.start && one.text === other.text;
}

/**
 * The innermost title; a letter of a glossary with what it is a letter of; the page where there is one.
 *
 * @param {Citation} citation
 */
function titleOf({ document, section_path: path, page, page_label: label }) {
  const title = path.at(-1) || document;
  const whole = title.length > 1 ? title : path.slice(-2).join(" › ");
  return onPage(whole, label ?? page);
}

/**
 * The innermost title with the one around it, or with the name of its document.
 *
 * @param {Citation} citation
 */
function wholeTitleOf(citation) {
  const around = citation.section_path.at(-2) ?? citation.document;
  return `${around} › ${titleOf(citation)}`;
}

/** @param {Citation} citation */
function placeOf({ document, section_path: path }) {
  return [document, ...path].join("\n");
}
