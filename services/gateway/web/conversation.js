// @ts-check
// The conversation with a book: questions, sentences as they pass, their proofs, refusals, errors.

/** @import { TextSelection } from "./page.js" */
/** @import { Answer, Book, MessageBody, SelectionBody } from "./schema.js" */

import { AnswerView } from "./answer.js";
import { Interrupted, isAbort, Problem, searchBook, streamAnswer } from "./api.js";
import { byId, element, reveal } from "./dom.js";
import { withFormulas } from "./math.js";
import { passageList } from "./receipt.js";

const MAX_MESSAGES = 10;
const MAX_CHARACTERS = 4000;
const MAX_SELECTION = 5000;
const SHOWN_SELECTION = 180;
const MARGIN = 24;

const CANNOT_RETRY = new Set(["invalid_input", "malformed", "too_large", "not_found"]);

export class Conversation {
  /**
   * @param {{ onEdition: () => unknown, onOpen: () => unknown }} events What to do when an answer is
   *   of another edition than the book's, and when there is something to see here.
   */
  constructor({ onEdition, onOpen }) {
    this.onEdition = onEdition;
    this.onOpen = onOpen;
    this.box = byId("conversation");
    this.question = byId("question", HTMLTextAreaElement);
    this.send = byId("send");
    /** @type {Book | null} */
    this.book = null;
    /** @type {AbortController | null} */
    this.running = null;
    /** @type {TextSelection | null} */
    this.selection = null;
    /** @type {MessageBody[]} */
    this.history = [];
    byId("composer").addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.running) this.running.abort();
      else this.#submit();
    });
    byId("search").addEventListener("click", () => this.#submitSearch());
    this.question.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      if (!this.running) this.#submit();
    });
    this.question.addEventListener("input", () => this.#fit());
  }

  /** @param {Book} book */
  start(book) {
    if (this.book?.slug === book.slug) {
      this.book = book;
      return;
    }
    this.running?.abort();
    this.book = book;
    this.history = [];
    this.select(null);
    this.box.replaceChildren(this.#welcome());
  }

  #welcome() {
    return element(
      "div",
      { class: "welcome" },
      element("h2", {}, "Ask this book"),
      element(
        "p",
        {},
        "Every sentence of an answer carries the book’s own words. Where the book does not say, Quoth says so.",
      ),
      element("p", { class: "hint" }, "Or mark a passage in the text and ask about it."),
    );
  }

  /** @param {TextSelection | null} selection */
  select(selection) {
    this.selection = selection;
    this.question.placeholder = selection ? "Ask about this, or just press Ask…" : "Ask the book…";
    byId("selection").replaceChildren(...(selection ? this.#draw(selection) : []));
  }

  /** @param {TextSelection} selection */
  #draw(selection) {
    const characters = [...selection.text];
    const text =
      characters.length > SHOWN_SELECTION
        ? `${characters.slice(0, SHOWN_SELECTION).join("")}…`
        : selection.text;
    const remove = () => {
      this.select(null);
      this.question.focus();
    };
    const figure = element(
      "figure",
      { class: "selection" },
      element("blockquote", {}, ...withFormulas(text)),
      element(
        "button",
        { class: "icon-button", type: "button", "aria-label": "Remove the marked passage", onclick: remove },
        "×",
      ),
    );
    if (characters.length <= MAX_SELECTION) return [figure];
    return [figure, element("p", { class: "notice" }, `Mark at most ${MAX_SELECTION} characters.`)];
  }

  #submit() {
    const question = this.question.value.trim();
    if (!question && !this.selection) {
      this.question.focus();
      return;
    }
    const selection = this.selection;
    this.#clearComposer();
    this.ask(question, selection);
  }

  #submitSearch() {
    const question = this.question.value.trim();
    if (this.running) return;
    if (!question) {
      this.question.focus();
      return;
    }
    this.#clearComposer();
    this.find(question);
  }

  #clearComposer() {
    this.question.value = "";
    this.#fit();
    this.select(null);
  }

  #fit() {
    this.question.style.height = "auto";
    this.question.style.height = `${Math.min(this.question.scrollHeight + 2, 220)}px`;
  }

  /**
   * @param {string} question
   * @param {TextSelection | null} selection
   */
  async ask(question, selection) {
    const { book } = this;
    if (!book) return;
    const asked = question || "Explain this passage.";
    const exchange = this.#begin(asked, selection);
    const answer = new AnswerView(exchange, book, {
      ask: (text) => this.running || this.ask(text, null),
      find: (title) => this.find(title),
    });
    const body = { question, selection: asBody(selection), history: this.history };
    await this.#run(exchange, () => this.ask(question, selection), async (signal) => {
      answer.wait("Reading…");
      for await (const event of streamAnswer(book.slug, body, signal)) {
        answer.show(event);
        if (event[0] === "done") this.#remember(asked, event[1]);
        this.#follow(exchange);
      }
    });
  }

  /** @param {string} question */
  async find(question) {
    const { book } = this;
    if (this.running || !book) return;
    const exchange = this.#begin(question, null, "Passages on");
    await this.#run(exchange, () => this.find(question), async (signal) => {
      const waiting = exchange.appendChild(element("p", { class: "waiting" }, "Looking…"));
      const found = await searchBook(book.slug, { question }, signal);
      waiting.remove();
      exchange.append(
        found.passages.length
          ? passageList(found.passages, book.slug, found.edition)
          : element("p", {}, "No passage found."),
      );
      this.#follow(exchange);
    });
  }

  /**
   * Runs one piece of work; if it fails, takes back what it showed and says why.
   *
   * @param {HTMLElement} exchange
   * @param {() => unknown} again
   * @param {(signal: AbortSignal) => Promise<void>} work
   */
  async #run(exchange, again, work) {
    this.running = new AbortController();
    this.send.textContent = "Stop";
    this.send.classList.add("stop");
    exchange.setAttribute("aria-busy", "true");
    try {
      await work(this.running.signal);
    } catch (error) {
      exchange.querySelectorAll(":scope > :not(.asked)").forEach((part) => part.remove());
      exchange.append(failure(error, again, exchange));
      this.#follow(exchange);
    } finally {
      this.running = null;
      this.send.textContent = "Ask";
      this.send.classList.remove("stop");
      exchange.removeAttribute("aria-busy");
    }
  }

  /**
   * @param {string} question
   * @param {TextSelection | null} selection
   */
  #begin(question, selection, prefix = "") {
    this.box.querySelector(".welcome")?.remove();
    const asked = element(
      "header",
      { class: "asked" },
      selection ? element("blockquote", {}, ...withFormulas(selection.text)) : null,
      element("h3", {}, prefix ? element("span", { class: "prefix" }, `${prefix} `) : null, question),
    );
    const exchange = element("section", { class: "exchange" }, asked);
    this.box.append(exchange);
    this.onOpen();
    reveal(exchange, this.box);
    return exchange;
  }

  /** @param {HTMLElement} exchange */
  #follow(exchange) {
    const room = this.box.getBoundingClientRect();
    const { top, bottom, height } = exchange.getBoundingClientRect();
    if (bottom <= room.bottom) return;
    // What is taller than the panel shows its beginning.
    this.box.scrollTop += height > room.height - 2 * MARGIN ? top - room.top - MARGIN : bottom - room.bottom + MARGIN;
  }

  /**
   * @param {string} question
   * @param {Answer} answer
   */
  #remember(question, answer) {
    this.history.push(
      { role: "user", content: cut(question) },
      { role: "assistant", content: cut(answer.text) },
    );
    this.history = this.history.slice(-MAX_MESSAGES);
    if (answer.edition !== this.book?.edition) this.onEdition();
  }
}

/** @param {string} text */
function cut(text) {
  return [...text].slice(0, MAX_CHARACTERS).join("") || "…";
}

/**
 * @param {TextSelection | null} selection
 * @returns {SelectionBody | null}
 */
function asBody(selection) {
  if (!selection) return null;
  const { document, start, end, text } = selection;
  return { document, start, end, text };
}

/**
 * @param {unknown} error
 * @param {() => unknown} again
 * @param {HTMLElement} exchange
 */
function failure(error, again, exchange) {
  const retry = () => {
    exchange.remove();
    again();
  };
  const button = element("button", { class: "quiet-button", type: "button", onclick: retry }, "Try again");
  if (isAbort(error)) return element("div", { class: "notice" }, "Stopped. ", button);
  if (error instanceof Interrupted) {
    return element(
      "div",
      { class: "notice" },
      "The answer was interrupted, so what had come of it was taken back. ",
      button,
    );
  }
  const known = error instanceof Problem;
  const text = known ? error.message : "Something went wrong on this page.";
  if (!known) console.error(error);
  const useless = known && CANNOT_RETRY.has(error.code);
  return element("div", { class: "notice", role: "alert" }, `${text} `, useless ? null : button);
}
