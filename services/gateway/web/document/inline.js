// @ts-check
// Elements for the links, emphasis and the like inside of a block.

/** @import { Block, Document as BookDocument, Markup } from "../schema.js" */
/** @import { Links } from "./links.js" */
/** @import { Spot } from "../common/places.js" */

import { element } from "../common/dom.js";
import { t } from "../common/language.js";

/** @typedef {{ links: Links, hrefOf: (path: string, spot?: Spot) => string }} Surroundings */

/** @type {Partial<Record<Markup["kind"], keyof HTMLElementTagNameMap>>} */
const TAGS = {
  emphasis: "em",
  strong: "strong",
  code: "code",
  superscript: "sup",
  subscript: "sub",
};

/** Characters of code that fit into a line of a phone, so that no hyphen of it ends one. */
const SHORT_CODE = 24;

/**
 * The element that shows a range of the text; its text is drawn into it.
 *
 * @param {Markup} markup
 * @param {BookDocument} held
 * @param {Surroundings | null} around
 */
export function elementFor(markup, held, around) {
  if (markup.kind === "link") return link(markup.value, held, around);
  if (markup.kind === "footnote_reference") return noteMark(markup, held, around);
  if (markup.kind === "language") return element("span", { lang: markup.value });
  if (markup.kind === "direction") return element("span", { dir: markup.value });
  if (markup.kind === "page") return pageBegin(markup.value);
  if (markup.kind === "anchor") return element("span", { "data-anchor": markup.value, tabindex: "-1" });
  const isShort = markup.kind === "code" && markup.end - markup.start <= SHORT_CODE;
  return element(TAGS[markup.kind] ?? "span", isShort ? { class: "short" } : {});
}

/**
 * Where a page of the source begins; its number is drawn by the style sheet.
 *
 * @param {number | string} number
 */
export function pageBegin(number) {
  const begin = element("span", { class: "page-begin", "data-page": String(number), role: "img" });
  callPage(begin, String(number));
  return begin;
}

/**
 * @param {HTMLElement} begin
 * @param {string} page
 */
function callPage(begin, page) {
  begin.dataset.words = t("document.page-beside", { page });
  begin.setAttribute("aria-label", t("document.page", { page }));
}

/**
 * Says what the source calls the pages that begin in an element, where that is not their number.
 *
 * @param {HTMLElement} within
 * @param {Pick<BookDocument, "markup">} held
 */
export function callPages(within, held) {
  const labels = labelsOf(held);
  if (!labels.size) return;
  for (const begin of /** @type {NodeListOf<HTMLElement>} */ (within.querySelectorAll(".page-begin"))) {
    const page = labels.get(Number(begin.dataset.page));
    if (page) callPage(begin, page);
  }
}

/**
 * What the source calls its pages, by their numbers.
 *
 * @param {Pick<BookDocument, "markup">} held
 * @returns {Map<number, string>}
 */
export function labelsOf({ markup }) {
  const named = markup.filter(({ kind }) => kind === "page_label").map(({ value }) => value);
  return new Map(named.map((value) => [parseInt(value, 10), value.slice(value.indexOf(" ") + 1)]));
}

/**
 * How many characters of a range only say in plain text what its element shows: before, and behind.
 *
 * @param {Markup} markup
 */
export function writtenAround({ kind, value }) {
  if (kind !== "superscript" && kind !== "subscript") return [0, 0];
  return value.endsWith(")") ? [2, 1] : [value.length, 0];
}

/**
 * @param {string} address
 * @param {BookDocument} held
 * @param {Surroundings | null} around
 */
function link(address, held, around) {
  const target = around?.links.targetOf(address, held.path) ?? null;
  if (!target || !around) {
    return element("span", { class: "lost-link", title: t("document.lost-link", { address }) });
  }
  if ("path" in target) {
    return element("a", { href: around.hrefOf(target.path, { section: target.anchor || null }) });
  }
  return element("a", {
    class: "outward",
    href: target.url,
    target: "_blank",
    rel: "noopener noreferrer",
    "data-host": target.host || null,
  });
}

/**
 * Whether a link is nothing but the address that it leads to, its host right behind the scheme.
 *
 * @param {string | undefined} host
 * @param {string} text
 * @param {string} address
 */
export function isWrittenOut(host, text, address) {
  const [, behind = ""] = text.split("://", 2);
  return Boolean(host) && text === address && behind.split(/[/?#]/, 1)[0] === host;
}

/**
 * @param {Markup} markup
 * @param {BookDocument} held
 * @param {Surroundings | null} around
 */
function noteMark(markup, held, around) {
  const note = noteOf(markup, held.blocks);
  const label = markup.value || note?.label || "*";
  const shown = { class: "note-mark", "data-label": label, "aria-label": t("document.footnote", { label }) };
  if (!note || !around) return element("span", shown);
  const range = { start: note.start, end: note.end };
  return element("a", { ...shown, href: around.hrefOf(held.path, { range }) });
}

/**
 * The next footnote of that label: numbers begin anew in each chapter of some books.
 *
 * @param {Markup} markup
 * @param {Block[]} blocks
 */
function noteOf({ start, value }, blocks) {
  const notes = blocks.filter((block) => block.kind === "footnote" && block.label === value);
  return notes.find((note) => note.start >= start) ?? notes.at(-1);
}
