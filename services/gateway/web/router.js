// @ts-check
// Shows what the address says: the shelf, or a place in a book.

/** @import { Reader } from "./reader.js" */

import { listBooks, Problem } from "./api.js";
import { element } from "./dom.js";
import { setView, show } from "./layout.js";
import { placeHref, readPlace } from "./places.js";
import { showShelf } from "./shelf.js";

export class Router {
  /** @param {Reader} reader */
  constructor(reader) {
    this.reader = reader;
    this.turn = 0;
    this.route = this.route.bind(this);
  }

  start() {
    // A second click on the same citation goes there again, though the address stays as it is.
    document.addEventListener("click", ({ target }) => {
      const link = target instanceof Element ? target.closest("a[href^='#']") : null;
      if (link && link.getAttribute("href") === location.hash) this.route();
    });
    addEventListener("hashchange", this.route);
    this.route();
  }

  // A newer call makes an older one that is still loading give up.
  async route() {
    this.turn += 1;
    const mine = this.turn;
    const isWanted = () => mine === this.turn;
    const place = readPlace(location.hash);
    try {
      if (place.slug) await this.reader.open(place, isWanted);
      else await this.#openShelf(isWanted);
    } catch (error) {
      if (isWanted()) this.#showFailure(error);
    }
  }

  /** @param {() => boolean} isWanted */
  async #openShelf(isWanted) {
    setView("loading");
    const { books } = await listBooks();
    if (!isWanted()) return;
    // Who asks for no place in particular reads the only book; "#/" is the shelf.
    if (books.length === 1 && !location.hash) {
      this.reader.told = books[0];
      location.replace(placeHref(books[0].slug));
      return;
    }
    this.reader.close();
    showShelf(books, this.route);
  }

  /** @param {unknown} error */
  #showFailure(error) {
    const known = error instanceof Problem;
    if (!known) console.error(error);
    // What stood here is gone from the page.
    this.reader.forgetPage();
    setView(this.reader.book ? "book" : "shelf");
    show(
      element(
        "div",
        { class: "notice", role: "alert" },
        `${known ? error.message : "Something went wrong on this page."} `,
        element("button", { class: "quiet-button", type: "button", onclick: this.route }, "Try again"),
        element("a", { class: "quiet-button", href: "#/" }, "All books"),
      ),
    );
  }
}
