// @ts-check
// The shelf: all books as cards, and the form that adds one.

/** @import { Book, BookList } from "../schema.js" */

import { listBooks } from "../common/api.js";
import { bylineOf } from "../common/byline.js";
import { byId, element } from "../common/dom.js";
import { t } from "../common/language.js";
import { setView, show } from "../common/layout.js";
import { placeHref } from "../common/places.js";
import { ingestForm } from "./ingest.js";

/**
 * The books that there are, as far as this page knows.
 *
 * @type {Book[]}
 */
let known = [];

/**
 * @param {BookList} list
 * @param {() => unknown} lookAgain
 */
export function showShelf({ books, warnings }, lookAgain) {
  setView("shelf");
  known = books;
  const form = ingestForm({ open: !books.length, books: () => known, onPublished: refreshShelf });
  show(books.length ? shelf(books) : emptyShelf(warnings, lookAgain), form);
}

async function refreshShelf() {
  const { books } = await listBooks();
  known = books;
  byId("reading").querySelector(".shelf")?.replaceWith(shelf(books));
}

/** @param {Book[]} books */
function shelf(books) {
  const titles = books.map((book) => book.title);
  const cards = books.map((book) => {
    // Books of one title are told apart by their names in the address.
    const shared = titles.indexOf(book.title) !== titles.lastIndexOf(book.title);
    return element("li", {}, card(book, shared ? book.slug : null));
  });
  return element(
    "section",
    { class: "shelf" },
    element("h1", {}, t("shelf.title")),
    element("ul", { role: "list" }, ...cards),
  );
}

/**
 * @param {Book} book
 * @param {string | null} name
 */
function card(book, name) {
  const byline = bylineOf(book);
  const facts = [name, t("documents", { n: book.document_count }), t("edition", { edition: String(book.edition) })];
  return element(
    "a",
    { class: "card", href: placeHref(book.slug) },
    element("div", { dir: "auto" }, element("strong", {}, book.title), byline ? element("span", {}, byline) : null),
    element("span", {}, facts.filter(Boolean).join(" · ")),
  );
}

/**
 * @param {string[]} warnings
 * @param {() => unknown} lookAgain
 */
function emptyShelf(warnings, lookAgain) {
  return element(
    "section",
    { class: "shelf empty" },
    element("h1", {}, t("shelf.empty")),
    ...warnings.map((warning) => element("p", { role: "alert", lang: "en", dir: "auto" }, warning)),
    element("p", {}, t("shelf.how-to-add")),
    element("pre", {}, element("code", {}, "quoth ingest PATH")),
    element("button", { class: "quiet-button", type: "button", onclick: lookAgain }, t("shelf.look-again")),
  );
}
