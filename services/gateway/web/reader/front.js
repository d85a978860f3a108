// @ts-check
// A book's front door: what it is, what it says it is about, questions that it answers, its contents.

/** @import { HrefOf, OpenDocument } from "./contents.js" */
/** @import { Answer, Book, Citation, DocumentSummary } from "../schema.js" */

import { askOnce, getPart, suggestQuestions } from "../common/api.js";
import { bylineOf } from "../common/byline.js";
import { directionOf } from "../common/direction.js";
import { element } from "../common/dom.js";
import { dateInWords, nameOfLanguage, ours, t } from "../common/language.js";
import { withFormulas } from "../common/math.js";
import { placeHref, placeInWords, readPlace } from "../common/places.js";
import { starterList } from "../conversation/exchange.js";
import { recall } from "../conversation/resume.js";
import { drawTree, sectionList } from "./contents.js";

const MOST_SECTIONS = 120;

/**
 * How a book is asked what it is about, in the languages whose rules know the question.
 *
 * @type {Record<string, string>}
 */
const ABOUT = { en: "What is this book about?" };

/** @typedef {{ about: Citation[], starters: string[] }} Introduction */

/**
 * What the books say of themselves, each in its edition.
 *
 * @type {Map<string, Promise<Introduction>>}
 */
const introductions = new Map();

/**
 * What a book says of itself and can be asked; empty where it can't be read.
 *
 * @param {Book} book
 */
export function introduce(book) {
  const key = [book.slug, book.edition, book.publish_time].join(" ");
  const known = introductions.get(key) ?? readIntroduction(book);
  introductions.set(key, known);
  return known;
}

/**
 * @param {Book} book
 * @returns {Promise<Introduction>}
 */
async function readIntroduction(book) {
  const [about, starters] = await Promise.all([
    quoteAbout(book).catch(() => []),
    suggestQuestions(book).catch(() => []),
  ]);
  return { about, starters };
}

/**
 * The quotations that say what a book is about. Asked once a day, whoever opens the book.
 *
 * @param {Book} book
 */
async function quoteAbout(book) {
  const question = ABOUT[book.language];
  if (!question) return [];
  const key = `about-${encodeURIComponent(book.slug)}-${book.edition}-${book.publish_time}`;
  const answer = await askOnce(book.slug, question, key);
  return answer.edition === book.edition ? leadsOf(answer) : [];
}

/** @param {Answer} answer */
function leadsOf({ sentences, citations }) {
  const leading = new Set(sentences.filter(({ role }) => role === "lead").flatMap((sentence) => sentence.citations));
  return citations.filter(({ n }) => leading.has(n));
}

/**
 * Draws the front door at once; what has to be asked for comes into it later.
 *
 * @param {Book} book
 * @param {DocumentSummary[]} documents
 * @param {HrefOf} hrefOf
 * @param {(question: string) => unknown} ask
 */
export function drawFront(book, documents, hrefOf, ask) {
  const about = element("div", { class: "about" });
  const questions = element("div", { class: "beginning" });
  const byline = bylineOf(book);
  const titles = [book.title, ...documents.map(({ title }) => title)].join(" ");
  const sections = element("div");
  const article = element(
    "article",
    { class: "front", lang: book.language, dir: directionOf(titles) },
    element("h1", { dir: "auto" }, book.title),
    byline ? element("p", { class: "byline", dir: "auto" }, byline) : null,
    element("p", { class: "facts", ...ours() }, factsOf(book)),
    about,
    beginning(book, documents, hrefOf),
    questions,
    documents.length > 1
      ? contentsWith(drawTree(documents, { path: "", sections: [] }, hrefOf))
      : sections,
  );
  if (documents.length === 1) {
    readSections(book, documents[0]).then((open) => sections.replaceChildren(contentsOf(open, hrefOf) ?? ""));
  }
  introduce(book).then((introduction) => {
    about.replaceChildren(...introduction.about.map((citation) => drawQuote(citation, book)));
    questions.replaceChildren(...drawStarters(introduction.starters, ask));
  });
  return article;
}

/**
 * The sections of the only document of a book; none where they can't be read.
 *
 * @param {Book} book
 * @param {DocumentSummary} only
 * @returns {Promise<OpenDocument>}
 */
async function readSections(book, only) {
  const part = { edition: book.edition, start: 0, length: 1 };
  const { sections } = await getPart(book.slug, only, part).catch(() => ({ sections: [] }));
  return { path: only.path, sections };
}

/**
 * As many levels of the sections as can be looked over.
 *
 * @param {OpenDocument} open
 * @param {HrefOf} hrefOf
 */
function contentsOf({ path, sections }, hrefOf) {
  let shown = sections.filter((section) => section.path.length > 1);
  for (let deepest = 4; shown.length > MOST_SECTIONS && deepest > 1; deepest -= 1) {
    shown = shown.filter((section) => section.path.length <= deepest);
  }
  const list = sectionList({ path, sections: shown }, hrefOf);
  return list && contentsWith(list);
}

/** @param {HTMLElement} list */
function contentsWith(list) {
  const title = element("h2", ours(), t("frame.contents"));
  return element("nav", { class: "tree", "aria-label": t("frame.contents") }, title, list);
}

/** @param {Book} book */
function factsOf({ language: code, document_count: documents, edition: number, publish_time: published }) {
  const edition = String(number);
  const made = published
    ? t("edition-of", { edition, day: dateInWords(new Date(published)) })
    : t("edition", { edition });
  return [code && nameOfLanguage(code), t("documents", { n: documents }), made].filter(Boolean).join(" · ");
}

/**
 * @param {Citation} citation
 * @param {Book} book
 */
function drawQuote(citation, book) {
  const href = placeHref(book.slug, citation.document, { range: citation, edition: book.edition });
  return element(
    "figure",
    {},
    element("blockquote", { dir: "auto" }, ...withFormulas(citation.quote)),
    element("figcaption", {}, element("a", { href }, placeInWords(citation))),
  );
}

/**
 * The way to the text: to the beginning, or where it was left.
 *
 * @param {Book} book
 * @param {DocumentSummary[]} documents
 * @param {HrefOf} hrefOf
 */
function beginning(book, documents, hrefOf) {
  const [first] = documents;
  if (!first) return element("p", { class: "notice" }, t("no-documents"));
  const { hash = "" } = recall(book.slug);
  const left = documents.find(({ path }) => path === readPlace(hash).path);
  return element(
    "p",
    { class: "begin", ...ours() },
    left ? element("a", { class: "main-button", href: hash }, t("front.go-on", { title: left.title })) : null,
    element("a", { class: left ? "quiet-button" : "main-button", href: hrefOf(first.path) }, t("front.begin")),
  );
}

/**
 * @param {string[]} starters
 * @param {(question: string) => unknown} ask
 */
function drawStarters(starters, ask) {
  const list = starterList(starters, ask);
  return list ? [element("h2", ours(), t("front.starters")), list] : [];
}
