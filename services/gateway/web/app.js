// The reader page: the address says what is open; the shelf, the contents and the text follow it.

import { getBook, getDocument, listBooks, listDocuments, Problem } from "./api.js";
import { Conversation } from "./conversation.js";
import { announce, byId, count, element, prefersStillness, reveal } from "./dom.js";
import { showEditions } from "./editions.js";
import { ingestForm } from "./ingest.js";
import { Page } from "./page.js";
import { placeHref, readPlace } from "./places.js";

const reading = byId("reading");
const contents = byId("contents");
const askAbout = byId("ask-about");

// `documents` are those of edition `listed`; the page is of `edition`.
const shown = { book: null, documents: [], listed: null, page: null, path: "", edition: null };
let turn = 0;

const conversation = new Conversation({
  onEdition: () => refreshBook(),
  onOpen: () => setSheet(true),
});

// Shows what the address says. A newer call makes an older one that is still loading give up.
async function route() {
  turn += 1;
  const mine = turn;
  const place = readPlace(location.hash);
  try {
    if (!place.slug) await showShelf(mine);
    else await showPlace(place, mine);
  } catch (error) {
    if (mine === turn) showFailure(error);
  }
}

async function showShelf(mine) {
  setView("loading");
  const { books } = await listBooks();
  if (mine !== turn) return;
  // Who asks for no place in particular reads the only book; "#/" is the shelf.
  if (books.length === 1 && !location.hash) {
    location.replace(placeHref(books[0].slug));
    return;
  }
  shown.book = null;
  setView("shelf");
  document.title = "Quoth";
  byId("bar-title").textContent = "";
  byId("bar-edition").hidden = true;
  const form = ingestForm({ open: !books.length, onPublished: refreshShelf });
  reading.replaceChildren(books.length ? shelf(books) : emptyShelf(), form);
}

async function refreshShelf() {
  const { books } = await listBooks();
  reading.querySelector(".shelf")?.replaceWith(shelf(books));
}

function shelf(books) {
  const titles = books.map((book) => book.title);
  // Books of one title are told apart by their names in the address.
  const named = (book) => titles.indexOf(book.title) !== titles.lastIndexOf(book.title);
  const cards = books.map((book) =>
    element(
      "li",
      {},
      element(
        "a",
        { class: "card", href: placeHref(book.slug) },
        element("strong", {}, book.title),
        element(
          "span",
          {},
          [
            named(book) ? book.slug : null,
            count(book.document_count, "document"),
            `edition ${book.edition}`,
          ]
            .filter(Boolean)
            .join(" · "),
        ),
      ),
    ),
  );
  return element(
    "section",
    { class: "shelf" },
    element("h1", {}, "Which book?"),
    element("ul", { role: "list" }, ...cards),
  );
}

function emptyShelf() {
  return element(
    "section",
    { class: "shelf empty" },
    element("h1", {}, "No book yet"),
    element("p", {}, "Add one here, or a whole folder from the command line:"),
    element("pre", {}, element("code", {}, "quoth ingest PATH --book my-book")),
    element("button", { class: "quiet-button", type: "button", onclick: route }, "Look again"),
  );
}

async function showPlace(place, mine) {
  if (shown.book?.slug !== place.slug) {
    setView("loading");
    const [book, listing] = await Promise.all([getBook(place.slug), listDocuments(place.slug)]);
    if (mine !== turn) return;
    Object.assign(shown, { book, documents: listing.documents, listed: book.edition, page: null });
    showBook();
  }
  setView("book");
  const edition = place.edition ?? shown.book.edition;
  if (edition !== shown.listed) {
    const { documents } = await listDocuments(place.slug, unlessCurrent(edition));
    if (mine !== turn) return;
    Object.assign(shown, { documents, listed: edition, page: null });
  }
  const path = place.path || shown.documents[0]?.path;
  if (!path) {
    reading.replaceChildren(element("p", { class: "notice" }, "This book has no documents."));
    return;
  }
  if (!shown.page || shown.path !== path || shown.edition !== edition) {
    await openDocument(path, edition, mine);
    if (mine !== turn) return;
  }
  goTo(place);
}

function showBook() {
  const { book } = shown;
  byId("bar-title").textContent = book.title;
  byId("bar-edition").textContent = `Edition ${book.edition}`;
  byId("bar-edition").hidden = false;
  conversation.start(book);
  showContents();
}

// A new edition was published while the page was open.
async function refreshBook() {
  const { slug } = shown.book;
  const [book, listing] = await Promise.all([getBook(slug), listDocuments(slug)]);
  if (shown.book?.slug !== slug) return;
  Object.assign(shown, { book, documents: listing.documents, listed: book.edition });
  showBook();
}

// What an address or a request says of an edition: nothing of the one that readers are shown.
function unlessCurrent(edition) {
  return edition === shown.book.edition ? undefined : edition;
}

// Who reads an earlier edition goes on in it.
function hrefOf(path, place = {}) {
  return placeHref(shown.book.slug, path, { ...place, edition: unlessCurrent(shown.listed) });
}

async function openDocument(path, edition, mine) {
  reading.replaceChildren(skeleton());
  const held = await getDocument(shown.book.slug, path, unlessCurrent(edition));
  if (mine !== turn) return;
  const page = new Page(held);
  page.article.lang = shown.book.language;
  Object.assign(shown, { page, path, edition });
  document.title = `${held.title} – ${shown.book.title}`;
  reading.replaceChildren(...[otherEdition(held), page.article, neighbours(path)].filter(Boolean));
  scrollTo({ top: 0 });
  showContents();
}

function otherEdition(held) {
  if (held.edition === shown.book.edition) return null;
  return element(
    "p",
    { class: "notice" },
    `This is edition ${held.edition}; questions are answered from edition ${shown.book.edition}. `,
    element("a", { href: placeHref(shown.book.slug, held.path) }, `Read edition ${shown.book.edition}`),
  );
}

function neighbours(path) {
  const at = shown.documents.findIndex((summary) => summary.path === path);
  const link = (summary, label, kind) =>
    summary &&
    element(
      "a",
      { class: kind, href: hrefOf(summary.path) },
      element("span", {}, label),
      summary.title,
    );
  return element(
    "nav",
    { class: "neighbours", "aria-label": "Chapters before and after" },
    link(shown.documents[at - 1], "Before", "before"),
    link(shown.documents[at + 1], "Next", "next"),
  );
}

function skeleton() {
  return element(
    "div",
    { class: "skeleton", role: "status", "aria-label": "Loading" },
    ...Array.from({ length: 9 }, () => element("span")),
  );
}

function goTo({ range, section }) {
  shown.page.clearHighlight();
  closeContents();
  setSheet(false);
  const target = range ? shown.page.highlight(range) : section && shown.page.headingOf(section);
  if (!target) return;
  target.scrollIntoView({
    block: range ? "center" : "start",
    behavior: prefersStillness() ? "auto" : "smooth",
  });
  target.focus({ preventScroll: true });
  if (range) announce("The quotation is marked in the text.");
}

function showContents() {
  const items = shown.documents.map((summary) => {
    const current = summary.path === shown.path;
    const link = element(
      "a",
      {
        href: hrefOf(summary.path),
        "aria-current": current ? "page" : false,
        onclick: closeContents,
      },
      summary.title,
    );
    const inner = current && shown.page ? sectionList(shown.page.held.sections) : null;
    return element("li", {}, link, inner);
  });
  contents.replaceChildren(element("ol", { role: "list" }, ...items));
  const current = contents.querySelector("[aria-current]");
  if (current) reveal(current, contents);
}

function sectionList(sections) {
  const inner = sections.filter((section) => section.anchor && section.path.length > 1);
  if (!inner.length) return null;
  const links = inner.map((section) =>
    element(
      "li",
      { "data-depth": Math.min(section.path.length - 1, 3) },
      element(
        "a",
        {
          href: hrefOf(shown.path, { section: section.anchor }),
          "data-section": section.anchor,
          onclick: closeContents,
        },
        section.path.at(-1),
      ),
    ),
  );
  return element("ol", { role: "list", class: "sections" }, ...links);
}

function showFailure(error) {
  const known = error instanceof Problem;
  if (!known) console.error(error);
  // What stood here is gone from the page: whoever goes back to it opens it again.
  shown.page = null;
  setView(shown.book ? "book" : "shelf");
  reading.replaceChildren(
    element(
      "div",
      { class: "notice", role: "alert" },
      `${known ? error.message : "Something went wrong on this page."} `,
      element("button", { class: "quiet-button", type: "button", onclick: route }, "Try again"),
      element("a", { class: "quiet-button", href: "#/" }, "All books"),
    ),
  );
}

function setView(view) {
  document.body.dataset.view = view;
  if (view === "loading") reading.replaceChildren(skeleton());
}

// The panel on phones is a sheet that slides up; elsewhere it is always there.
function setSheet(open) {
  document.body.classList.toggle("sheet-open", open);
  byId("sheet").setAttribute("aria-expanded", String(open));
  byId("sheet").textContent = open ? "Back to the text" : "Ask the book";
}

function setContents(open) {
  document.body.classList.toggle("contents-open", open);
  byId("menu").setAttribute("aria-expanded", String(open));
  if (open) contents.querySelector("[aria-current], a")?.focus();
}

function closeContents() {
  setContents(false);
}

function placeAskAbout() {
  const marked = document.body.dataset.view === "book" ? shown.page?.selected() : null;
  askAbout.hidden = !marked;
  if (!marked) return;
  const box = getSelection().getRangeAt(0).getBoundingClientRect();
  const below = box.bottom + 52 < innerHeight;
  const left = Math.max(80, Math.min(box.left + box.width / 2, innerWidth - 80));
  askAbout.style.left = `${left}px`;
  askAbout.style.top = `${Math.max(8, below ? box.bottom + 8 : Math.min(box.top - 44, innerHeight - 60))}px`;
}

askAbout.addEventListener("pointerdown", (event) => event.preventDefault());
askAbout.addEventListener("click", () => {
  const marked = shown.page.selected();
  if (!marked) return;
  conversation.select(marked);
  askAbout.hidden = true;
  getSelection().removeAllRanges();
  setSheet(true);
  byId("question").focus();
});

let waiting = 0;
document.addEventListener("selectionchange", () => {
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(placeAskAbout);
});
addEventListener("scroll", () => {
  if (!askAbout.hidden) placeAskAbout();
  showWhereWeAre();
}, { passive: true });

function showWhereWeAre() {
  if (!shown.page) return;
  let current = "";
  for (const heading of shown.page.article.querySelectorAll("[data-anchor]")) {
    if (heading.getBoundingClientRect().top > innerHeight * 0.3) break;
    current = heading.dataset.anchor;
  }
  for (const link of contents.querySelectorAll("[data-section]")) {
    link.classList.toggle("here", link.dataset.section === current);
  }
}

byId("skip").addEventListener("click", () => reading.focus());
byId("skip-to-question").addEventListener("click", () => {
  setSheet(true);
  byId("question").focus();
});
byId("menu").addEventListener("click", () => {
  setContents(!document.body.classList.contains("contents-open"));
});
byId("sheet").addEventListener("click", () => {
  setSheet(!document.body.classList.contains("sheet-open"));
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  closeContents();
  setSheet(false);
});
// A second click on the same citation goes there again, though the address stays as it is.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='#']");
  if (link && link.getAttribute("href") === location.hash) route();
});
showEditions(() => ({ slug: shown.book.slug, path: shown.path }));
addEventListener("hashchange", route);
route();
