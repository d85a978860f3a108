// @ts-check
// The book that is open: its documents, the page that is read, and the way to a place in it.

/** @import { Conversation } from "../conversation/conversation.js" */
/** @import { Place, Spot } from "../common/places.js" */
/** @import { Book, Document as BookDocument, DocumentSummary } from "../schema.js" */

import { getBook, getPart, listDocuments, Problem } from "../common/api.js";
import { announce, byId, element, prefersStillness } from "../common/dom.js";
import { t } from "../common/language.js";
import { closeContents, setSheet, setView, show, skeleton } from "../common/layout.js";
import { frontHref, placeHref } from "../common/places.js";
import { Links } from "../document/links.js";
import { Page } from "../document/page.js";
import { showContents } from "./contents.js";
import { drawFront, introduce } from "./front.js";
import { hasOriginal, Original } from "./original.js";

/** Characters of the parts that a document comes in: the first is read while the others are on their way. */
const FIRST_PART = 40_000;
const NEXT_PARTS = 200_000;

/**
 * Whether the address still says what is being loaded.
 *
 * @typedef {() => boolean} IsWanted
 */

export class Reader {
  /** @param {Conversation} conversation */
  constructor(conversation) {
    this.conversation = conversation;
    /** @type {Book | null} */
    this.book = null;
    /**
     * The book that the shelf has just read; it need not be asked for again.
     *
     * @type {Book | null}
     */
    this.known = null;
    /** @type {DocumentSummary[]} */
    this.documents = [];
    /** The edition whose documents are listed. */
    this.listed = 0;
    /** @type {Page | null} */
    this.page = null;
    /**
     * Its pages as they are printed, where it has any.
     *
     * @type {Original | null}
     */
    this.original = null;
    /** What says that the page goes on. */
    this.rest = element("div", { class: "rest" });
    this.path = "";
    /** The edition of the page. */
    this.edition = 0;
    this.isFront = false;
  }

  close() {
    this.book = null;
    this.isFront = false;
    document.title = "Quoth";
    byId("bar-title").textContent = "";
    byId("bar-title").removeAttribute("href");
    byId("bar-edition").hidden = true;
  }

  /** Whoever comes back to the page opens it again. */
  forgetPage() {
    this.page = null;
    document.querySelector("#contents [aria-current]")?.removeAttribute("aria-current");
  }

  /**
   * @param {Place} place
   * @param {number | null} y How far down it was read before, in pixels; null if it was not.
   * @param {IsWanted} isWanted
   */
  async open(place, y, isWanted) {
    const book = this.book?.slug === place.slug ? this.book : await this.#openBook(place.slug, isWanted);
    if (!book) return;
    const edition = place.edition ?? book.edition;
    if (!place.path && edition === book.edition) {
      await this.#openFront(book, y, isWanted);
      return;
    }
    setView("book");
    this.isFront = false;
    if (edition !== this.listed) {
      const { documents } = await listDocuments(book.slug, unlessCurrent(book, edition));
      if (!isWanted()) return;
      this.#list(documents, edition);
      this.page = null;
    }
    const path = place.path || this.documents[0]?.path;
    if (!path) {
      show(element("p", { class: "notice" }, t("no-documents")));
      return;
    }
    const isOpen = this.path === path && this.edition === edition;
    const page = (isOpen && this.page) || (await this.#openDocument(book, path, edition, isWanted));
    if (!page) return;
    await page.until(() => isThere(page, place, y));
    if (!isWanted() || this.page !== page) return;
    goTo(page, place, y);
    this.original?.follow(place.range);
    void this.#readOn(page);
  }

  /**
   * Draws what has not come yet of a long document, as long as it is read.
   *
   * @param {Page} page
   */
  async #readOn(page) {
    try {
      await page.until(() => this.page !== page);
      this.rest.replaceChildren();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const again = () => {
        this.rest.replaceChildren(t("reader.coming"));
        void this.#readOn(page);
      };
      const button = element("button", { class: "quiet-button", type: "button", onclick: again }, t("frame.try-again"));
      const words = `${t("reader.rest-failed", { reason: error.message })} `;
      if (this.page === page) this.rest.replaceChildren(element("p", { class: "notice", role: "alert" }, words, button));
    }
  }

  /**
   * The book if it stands on the page at this place, and whether it is its text; null while it does not.
   *
   * @param {Place} place
   */
  shownAt({ slug, path, edition, answer }) {
    const { book } = this;
    if (book?.slug !== slug) return null;
    if (answer || (this.isFront && !path)) return { slug, isText: false };
    if (!this.page) return null;
    const isHere = this.path === (path || this.documents[0]?.path) && this.edition === (edition ?? book.edition);
    return isHere ? { slug, isText: true } : null;
  }

  /**
   * @param {Book} book
   * @param {number | null} y
   * @param {IsWanted} isWanted
   */
  async #openFront(book, y, isWanted) {
    if (this.listed !== book.edition) {
      const { documents } = await listDocuments(book.slug);
      if (!isWanted()) return;
      this.#list(documents, book.edition);
    }
    this.page = null;
    this.path = "";
    this.isFront = true;
    setView("front");
    document.title = book.title;
    closeContents();
    setSheet(false);
    const ask = (/** @type {string} */ question) => this.conversation.running || this.conversation.ask(question, null);
    show(drawFront(book, this.documents, (path, spot) => this.#hrefOf(book, path, spot), ask));
    scrollTo({ top: y ?? 0, behavior: "instant" });
    const { starters } = await introduce(book);
    if (this.book === book) this.conversation.offer(starters);
  }

  /** Shows what is new when an edition was published while the page was open. */
  async refresh() {
    if (!this.book) return;
    const { slug } = this.book;
    const [book, { documents }] = await Promise.all([getBook(slug), listDocuments(slug)]);
    if (this.book?.slug !== slug) return;
    this.#show(book, documents);
    if (this.isFront) await this.#openFront(book, scrollY, () => this.isFront);
  }

  /**
   * @param {string} slug
   * @param {IsWanted} isWanted
   */
  async #openBook(slug, isWanted) {
    setView("loading");
    const known = this.known?.slug === slug ? this.known : null;
    this.known = null;
    const [book, { documents }] = await Promise.all([known ?? getBook(slug), listDocuments(slug)]);
    if (!isWanted()) return null;
    this.page = null;
    this.#show(book, documents);
    return book;
  }

  /**
   * @param {Book} book
   * @param {DocumentSummary[]} documents Of its current edition.
   */
  #show(book, documents) {
    this.book = book;
    this.#list(documents, book.edition);
    byId("bar-title").textContent = book.title;
    byId("bar-title").setAttribute("href", frontHref(book.slug));
    byId("bar-edition").textContent = t("edition-title", { edition: String(book.edition) });
    byId("bar-edition").hidden = false;
    this.conversation.start(book);
    this.#showContents(book);
  }

  /**
   * @param {DocumentSummary[]} documents
   * @param {number} edition
   */
  #list(documents, edition) {
    this.documents = documents;
    this.listed = edition;
  }

  /**
   * @param {Book} book
   * @param {string} path
   * @param {number} edition
   * @param {IsWanted} isWanted
   */
  async #openDocument(book, path, edition, isWanted) {
    show(skeleton());
    const summary = this.documents.find((one) => one.path === path) ?? { path, content_hash: "" };
    const partFrom = (/** @type {number} */ start) =>
      getPart(book.slug, summary, { edition, start, length: start ? NEXT_PARTS : FIRST_PART });
    const held = await partFrom(0);
    if (!isWanted()) return null;
    const links = new Links(this.documents.map((one) => one.path));
    const page = new Page(held, { links, hrefOf: (to, spot) => this.#hrefOf(book, to, spot) }, partFrom);
    page.article.lang = book.language;
    this.page = page;
    this.path = path;
    this.edition = edition;
    document.title = `${held.title} – ${book.title}`;
    this.original = hasOriginal(held) ? new Original(page.held, page.article) : null;
    const printed = this.original?.element ?? null;
    byId("bar-printed").replaceChildren(this.original?.toggle ?? "");
    this.rest.replaceChildren(...(page.isWhole ? [] : [t("reader.coming")]));
    show(otherEdition(book, held), printed, page.article, this.rest, this.#neighbours(book, path));
    scrollTo({ top: 0 });
    this.#showContents(book);
    return page;
  }

  /** @param {Book} book */
  #showContents(book) {
    const open = { path: this.path, sections: this.page?.held.sections ?? [] };
    showContents(this.documents, open, (path, spot) => this.#hrefOf(book, path, spot));
  }

  /**
   * Who reads an earlier edition goes on in it.
   *
   * @param {Book} book
   * @param {string} path
   * @param {Spot} [spot]
   */
  #hrefOf(book, path, spot) {
    return placeHref(book.slug, path, { ...spot, edition: unlessCurrent(book, this.listed) });
  }

  /**
   * @param {Book} book
   * @param {string} path
   */
  #neighbours(book, path) {
    const at = this.documents.findIndex((summary) => summary.path === path);
    /** @type {(summary: DocumentSummary | undefined, label: string, kind: string) => Node | null} */
    const link = (summary, label, kind) =>
      summary
        ? element(
            "a",
            { class: kind, href: this.#hrefOf(book, summary.path) },
            element("span", {}, label),
            element("bdi", {}, summary.title),
          )
        : null;
    return element(
      "nav",
      { class: "neighbours", "aria-label": t("reader.neighbours") },
      link(this.documents[at - 1], t("reader.before"), "before"),
      link(this.documents[at + 1], t("reader.next"), "next"),
    );
  }
}

/**
 * What an address or a request says of an edition: nothing of the one that readers are shown.
 *
 * @param {Book} book
 * @param {number} edition
 */
function unlessCurrent(book, edition) {
  return edition === book.edition ? undefined : edition;
}

/**
 * @param {Book} book
 * @param {BookDocument} held
 */
function otherEdition(book, held) {
  if (held.edition === book.edition) return null;
  const current = String(book.edition);
  return element(
    "p",
    { class: "notice" },
    `${t("reader.other-edition", { shown: String(held.edition), current })} `,
    element("a", { href: placeHref(book.slug, held.path) }, t("reader.read-edition", { edition: current })),
  );
}

/**
 * Whether the part of a page is there that a place is in.
 *
 * @param {Page} page
 * @param {Place} place
 * @param {number | null} y
 */
function isThere(page, { range, section }, y) {
  const { held } = page;
  if (y !== null) return document.documentElement.scrollHeight >= y + innerHeight;
  if (range) return (held.next_start ?? held.length) >= range.end;
  return !section || page.headingOf(section) !== null;
}

/**
 * @param {Page} page
 * @param {Place} place
 * @param {number | null} y
 */
function goTo(page, { range, section }, y) {
  page.clearHighlight();
  closeContents();
  setSheet(false);
  const target = range ? page.highlight(range) : section && page.headingOf(section);
  if (y !== null) scrollTo({ top: y, behavior: "instant" });
  if (!target || y !== null) return;
  target.scrollIntoView({
    block: range ? "center" : "start",
    behavior: prefersStillness() ? "auto" : "smooth",
  });
  target.focus({ preventScroll: true });
  if (range) announce(t("reader.highlighted"));
}
