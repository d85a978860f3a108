// @ts-check
// The conversations of this tab: the one that is open, and those with other books or of before.
//
// The open one stands under `chatbot_session` as a session of its own: an id made with the first
// message, the time it was made, and the messages. A tab keeps its own and never touches another's.

/** @import { TextSelection } from "../document/page.js" */
/** @import { Answer, MessageBody, Passage } from "../schema.js" */
/** @import { Source } from "../document/quotations.js" */
/** @import { KeptValues } from "../common/storage.js" */
/** @import { ExactWords } from "./foundwords.js" */

import { t } from "../common/language.js";

/**
 * What was said, and beside it what it takes to draw it again.
 *
 * @typedef {object} Message
 * @property {"user" | "assistant"} role
 * @property {string} content
 * @property {string} timestamp ISO 8601.
 * @property {"rag" | "selected_text"} mode
 * @property {TextSelection | null} [selection] What the reader selected for the question.
 * @property {string} [key] Under which an answer to this question is found again.
 * @property {boolean} [search] Whether passages were looked for, and no answer.
 * @property {Answer} [answer]
 * @property {Passage[]} [passages]
 * @property {Source[]} [sources] What stands for the passages of an answer that was found by its id.
 * @property {ExactWords | null} [exact] Where the exact words stand.
 * @property {number} [edition] The one that the passages are of.
 */
/** @typedef {{ session_id: string, book: string, created_at: string, messages: Message[] }} Session */

/** What stands for a question that is a passage alone, for whoever answers. */
export const EXPLAIN = "Explain this passage.";

const KEY = "chatbot_session";
const OTHERS = "chatbot_session_others";
const MAX_MESSAGES = 50;
const MAX_OTHERS = 30;
const MAX_SENT = 10;
const MAX_CHARACTERS = 4000;

export class Sessions {
  /** @param {KeptValues} values */
  constructor(values) {
    this.values = values;
    const others = values.readJson(OTHERS);
    /** @type {Session[]} */
    this.others = (Array.isArray(others) ? others : []).map(readSession).filter((held) => held !== null);
    this.current = readSession(values.readJson(KEY)) ?? emptySession("");
    /** Whether what was said last will survive a reload. */
    this.isKept = true;
  }

  /**
   * Goes on with the newest conversation with a book, or begins one.
   *
   * @param {string} book
   */
  open(book) {
    if (this.current.book === book) return;
    const newest = this.#of(book, this.others).at(0);
    this.#putAside();
    this.#take(newest ?? emptySession(book));
  }

  begin() {
    const { book } = this.current;
    this.#putAside();
    this.#take(emptySession(book));
  }

  /** @param {string} id */
  choose(id) {
    const chosen = this.others.find((session) => session.session_id === id);
    if (!chosen) return;
    this.#putAside();
    this.#take(chosen);
  }

  /**
   * Goes to the conversation that an answer stands in; begins one with it where there is none.
   *
   * @param {Answer} answer
   * @param {Source[]} sources
   */
  openAt(answer, sources) {
    const holds = (/** @type {Session} */ { messages }) =>
      messages.some((message) => message.answer?.answer_id === answer.answer_id);
    if (holds(this.current)) return;
    const held = this.others.find((session) => session.book === answer.book && holds(session));
    if (held) {
      this.choose(held.session_id);
      return;
    }
    if (this.current.messages.length) this.begin();
    const mode = answer.mode === "selection" ? "selected_text" : "rag";
    this.add({ role: "user", content: answer.question || EXPLAIN, mode });
    this.add({ role: "assistant", content: answer.text, mode, answer, sources });
  }

  /** @param {string} id */
  delete(id) {
    this.others = this.others.filter((session) => session.session_id !== id);
    if (this.current.session_id === id) this.current = emptySession(this.current.book);
    this.#save();
  }

  /** The conversations with the book of the open one, the newest first. */
  list() {
    return this.#of(this.current.book, [this.current, ...this.others]);
  }

  /**
   * @param {Omit<Message, "timestamp">} said
   * @returns {Message}
   */
  add(said) {
    const message = { ...said, timestamp: new Date().toISOString() };
    const { current } = this;
    current.session_id ||= makeId();
    current.created_at ||= message.timestamp;
    current.messages.push(message);
    trim(current);
    this.#save();
    return message;
  }

  /** @param {Message} message */
  take(message) {
    this.current.messages = this.current.messages.filter((held) => held !== message);
    this.#save();
  }

  /**
   * What is sent with the next question: what was asked and answered last.
   *
   * @returns {MessageBody[]}
   */
  history() {
    const said = exchangesOf(this.current).filter(({ reply }) => reply?.answer);
    return said
      .flatMap(({ asked, reply }) => [asked, reply])
      .filter((message) => message !== null)
      .map(({ role, content }) => ({ role, content: cut(content) }))
      .slice(-MAX_SENT);
  }

  #putAside() {
    if (this.current.messages.length) this.others.push(this.current);
    this.others.sort(byAge);
    this.others = this.others.slice(-MAX_OTHERS);
  }

  /** @param {Session} session */
  #take(session) {
    this.others = this.others.filter((held) => held !== session);
    this.current = session;
    this.#save();
  }

  /**
   * Makes room for the open conversation where the browser keeps no more: the oldest goes first.
   */
  #save() {
    let rest = this.others;
    while (!this.#write(rest) && rest.length) rest = rest.slice(1);
    this.isKept = this.#write(rest);
  }

  /** @param {Session[]} others */
  #write(others) {
    // What takes room is made smaller before anything is made larger.
    const isKept = this.values.write(OTHERS, JSON.stringify(others));
    if (!this.current.messages.length) {
      this.values.remove(KEY);
      return isKept;
    }
    return this.values.write(KEY, JSON.stringify(this.current)) && isKept;
  }

  /**
   * @param {string} book
   * @param {Session[]} sessions
   */
  #of(book, sessions) {
    return sessions.filter((held) => held.book === book && held.messages.length).sort(byAge).reverse();
  }
}

/**
 * Questions, each with its reply where one came.
 *
 * @param {Session} session
 */
export function exchangesOf({ messages }) {
  /** @type {{ asked: Message, reply: Message | null }[]} */
  const exchanges = [];
  for (const message of messages) {
    const last = exchanges.at(-1);
    if (message.role === "user") exchanges.push({ asked: message, reply: null });
    else if (last && !last.reply) last.reply = message;
  }
  return exchanges;
}

/** @param {Session} session */
function trim(session) {
  session.messages = session.messages.slice(-MAX_MESSAGES);
  // A reply whose question is gone says nothing.
  while (session.messages.at(0)?.role === "assistant") session.messages.shift();
}

/**
 * @param {string} book
 * @returns {Session}
 */
function emptySession(book) {
  return { session_id: "", book, created_at: "", messages: [] };
}

/**
 * @param {Session} one
 * @param {Session} other
 */
function byAge(one, other) {
  const [before, after] = [one, other].map(({ messages }) => messages.at(-1)?.timestamp ?? "");
  return before < after ? -1 : Number(before > after);
}

/**
 * A session as it was kept; null for what is none, whoever wrote it.
 *
 * @param {any} kept
 * @returns {Session | null}
 */
function readSession(kept) {
  if (!isText(kept?.session_id) || !isText(kept.book) || !isText(kept.created_at)) return null;
  if (!Array.isArray(kept.messages)) return null;
  const { session_id, book, created_at } = kept;
  const session = { session_id, book, created_at, messages: kept.messages.filter(isMessage) };
  trim(session);
  return session;
}

/** @param {any} kept */
function isMessage(kept) {
  return ["user", "assistant"].includes(kept?.role) && isText(kept.content) && isText(kept.timestamp);
}

/** @param {unknown} value */
function isText(value) {
  return typeof value === "string";
}

/** @param {string} text */
function cut(text) {
  return [...text].slice(0, MAX_CHARACTERS).join("") || "…";
}

/** A random UUID: `crypto.randomUUID` is missing where the page comes without TLS. */
export function makeId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/**
 * What was asked, as the reader is told of it.
 *
 * @param {Pick<Message, "content">} asked
 */
export function askedInWords({ content }) {
  return content === EXPLAIN ? t("exchange.explain") : content;
}
