// @ts-check
// Shows what the address says: the shelf, or a place in a book.

/** @import { Place } from "./common/places.js" */
/** @import { Reader } from "./reader/reader.js" */

import { listBooks, Problem } from "./common/api.js";
import { element } from "./common/dom.js";
import { t } from "./common/language.js";
import { setView, show } from "./common/layout.js";
import { placeHref, readPlace } from "./common/places.js";
import { forgetPosition, positionOfEntry, recall } from "./conversation/resume.js";
import { fetchAnswer } from "./conversation/shared.js";
import { showShelf } from "./shelf/shelf.js";

export class Router {
  /**
   * @param {Reader} reader
   * @param {() => unknown} onOpen What to do when a place in a book was gone to.
   */
  constructor(reader, onOpen) {
    this.reader = reader;
    this.onOpen = onOpen;
    this.turn = 0;
    this.route = this.route.bind(this);
  }

  start() {
    // A second click on the same citation goes there again, though the address stays as it is.
    document.addEventListener("click", ({ target }) => {
      const link = target instanceof Element ? target.closest("a[href^='#']") : null;
      if (!link || link.getAttribute("href") !== location.hash) return;
      forgetPosition();
      this.route();
    });
    addEventListener("hashchange", this.route);
    this.route();
  }

  // A newer call makes an older one that is still loading give up.
  async route() {
    this.turn += 1;
    const mine = this.turn;
    const isWanted = () => mine === this.turn;
    if (positionOfEntry() === null) goOn(readPlace(location.hash));
    const place = readPlace(location.hash);
    const y = positionOfEntry();
    try {
      if (!place.slug) await this.#openShelf(isWanted);
      else if (place.answer) await this.#openAnswer(place, place.answer, y, isWanted);
      else {
        await this.reader.open(place, y, isWanted);
        if (isWanted()) this.onOpen();
      }
    } catch (error) {
      if (isWanted()) this.#showFailure(error);
    }
  }

  /**
   * Shows an answer beside the place that it quotes first.
   *
   * @param {Place} place
   * @param {string} id
   * @param {number | null} y
   * @param {() => boolean} isWanted
   */
  async #openAnswer(place, id, y, isWanted) {
    setView("loading");
    const { answer, sources } = await fetchAnswer(place.slug, id);
    if (!isWanted()) return;
    const [first] = answer.citations;
    const cited = first && sources.some(({ document }) => document === first.document);
    const { edition } = answer;
    await this.reader.open(cited ? { ...place, path: first.document, range: first, edition } : place, y, isWanted);
    if (!isWanted()) return;
    this.reader.conversation.showAnswer(answer, sources);
    this.onOpen();
  }

  /** @param {() => boolean} isWanted */
  async #openShelf(isWanted) {
    setView("loading");
    const list = await listBooks();
    const { books } = list;
    if (!isWanted()) return;
    // Who asks for no place in particular reads the only book; "#/" is the shelf.
    if (books.length === 1 && !location.hash) {
      this.reader.known = books[0];
      location.replace(placeHref(books[0].slug));
      return;
    }
    this.reader.close();
    showShelf(list, this.route);
  }

  /** @param {unknown} error */
  #showFailure(error) {
    const known = error instanceof Problem;
    if (!known) console.error(error);
    // What stood here is gone from the page.
    this.reader.forgetPage();
    // So is the book, where it is another one that could not be opened.
    if (this.reader.book?.slug !== readPlace(location.hash).slug) this.reader.close();
    setView(this.reader.book ? "book" : "shelf");
    show(
      element(
        "div",
        { class: "notice", role: "alert" },
        element("p", {}, known ? error.message : t("frame.broken")),
        element("button", { class: "quiet-button", type: "button", onclick: this.route }, t("frame.try-again")),
        element("a", { class: "quiet-button", href: "#/" }, t("frame.all-books")),
      ),
    );
  }
}

/**
 * Who opens a book without naming a place goes on where it was left.
 *
 * @param {Place} place
 */
function goOn(place) {
  const { hash, y } = recall(place.slug);
  if (place.path || place.edition || place.front || place.answer || !hash || readPlace(hash).slug !== place.slug) return;
  history.replaceState({ y }, "", hash);
}
