// @ts-check
// One answer as its events come: passages, sentences that passed, the whole with its proofs.

/** @import { AnswerEvent } from "./api.js" */
/** @import { Answer, Book, Citation, Passage, Refusal, Sentence } from "./schema.js" */
/** @import { Kind } from "./quotations.js" */

import { announce, count, element } from "./dom.js";
import { withFormulas } from "./math.js";
import { placeHref } from "./places.js";
import { ProofList } from "./proofs.js";
import { isOneLine, kindOf, splitCells } from "./quotations.js";
import { receiptOf } from "./receipt.js";
import { standingInWords, wordingOf } from "./wording.js";
import { drawCells, drawWords } from "./words.js";

/** @typedef {(text: string) => unknown} Choose */
/**
 * How the words of one sentence stand: what they are, where, with which citations after them.
 *
 * @typedef {object} Words
 * @property {Kind} kind
 * @property {string | undefined} place
 * @property {string} text
 * @property {HTMLElement[]} chips
 * @property {string} header Of the table that they are a row of.
 * @property {boolean} sameItem Whether they belong to the list item before them.
 * @property {string} wording What there is to say of them that are not simply the book's.
 * @property {string[]} evidence The book's words that they stand for, to be shown beside them.
 */
/**
 * The sentence before, and the element that another like it goes into.
 *
 * @typedef {object} Before
 * @property {Kind} kind
 * @property {string | undefined} place
 * @property {HTMLElement} box
 * @property {string} header
 * @property {Citation | undefined} citation
 */

export class AnswerView {
  /**
   * @param {HTMLElement} exchange
   * @param {Book} book
   * @param {{ ask: Choose, find: Choose }} choices What asks a text, and what looks for passages on it.
   */
  constructor(exchange, book, { ask, find }) {
    this.exchange = exchange;
    this.book = book;
    this.ask = ask;
    this.find = find;
    /** @type {Passage[]} */
    this.passages = [];
    /** @type {Map<number, Citation>} */
    this.citations = new Map();
    this.whole = element("div", { class: "answer" });
    /** Where the next sentence goes: the whole, or the fold of what supports it. */
    this.text = this.whole;
    this.waiting = element("p", { class: "waiting" });
    /** @type {Before | null} */
    this.last = null;
    this.titled = false;
  }

  /** @param {string} text */
  wait(text) {
    this.waiting.textContent = text;
    this.exchange.append(this.text, this.waiting);
  }

  /** @param {AnswerEvent} event */
  show([name, data]) {
    if (name === "passages") this.#showPassages(data.passages);
    else if (name === "sentence") this.#showSentence(data.sentence, data.citations);
    else if (name === "done") {
      this.#showWhole(data);
      announce(data.refusal?.message ?? `Answered with ${count(data.citations.length, "quotation")}.`);
    }
  }

  /**
   * Shows an answer of before, with the passages that it was made from.
   *
   * @param {Answer} answer
   * @param {Passage[]} passages
   */
  showKept(answer, passages) {
    this.passages = passages;
    this.exchange.append(this.text);
    this.#showWhole(answer);
  }

  /** @param {Passage[]} passages */
  #showPassages(passages) {
    this.passages = passages;
    this.waiting.textContent = `${count(passages.length, "passage")} found. Checking each sentence…`;
  }

  /**
   * Words of the book are drawn as what they are there; another place begins another paragraph.
   *
   * @param {Sentence} sentence
   * @param {Citation[]} citations
   */
  #showSentence(sentence, citations, edition = this.book.edition) {
    for (const citation of citations) this.citations.set(citation.n, citation);
    const cited = sentence.citations.map((n) => this.citations.get(n)).filter((held) => held !== undefined);
    if (sentence.role === "support") this.#openSupport();
    const first = cited.at(0);
    const kind = first?.quote === sentence.text ? kindOf(this.passages, first) : "paragraph";
    const place = first ? placeOf(first) : this.last?.place;
    if (this.titled && first && place !== this.last?.place) {
      this.text.append(element("p", { class: "from" }, titleOf(first)));
    }
    const before = this.last?.citation;
    const box = this.#append({
      kind,
      place,
      text: sentence.text,
      chips: cited.map((citation) => this.#chip(citation, edition)),
      header: kind === "table" ? (first?.table_header ?? "") : "",
      sameItem: Boolean(kind === "list_item" && before && first && isOneLine(this.passages, before, first)),
      wording: wordingOf(sentence),
      evidence: sentence.kind === "paraphrased" ? cited.map(({ quote }) => quote) : [],
    });
    this.last = { ...box, citation: first };
  }

  /** What supports the answer goes into a fold of its own, which stays open once it is opened. */
  #openSupport() {
    if (this.text.matches(".support")) return;
    const support = element("div", { class: "answer support" });
    const fold = element("details", { class: "support" }, element("summary", {}, "What supports this"), support);
    this.text.append(fold);
    this.text = support;
    this.last = null;
  }

  /** @param {Words} words */
  #append(words) {
    const { kind, place, text, header } = words;
    const same = this.last?.kind === kind && this.last.place === place;
    const goesOn = same && (!header || this.last?.header === header);
    const box = this.#appendTo(goesOn ? (this.last?.box ?? null) : null, words);
    return { kind, place, box, header: header || text };
  }

  /**
   * Adds the words to `open`, or to a new element where there is none, and returns which it was.
   *
   * @param {HTMLElement | null} open
   * @param {Words} words
   */
  #appendTo(open, { kind, text, chips, header, sameItem, wording, evidence }) {
    if (kind === "table") {
      const box = open ?? this.#openTable(header);
      box.append(rowOf(text, chips));
      return box;
    }
    if (kind === "list_item") {
      const box = open ?? this.text.appendChild(element("ul"));
      const item = (sameItem && box.lastElementChild) || box.appendChild(element("li"));
      if (item.hasChildNodes()) item.append(" ");
      item.append(element("span", { class: "sentence" }, ...drawWords(text, kind), ...chips));
      return box;
    }
    if (kind === "code" || kind === "math") {
      const box = element("div", { class: `sentence ${kind}` }, ...drawWords(text, kind), ...chips);
      return this.text.appendChild(box);
    }
    const title = kind === "heading" ? "title" : null;
    const box = open ?? this.text.appendChild(element("p", { class: title }));
    const attributes = { class: evidence.length ? "sentence reworded" : "sentence", title: wording || null };
    box.append(element("span", attributes, ...drawWords(text, kind), ...chips), " ");
    box.append(...evidence.map((quote) => element("q", { class: "evidence" }, quote)));
    return box;
  }

  /**
   * A table to be filled; the header of the book's own stands above, which the answer does not say.
   *
   * @param {string} header
   */
  #openTable(header) {
    const cells = splitCells(header).filter((piece) => !piece.bar);
    const titles = cells.map(({ start, end }) =>
      element("th", { scope: "col" }, ...withFormulas(header.slice(start, end))),
    );
    const head = element("thead", {}, element("tr", {}, ...titles, element("td", {})));
    const body = element("tbody", {});
    this.text.append(element("table", {}, header ? head : null, body));
    return body;
  }

  /**
   * @param {Citation} citation
   * @param {number} edition
   */
  #chip(citation, edition) {
    return element(
      "a",
      {
        class: "chip",
        href: placeHref(this.book.slug, citation.document, { range: citation, edition }),
        "aria-label": `Quotation ${citation.n}, ${citation.section_path.join(", ")}`,
      },
      String(citation.n),
    );
  }

  /** @param {Answer} answer */
  #showWhole(answer) {
    this.waiting.remove();
    this.text = this.whole;
    this.text.replaceChildren();
    this.last = null;
    // What is said of another thing stands under another title: words of several are told apart by it.
    this.titled = new Set(answer.citations.map(placeOf)).size > 1;
    if (answer.refusal) {
      this.text.remove();
      this.exchange.append(this.#refusal(answer.refusal), standingOf(answer));
    } else {
      for (const sentence of answer.sentences) {
        this.#showSentence(sentence, answer.citations, answer.edition);
      }
      this.whole.classList.add("whole");
      this.exchange.append(
        standingOf(answer),
        ...missingEntities(answer.missing_entities),
        new ProofList(answer, this.passages, this.book).draw(),
        ...offer("The book says more on:", answer.suggested_questions, this.ask),
      );
    }
    this.exchange.append(receiptOf(answer, this.passages, this.book.slug));
  }

  /** @param {Refusal} refusal */
  #refusal(refusal) {
    return element(
      "div",
      { class: "refusal" },
      element("p", {}, refusal.message),
      ...offer("Ask instead:", refusal.suggested_questions, this.ask),
      ...offer("Nearest in the book:", refusal.related_sections, this.find),
    );
  }
}

/** @param {Answer} answer */
function standingOf(answer) {
  const { level } = answer.confidence;
  return element("p", { class: `standing ${level ?? ""}`, "aria-live": "off" }, standingInWords(answer));
}

/**
 * @param {string} text
 * @param {HTMLElement[]} chips
 */
function rowOf(text, chips) {
  const row = element("tr", { class: "sentence" });
  for (const cell of drawCells(text)) {
    // A bar belongs to the cell before it: a row holds nothing but cells.
    if (cell.className === "cell-bar") row.lastElementChild?.append(cell);
    else row.append(element("td", {}, cell));
  }
  row.append(element("td", { class: "row-chips" }, ...chips));
  return row;
}

/** @param {string[]} names */
function missingEntities(names) {
  const notes = names.map((name) => `No passage that was found mentions “${name}”.`);
  return notes.map((note) => element("p", { class: "hint" }, note));
}

/**
 * @param {string} title
 * @param {string[]} texts
 * @param {Choose} choose
 */
function offer(title, texts, choose) {
  return texts.length ? [element("p", { class: "hint" }, title), choices(texts, choose)] : [];
}

/**
 * @param {string[]} texts
 * @param {Choose} choose
 */
function choices(texts, choose) {
  const items = texts.map((text) =>
    element(
      "li",
      {},
      element("button", { class: "link", type: "button", onclick: () => choose(text) }, text),
    ),
  );
  return element("ul", { role: "list", class: "related" }, ...items);
}

/**
 * The innermost title; a letter of a glossary with what it is a letter of.
 *
 * @param {Citation} citation
 */
function titleOf({ document, section_path: path }) {
  const title = path.at(-1) || document;
  return title.length > 1 ? title : path.slice(-2).join(" › ");
}

/** @param {Citation} citation */
function placeOf({ document, section_path: path }) {
  return [document, ...path].join("\n");
}
