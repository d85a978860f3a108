// @ts-check
// <quoth-chat book="…">: the conversation with a book in any page, in a shadow of its own.
//
// Attributes: `book`, its slug; `key`, one that is made for the site of the page; `label`, what the
// button says; `document`, the path of the document that the page shows, if it shows one of the book;
// `theme`, light or dark, else as the page around; `lang`, the language that it speaks, else that of the
// page around, else the browser's. A page holds one conversation.

/** @import { TextSelection } from "../document/page.js" */
/** @import { Book, Citation } from "../schema.js" */

import { connectTo, suggestQuestions } from "../common/api.js";
import { byId, liveIn } from "../common/dom.js";
import { fillWords, ours, speak, t } from "../common/language.js";
import { liveAt, readPlace } from "../common/places.js";
import { connectCards } from "../conversation/chips.js";
import { Conversation } from "../conversation/conversation.js";
import { citeCopies } from "../conversation/copying.js";
import { offerToAsk } from "../conversation/selection.js";
import { drawPanel } from "./panel.js";

const SHEET = new CSSStyleSheet();
/** The gateway that this script came from. */
const GATEWAY = new URL("/", import.meta.url).href;

/**
 * Where a citation leads, for whoever shows the book: `preventDefault` keeps the reader on the page.
 *
 * @typedef {object} Cited
 * @property {string} document
 * @property {number} start
 * @property {number} end
 * @property {string} quote The words there, "" where only their range is known.
 * @property {string | null} url Of the place on the book's own site.
 */

/**
 * The element that holds the conversation.
 *
 * @type {QuothChat | null}
 */
let shown = null;

class QuothChat extends HTMLElement {
  static observedAttributes = ["book", "label"];

  /** @type {Conversation | null} */
  conversation = null;
  isOffered = false;
  /** Until the conversation is there: its words may have to come first. */
  drawn = Promise.resolve();

  connectedCallback() {
    if (this.conversation) return;
    if (shown !== this && shown?.isConnected) {
      console.warn("A page holds one <quoth-chat>.");
      return;
    }
    shown = this;
    this.drawn = this.#begin();
  }

  async #begin() {
    const around = [this.lang, document.documentElement.lang].filter(Boolean);
    await speak([...around, ...navigator.languages]);
    if (this.conversation || !this.isConnected) return;
    this.#draw();
    this.#start();
  }

  attributeChangedCallback() {
    this.#start();
  }

  /** Opens the conversation, to write a question in it. */
  async open() {
    await this.drawn;
    this.toggleAttribute("open", true);
    byId("opener").setAttribute("aria-expanded", "true");
    byId("panel").hidden = false;
    byId("question").focus();
    this.#offerStarters();
  }

  close() {
    this.toggleAttribute("open", false);
    byId("opener").setAttribute("aria-expanded", "false");
    byId("panel").hidden = true;
    byId("opener").focus();
  }

  /**
   * Asks about a text of a document in the next question.
   *
   * @param {string} document Its path in the book.
   * @param {string} text
   */
  async askAbout(document, text) {
    await this.drawn;
    this.conversation?.select({ document, start: null, end: null, text });
    await this.open();
  }

  #draw() {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [SHEET];
    const parts = drawPanel(() => this.#toggle(), () => this.close());
    for (const part of parts) Object.assign(part, ours());
    root.replaceChildren(...parts);
    fillWords(root);
    liveIn(root);
    liveAt(GATEWAY);
    connectTo(GATEWAY, this.getAttribute("key") ?? "");
    this.conversation = new Conversation({ onEdition: () => {}, onOpen: () => {} });
    connectCards();
    citeCopies(this.conversation.box, () => this.conversation?.book ?? null);
    offerToAsk(() => this.#selected(), ({ document, text }) => this.askAbout(document, text));
    root.addEventListener("click", (event) => this.#follow(event));
    root.addEventListener("keydown", (event) => this.#leave(event), { capture: true });
  }

  #start() {
    const slug = this.getAttribute("book");
    if (!this.conversation) return;
    byId("opener").hidden = !slug;
    if (!slug) {
      console.warn("quoth-chat: the attribute book is missing, the slug of the book to ask.");
      return;
    }
    const label = this.getAttribute("label") || t("ask.book");
    byId("opener").textContent = label;
    byId("panel-title").textContent = label;
    byId("panel").setAttribute("aria-label", label);
    this.isOffered = false;
    this.conversation.start(namedBook(slug, label));
  }

  /** The first time that somebody looks: a page that nobody asks sends nothing. */
  async #offerStarters() {
    const { conversation } = this;
    const book = conversation?.book;
    if (!book || this.isOffered) return;
    this.isOffered = true;
    const starters = await suggestQuestions(book).catch(() => []);
    if (conversation.book === book) conversation.offer(starters);
  }

  #toggle() {
    if (this.hasAttribute("open")) this.close();
    else this.open();
  }

  /**
   * What is selected of the page around, where that shows a document of the book.
   *
   * @returns {TextSelection | null}
   */
  #selected() {
    const path = this.getAttribute("document");
    const selection = getSelection();
    const text = selection?.toString().trim();
    if (!path || !text || !selection?.rangeCount) return null;
    if (selection.getRangeAt(0).intersectsNode(this)) return null;
    return { document: path, start: null, end: null, text };
  }

  /**
   * A place in the book is gone to by whoever shows the book, else on its own site or in Quoth's page.
   *
   * @param {Event} event
   */
  #follow(event) {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link?.href.startsWith(`${GATEWAY}#/`)) return;
    const cited = this.#cited(link.href);
    const wanted = new CustomEvent("quoth-cite", { detail: cited, bubbles: true, composed: true, cancelable: true });
    if (!this.dispatchEvent(wanted)) {
      event.preventDefault();
      return;
    }
    link.href = siteAddress(cited) ?? link.href;
    link.target = new URL(link.href).origin === location.origin ? "" : "_blank";
    link.rel = "noopener";
  }

  /**
   * @param {string} href
   * @returns {Cited}
   */
  #cited(href) {
    const { path, range } = readPlace(new URL(href).hash);
    const { start = 0, end = 0 } = range ?? {};
    const isThere = (/** @type {Pick<Citation, "document" | "start">} */ held) =>
      held.document === path && held.start === start;
    const replies = this.conversation?.sessions.current.messages ?? [];
    const citation = replies.flatMap(({ answer }) => answer?.citations ?? []).findLast(isThere);
    const passage = replies.flatMap(({ passages = [] }) => passages).findLast(isThere);
    const quote = citation?.quote ?? passage?.text ?? "";
    return { document: path, start, end, quote, url: citation?.url ?? passage?.url ?? null };
  }

  /** @param {Event} event */
  #leave(event) {
    if (!(event instanceof KeyboardEvent) || event.key !== "Escape") return;
    // What stands over the panel goes first.
    if (!this.shadowRoot?.querySelector(":popover-open")) this.close();
  }
}

/**
 * A book of which only the name is known, in whichever edition: a key of a site may ask, not read.
 *
 * @param {string} slug
 * @param {string} title
 * @returns {Book}
 */
function namedBook(slug, title) {
  const unknown = { edition: 0, document_count: 0, chunk_count: 0, language: "", languages: [], publish_time: null, authors: [], year: 0 };
  return { slug, title, ...unknown };
}

/**
 * The place on the book's own site, where browsers light the words.
 *
 * @param {Cited} cited
 */
function siteAddress({ url, quote }) {
  const address = url && URL.canParse(url) ? new URL(url) : null;
  if (!address || !["http:", "https:"].includes(address.protocol)) return null;
  const words = quote.split(/\s+/).slice(0, 12).map(encodeURIComponent).join("%20").replaceAll("-", "%2D");
  if (words) address.hash = `${address.hash}:~:text=${words}`;
  return address.href;
}

/**
 * Defines the element. Called at the end of the joined script, with the joined style sheets.
 *
 * @param {string} styles
 */
export function defineChat(styles) {
  SHEET.replaceSync(styles);
  if (!customElements.get("quoth-chat")) customElements.define("quoth-chat", QuothChat);
}
