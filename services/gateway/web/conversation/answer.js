// @ts-check
// One answer as its events come: passages, sentences that passed, the whole with its proofs.

/** @import { AnswerEvent } from "../common/api.js" */
/** @import { Source } from "../document/quotations.js" */
/** @import { Answer, Book, Citation, Passage, Refusal, Sentence } from "../schema.js" */

import { hasKey, mayRead, suggestQuestions } from "../common/api.js";
import { copy } from "../common/clipboard.js";
import { directionOf } from "../common/direction.js";
import { announce, element, isWholePage } from "../common/dom.js";
import { ours, t } from "../common/language.js";
import { placeHref } from "../common/places.js";
import { addressAsText, answerAsText } from "./copying.js";
import { ProofList } from "./proofs.js";
import { receiptOf } from "./receipt.js";
import { StatementWriter } from "./statements.js";
import { numberSteps } from "./steps.js";
import { nearestOf, standingInWords } from "./wording.js";

/** @typedef {(text: string) => unknown} Choose */

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
    /**
     * What says of quotations what they are in the book.
     *
     * @type {Source[]}
     */
    this.sources = [];
    /** @type {Map<number, Citation>} */
    this.citations = new Map();
    this.whole = element("div", { class: "answer", lang: book.language || null });
    this.edition = book.edition;
    /**
     * What writes the next sentence: into the whole, or into the fold of what supports it.
     *
     * @type {StatementWriter | null}
     */
    this.writer = null;
    /** @type {StatementWriter[]} */
    this.writers = [];
    this.waiting = element("p", { class: "waiting" });
  }

  /** @param {string} text */
  wait(text) {
    this.waiting.textContent = text;
    this.exchange.append(this.whole, this.waiting);
  }

  /** @param {AnswerEvent} event */
  show([name, data]) {
    if (name === "passages") this.#showPassages(data.passages);
    else if (name === "sentence") this.#showSentence(data.sentence, data.citations);
    else if (name === "done") {
      this.#showWhole(data);
      this.#suggestNext(data);
      announce(data.refusal?.message ?? t("answer.answered", { n: data.citations.length }));
    }
  }

  /**
   * Shows an answer of before, with the passages that it was made from, or else with its sources.
   *
   * @param {Answer} answer
   * @param {Passage[]} passages
   * @param {Source[]} [sources]
   */
  showKept(answer, passages, sources = passages) {
    this.passages = passages;
    this.sources = sources;
    this.exchange.append(this.whole);
    this.#showWhole(answer);
  }

  /** @param {Passage[]} passages */
  #showPassages(passages) {
    this.passages = passages;
    this.sources = passages;
    this.waiting.textContent = t("answer.checking", { n: passages.length });
  }

  /**
   * @param {Sentence} sentence
   * @param {Citation[]} citations
   */
  #showSentence(sentence, citations) {
    for (const citation of citations) this.citations.set(citation.n, citation);
    const cited = sentence.citations.map((n) => this.citations.get(n)).filter((held) => held !== undefined);
    this.whole.dir ||= directionOf(sentence.text);
    if (sentence.role === "support") this.#openSupport();
    this.writer ??= this.#writerIn(this.whole);
    this.writer.write(sentence, cited);
  }

  /** What supports the answer goes into a fold of its own, which stays open once it is opened. */
  #openSupport() {
    if (this.writer?.text.matches(".support")) return;
    const support = element("div", { class: "answer support" });
    const fold = element("details", { class: "support" }, element("summary", ours(), t("answer.support")), support);
    this.whole.append(fold);
    this.writer = this.#writerIn(support);
  }

  /** @param {HTMLElement} text */
  #writerIn(text) {
    const writer = new StatementWriter(text, this.sources, (citation, range) =>
      placeHref(this.book.slug, citation.document, { range, edition: this.edition }),
    );
    this.writers.push(writer);
    return writer;
  }

  /** @param {Answer} answer */
  #showWhole(answer) {
    this.waiting.remove();
    this.edition = answer.edition;
    this.writer = null;
    this.writers = [];
    this.whole.replaceChildren();
    this.whole.dataset.edition = String(answer.edition);
    this.exchange.querySelector(".asked")?.append(...searchedFor(answer));
    if (answer.refusal) {
      this.whole.remove();
      this.exchange.append(this.#refusal(answer, answer.refusal), standingOf(answer), this.#tools(answer));
    } else {
      for (const sentence of answer.sentences) this.#showSentence(sentence, answer.citations);
      if (mayRead()) numberSteps(this.writers.flatMap(({ steps }) => steps), this.book.slug, answer.edition);
      this.whole.classList.add("whole");
      this.exchange.append(
        standingOf(answer),
        ...missingEntities(answer.missing_entities),
        this.#tools(answer),
        new ProofList(answer, this.sources, this.book).draw(),
        ...offer(t("answer.more-on"), answer.suggested_questions, this.ask),
      );
    }
    this.exchange.append(receiptOf(answer, this.passages, this.book.slug));
  }

  /**
   * What the book answers next, where the answer was good: asked for once it is shown, so that it never waits.
   *
   * @param {Answer} answer
   */
  async #suggestNext(answer) {
    if (answer.refusal || answer.suggested_questions.length || answer.mode !== "book") return;
    const book = { ...this.book, edition: answer.edition };
    const texts = await suggestQuestions(book, answer.answer_id).catch(() => []);
    const next = offer(t("answer.ask-next"), texts, this.ask);
    if (next.length) this.exchange.querySelector(".receipt")?.before(element("div", { class: "go-on" }, ...next));
  }

  /** @param {Answer} answer */
  #tools(answer) {
    const text = () => copy(answerAsText(answer, this.book), t("answer.copied"));
    const address = () => copy(addressAsText(answer), addressTold());
    const more = () => this.find(answer.searched_question || answer.question);
    return element(
      "p",
      { class: "tools" },
      answer.refusal ? null : element("button", { class: "quiet-button", type: "button", onclick: text }, t("answer.copy")),
      isWholePage()
        ? element("button", { class: "quiet-button", type: "button", onclick: address }, t("answer.copy-link"))
        : null,
      answer.mode === "book" && !answer.refusal
        ? element("button", { class: "quiet-button", type: "button", onclick: more }, t("answer.more"))
        : null,
    );
  }

  /**
   * @param {Answer} answer
   * @param {Refusal} refusal
   */
  #refusal(answer, refusal) {
    const quoted = new ProofList(answer, this.sources, this.book);
    /** @param {string} label @param {Citation[]} citations */
    const draw = (label, citations) =>
      citations.length ? [element("p", { class: "hint" }, label), quoted.drawOpen(citations, label)] : [];
    const { told, near } = nearestOf(refusal);
    return element(
      "div",
      { class: "refusal" },
      element("p", {}, refusal.message),
      ...draw(t("answer.told-words"), told),
      ...draw(t("answer.nearest-words"), near),
      ...offer(t("answer.ask-instead"), refusal.suggested_questions, this.ask),
      ...offer(t("answer.nearest"), refusal.related_sections, this.find),
    );
  }
}

/** @param {Answer} answer */
function standingOf(answer) {
  const { level } = answer.confidence;
  return element("p", { class: `standing ${level ?? ""}`, "aria-live": "off" }, standingInWords(answer));
}

function addressTold() {
  return t(hasKey() ? "answer.link-copied-with-key" : "answer.link-copied");
}

/**
 * A follow-up is looked for with what it leaves unsaid, a misspelt word as the book has it.
 *
 * @param {Answer} answer
 */
function searchedFor({ question, searched_question: searched, corrections = [] }) {
  if (corrections.length) {
    const words = corrections.map((correction) => correction.searched).join(", ");
    return [element("p", { class: "hint" }, t("answer.searched-for", { words }))];
  }
  return searched && searched !== question ? [element("p", { class: "hint" }, t("answer.looked-for", { words: searched }))] : [];
}

/** @param {string[]} names */
function missingEntities(names) {
  const notes = names.map((name) => t("answer.unmentioned", { name }));
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
