// @ts-check
// The conversation with a book: questions, sentences as they pass, their proofs, refusals, errors.

/** @import { TextSelection } from "../document/page.js" */
/** @import { Source } from "../document/quotations.js" */
/** @import { Answer, Book, SelectionBody } from "../schema.js" */
/** @import { Message } from "./sessions.js" */

import { Interrupted, mayRead, searchBook, streamAnswer } from "../common/api.js";
import { announce, byId, element, reveal } from "../common/dom.js";
import { t } from "../common/language.js";
import { tab } from "../common/storage.js";
import { AnswerView } from "./answer.js";
import { Composer } from "./composer.js";
import { askedHeader, failure, interruption, welcome } from "./exchange.js";
import { drawFound, lookUpWords } from "./foundwords.js";
import { recall, remember } from "./resume.js";
import { SessionList } from "./sessionlist.js";
import { EXPLAIN, exchangesOf, makeId, Sessions } from "./sessions.js";

const MARGIN = 24;

export class Conversation {
  /**
   * @param {{ onEdition: () => unknown, onOpen: () => unknown }} events What to do when an answer is
   *   of another edition than the book's, and when there is something to see here.
   */
  constructor({ onEdition, onOpen }) {
    this.onEdition = onEdition;
    this.onOpen = onOpen;
    this.box = byId("conversation");
    this.sessions = new Sessions(tab);
    /** @type {Book | null} */
    this.book = null;
    /**
     * Questions that the book answers, for who begins.
     *
     * @type {string[]}
     */
    this.starters = [];
    /** @type {AbortController | null} */
    this.running = null;
    this.composer = new Composer({
      onAsk: (question, selection) => this.ask(question, selection),
      onFind: (question) => this.find(question),
      onStop: () => this.running?.abort(),
    });
    this.list = new SessionList(this.sessions, () => this.#draw());
    this.box.addEventListener("scroll", () => this.#keepScroll(), { passive: true });
  }

  /** @param {Book} book */
  start(book) {
    const isOpen = this.book?.slug === book.slug;
    this.book = book;
    if (isOpen) return;
    this.starters = [];
    this.sessions.open(book.slug);
    this.composer.start(book.slug);
    this.#draw(recall(book.slug).scroll);
  }

  /**
   * Offers questions to who has not asked any yet.
   *
   * @param {string[]} questions
   */
  offer(questions) {
    this.starters = questions;
    this.box.querySelector(":scope > .welcome")?.replaceWith(this.#welcome());
  }

  #welcome() {
    return welcome(this.starters, (question) => this.running || this.ask(question, null));
  }

  /** @param {TextSelection | null} selection */
  select(selection) {
    this.composer.select(selection);
  }

  /**
   * Shows an answer that was given before, in the conversation that it stands in.
   *
   * @param {Answer} answer Of the open book.
   * @param {Source[]} sources
   */
  showAnswer(answer, sources) {
    this.sessions.openAt(answer, sources);
    this.#draw();
    this.onOpen();
    const at = exchangesOf(this.sessions.current).findIndex(
      ({ reply }) => reply?.answer?.answer_id === answer.answer_id,
    );
    const exchange = this.box.children[at];
    this.#scrollTo(exchange instanceof HTMLElement ? exchange.offsetTop - this.box.offsetTop : 0);
  }

  /**
   * Draws the open conversation anew, down to where it was read.
   *
   * @param {number} [scroll]
   */
  #draw(scroll) {
    const { book } = this;
    if (!book) return;
    this.running?.abort();
    this.running = null;
    this.composer.setBusy(false);
    this.list.show(book);
    const drawn = exchangesOf(this.sessions.current).map(({ asked, reply }) => this.#redraw(book, asked, reply));
    this.box.replaceChildren(...(drawn.length ? drawn : [this.#welcome()]));
    this.#scrollTo(scroll ?? this.box.scrollHeight);
  }

  /**
   * @param {Book} book
   * @param {Message} asked
   * @param {Message | null} reply
   */
  #redraw(book, asked, reply) {
    const exchange = element("section", { class: "exchange" });
    try {
      exchange.append(askedHeader(asked));
      if (!reply) exchange.append(interruption(() => this.#askAgain(exchange, asked)));
      else this.#drawReply(exchange, book, reply);
    } catch {
      // It was kept by another version of the page, or by something else: its words are shown.
      exchange.replaceChildren(askedHeader({ ...asked, selection: null }), element("p", {}, reply?.content));
    }
    return exchange;
  }

  /**
   * @param {HTMLElement} exchange
   * @param {Book} book
   * @param {Message} reply
   */
  #drawReply(exchange, book, { answer, passages = [], sources, exact, edition, content }) {
    if (answer) this.#viewOf(exchange, book).showKept(answer, passages, sources);
    else if (edition) exchange.append(drawFound(passages, exact, book.slug, edition));
    else exchange.append(element("p", {}, content));
  }

  /**
   * @param {HTMLElement} exchange
   * @param {Book} book
   */
  #viewOf(exchange, book) {
    return new AnswerView(exchange, book, {
      ask: (text) => this.running || this.ask(text, null),
      find: (title) => this.find(title),
    });
  }

  /**
   * @param {HTMLElement} exchange
   * @param {Message} asked
   */
  #askAgain(exchange, asked) {
    if (this.running) return;
    // With another conversation before it the question is another.
    const key = this.sessions.current.messages.at(-1) === asked ? asked.key : undefined;
    exchange.remove();
    this.sessions.take(asked);
    const { content, selection = null, search } = asked;
    if (search) this.find(content);
    else this.ask(content === EXPLAIN && selection ? "" : content, selection, key);
  }

  /**
   * @param {string} question
   * @param {TextSelection | null} selection
   * @param {string} [key] Of a question that is asked again: what was answered already is not answered anew.
   */
  async ask(question, selection, key = makeId()) {
    const { book } = this;
    if (!book) return;
    const body = { question, selection: asBody(selection), history: this.sessions.history() };
    const mode = selection ? "selected_text" : "rag";
    const asked = this.sessions.add({ role: "user", content: question || EXPLAIN, mode, selection, key });
    const exchange = this.#begin(asked);
    const view = this.#viewOf(exchange, book);
    await this.#run(exchange, asked, async (signal) => {
      view.wait(t("exchange.reading"));
      for await (const event of streamAnswer(book.slug, body, { signal, key })) {
        view.show(event);
        if (event[0] === "done") this.#remember(event[1], view.passages);
        this.#follow(exchange);
      }
    });
  }

  /** @param {string} question */
  async find(question) {
    const { book } = this;
    if (this.running || !book) return;
    const asked = this.sessions.add({ role: "user", content: question, mode: "rag", search: true });
    const exchange = this.#begin(asked);
    await this.#run(exchange, asked, async (signal) => {
      const waiting = exchange.appendChild(element("p", { class: "waiting" }, t("exchange.looking")));
      const [{ passages, edition }, found] = await Promise.all([
        searchBook(book.slug, { question }, signal),
        mayRead() ? lookUpWords(book.slug, { words: question }, signal) : undefined,
      ]);
      const exact = found && { ...found, words: question };
      const content = passages.length ? "" : t("found.nothing");
      waiting.remove();
      this.#drawReply(exchange, book, this.#reply({ content, passages, exact, edition }));
      this.#follow(exchange);
    });
  }

  /**
   * Runs one piece of work; if it fails, takes back what it showed and says why.
   *
   * @param {HTMLElement} exchange
   * @param {Message} asked
   * @param {(signal: AbortSignal) => Promise<void>} work
   */
  async #run(exchange, asked, work) {
    const running = new AbortController();
    this.running = running;
    this.composer.setBusy(true);
    exchange.setAttribute("aria-busy", "true");
    try {
      await work(running.signal);
    } catch (error) {
      // Only of an answer that broke off there may be one: what was refused or stopped is asked anew.
      if (!(error instanceof Interrupted)) delete asked.key;
      exchange.querySelectorAll(":scope > :not(.asked)").forEach((part) => part.remove());
      exchange.append(failure(error, () => this.#askAgain(exchange, asked)));
      this.#follow(exchange);
    } finally {
      exchange.removeAttribute("aria-busy");
      // Another conversation may be open by now, and at work.
      if (this.running === running) {
        this.running = null;
        this.composer.setBusy(false);
      }
    }
  }

  /** @param {Message} asked */
  #begin(asked) {
    this.box.querySelector(":scope > .welcome")?.remove();
    const exchange = element("section", { class: "exchange" }, askedHeader(asked));
    this.box.append(exchange);
    // What was said of the question before is over.
    announce("");
    if (this.book) this.list.show(this.book);
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
   * @param {Answer} answer
   * @param {Message["passages"]} passages
   */
  #remember(answer, passages) {
    this.#reply({ content: answer.text, answer, passages });
    if (answer.edition !== this.book?.edition) this.onEdition();
  }

  /**
   * @param {Pick<Message, "content" | "answer" | "passages" | "exact" | "edition">} said
   */
  #reply(said) {
    const mode = said.answer?.mode === "selection" ? "selected_text" : "rag";
    const reply = this.sessions.add({ role: "assistant", mode, ...said });
    if (!this.sessions.isKept && !this.box.querySelector(":scope > .unkept")) {
      this.box.prepend(element("p", { class: "hint unkept" }, t("conversation.unkept")));
    }
    return reply;
  }

  #keepScroll() {
    const { book, box } = this;
    if (book && box.clientHeight) remember(book.slug, { scroll: Math.round(box.scrollTop) });
  }

  /**
   * A panel that is closed can't be scrolled: it is once it opens.
   *
   * @param {number} scroll
   */
  #scrollTo(scroll) {
    const opened = new ResizeObserver(() => {
      if (!this.box.clientHeight) return;
      opened.disconnect();
      this.box.scrollTop = scroll;
    });
    this.box.scrollTop = scroll;
    if (!this.box.clientHeight) opened.observe(this.box);
  }
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
