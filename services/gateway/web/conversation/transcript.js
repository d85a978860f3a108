// @ts-check
// A conversation as Markdown: questions, answers, and the quotations with their places and addresses.

/** @import { Answer, Book, Citation, Passage, Sentence } from "../schema.js" */
/** @import { Message, Session } from "./sessions.js" */

import { t } from "../common/language.js";
import { placeHref, placeInWords } from "../common/places.js";
import { kindOf, splitCells } from "../document/quotations.js";
import { askedInWords, exchangesOf } from "./sessions.js";
import { nearestOf, standingInWords } from "./wording.js";

// Whatever could be read as markup, an address or HTML is the book's or the reader's text, and stays text.
const MARKUP = /[\\`*_[\]<>|~&$]/g;
const LINE_STARTS = /^(\s*)([-+#=:])/gm;
const LISTS = /^(\s*\d+)([.)])/gm;
const ADDRESSES = /(https?|ftp|mailto|www)([:.])/gi;

/**
 * @param {Session} session
 * @param {Pick<Book, "slug" | "title">} book
 * @param {string} page The address of this page, to which the places in the book are added.
 */
export function asMarkdown(session, book, page) {
  const parts = exchangesOf(session).flatMap(({ asked, reply }) => [
    `## ${asked.search ? `${t("exchange.passages-on")} ` : ""}${plain(oneLine(askedInWords(asked)))}`,
    ...(asked.selection ? [quoted(asked.selection.text)] : []),
    ...(reply ? replyOf(reply, book, page) : [`*${t("exchange.interrupted")}*`]),
  ]);
  return `${[`# ${plain(oneLine(book.title))}`, ...parts].join("\n\n")}\n`;
}

/**
 * @param {Message} reply
 * @param {Pick<Book, "slug">} book
 * @param {string} page
 */
function replyOf({ answer, content, passages = [], edition }, { slug }, page) {
  if (answer?.sentences.length) return answerOf(answer, passages, slug, page);
  if (answer?.refusal?.nearest?.length) {
    const { told, near } = nearestOf(answer.refusal);
    const proofs = (/** @type {string} */ label, /** @type {Citation[]} */ found) =>
      found.length ? [label, proofsOf(found, answer.edition, slug, page)] : [];
    return [plain(content), ...proofs(t("answer.told-words"), told), ...proofs(t("answer.nearest-words"), near)];
  }
  if (answer || !passages.length) return [plain(content)];
  return passages.map((passage, at) => {
    const address = new URL(placeHref(slug, passage.document, { range: passage, edition }), page).href;
    return `${at + 1}. ${plain(placeInWords(passage))}\n\n${quoted(passage.text)}\n\n   <${address}>`;
  });
}

/**
 * @param {Answer} answer
 * @param {Passage[]} passages
 * @param {string} slug
 * @param {string} page
 */
function answerOf(answer, passages, slug, page) {
  const cited = new Map(answer.citations.map((citation) => [citation.n, citation]));
  const sentences = answer.sentences.map((sentence) => sentenceOf(sentence, cited, passages));
  const proofs = proofsOf(answer.citations, answer.edition, slug, page);
  return [...sentences, `*${standingInWords(answer)}*`, proofs];
}

/**
 * @param {Citation[]} citations
 * @param {number} edition
 * @param {string} slug
 * @param {string} page
 */
function proofsOf(citations, edition, slug, page) {
  const proofs = citations.map((citation) => {
    const address = addressOf(citation, new URL(placeHref(slug, citation.document, { range: citation, edition }), page).href);
    const quote = plain(oneLine(citation.quote));
    const said = { quote, place: plain(placeInWords(citation)), edition: String(edition) };
    return `${citation.n}. ${t("citation.in-list", said)} <${address}>`;
  });
  return proofs.join("\n");
}

/**
 * @param {Sentence} sentence
 * @param {Map<number, Citation>} cited
 * @param {Passage[]} passages
 */
function sentenceOf({ text, citations }, cited, passages) {
  const numbers = citations.map((n) => `[${n}]`).join("");
  const first = cited.get(citations[0]);
  const kind = first?.quote === text ? kindOf(passages, first) : "paragraph";
  if (kind === "code") return `${fenced(text)}\n\n${plain(numbers)}`;
  if (kind === "table") return `${table(first?.table_header ?? "", text)}\n\n${plain(numbers)}`;
  const body = `${plain(text)} ${plain(numbers)}`;
  return kind === "list_item" ? `- ${body.replaceAll("\n", "\n  ")}` : body;
}

/**
 * @param {string} header
 * @param {string} rows
 */
function table(header, rows) {
  const lines = rows.split("\n").map(cellsOf);
  const titles = header ? cellsOf(header) : lines[0].map(() => "");
  const asLine = (/** @type {string[]} */ cells) => `| ${cells.join(" | ")} |`;
  return [asLine(titles), asLine(titles.map(() => "---")), ...lines.map(asLine)].join("\n");
}

/** @param {string} line */
function cellsOf(line) {
  const cells = splitCells(line).filter((piece) => !piece.bar);
  return cells.map(({ start, end }) => plain(line.slice(start, end)));
}

/** @param {string} code */
function fenced(code) {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${code}\n${fence}`;
}

/** @param {string} text */
function quoted(text) {
  return plain(text).replace(/^/gm, "> ");
}

/** @param {string} text */
function oneLine(text) {
  return text.replace(/\s+/g, " ");
}

/** @param {string} text */
function plain(text) {
  const inline = text.replace(MARKUP, "\\$&").replace(ADDRESSES, "$1\\$2");
  return inline.replace(LINE_STARTS, "$1\\$2").replace(LISTS, "$1\\$2");
}

/**
 * The book's own address where it has one on the web, or else that of the place on this page.
 *
 * @param {Citation} citation
 * @param {string} here
 */
export function addressOf({ url }, here) {
  return url && /^https?:\/\/[^\s<>]+$/.test(url) ? url : here;
}
