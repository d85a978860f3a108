// @ts-check
// What a search in the book found: places with the exact words by section, and passages by meaning.

/** @import { Passage, SectionWithWords, WordsFound, WordsRequest } from "../schema.js" */
/** @typedef {WordsFound & { words: string }} ExactWords What was looked for, and its first sections. */

import { findWords, Problem } from "../common/api.js";
import { element } from "../common/dom.js";
import { t } from "../common/language.js";
import { placeHref, placeInWords } from "../common/places.js";
import { passageList } from "./receipt.js";

const SHOWN = 4;
const PAGE = 50;

/**
 * Where the exact words stand; null for a book that can't be read through now, or by this reader.
 *
 * @param {string} slug
 * @param {WordsRequest} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<WordsFound | null>}
 */
export async function lookUpWords(slug, body, signal) {
  try {
    return await findWords(slug, body, signal);
  } catch (error) {
    // Passages by meaning are shown all the same.
    if (error instanceof Problem) return null;
    throw error;
  }
}

/**
 * @param {Passage[]} passages
 * @param {ExactWords | null | undefined} exact Undefined where the words were not looked for.
 * @param {string} slug
 * @param {number} edition
 */
export function drawFound(passages, exact, slug, edition) {
  const byWords = exact === undefined ? [] : [element("h4", {}, t("found.exact")), ...drawWords(exact, slug)];
  const byMeaning = passages.length ? passageList(passages, slug, edition) : element("p", {}, t("found.nothing"));
  return element("div", { class: "search-result" }, ...byWords, element("h4", {}, t("found.by-meaning")), byMeaning);
}

/**
 * @param {ExactWords | null} exact
 * @param {string} slug
 */
function drawWords(exact, slug) {
  if (!exact) return [element("p", {}, t("found.unread"))];
  if (!exact.total) return [element("p", {}, t("found.nowhere"))];
  const { total, section_count: sections } = exact;
  const counted = { times: t("found.times", { n: total }), sections: t("found.sections", { n: sections }) };
  const parts = [
    element("p", { class: "hint" }, t("found.counts", counted)),
    hitList(exact.sections.slice(0, SHOWN), slug, exact.edition),
  ];
  return sections > SHOWN ? [...parts, restOf(exact, slug)] : parts;
}

/**
 * The sections behind the first few: those that have come, and a button for the others.
 *
 * @param {ExactWords} exact
 * @param {string} slug
 */
function restOf({ words, edition, sections, section_count: all, next_cursor: cursor }, slug) {
  const list = hitList(sections.slice(SHOWN), slug, edition);
  const title = t("found.more-sections", { n: all - SHOWN });
  const rest = element("details", {}, element("summary", {}, title), list);
  if (!cursor) return rest;
  let next = cursor;
  const told = element("p", { role: "status" });
  const button = element("button", { type: "button", class: "quiet-button", onclick: more }, t("found.show-more"));
  async function more() {
    button.disabled = true;
    const page = await lookUpWords(slug, { words, edition, cursor: next, limit: PAGE });
    button.disabled = false;
    told.textContent = page ? "" : t("found.more-unread");
    if (!page) return;
    list.append(...page.sections.map((hit) => hitItem(hit, slug, edition)));
    next = page.next_cursor;
    if (!next) button.remove();
  }
  rest.append(button, told);
  return rest;
}

/**
 * @param {SectionWithWords[]} hits
 * @param {string} slug
 * @param {number} edition
 */
function hitList(hits, slug, edition) {
  const items = hits.map((hit) => hitItem(hit, slug, edition));
  return element("ol", { class: "hits", role: "list" }, ...items);
}

/** @param {SectionWithWords} hit */
function withWordsMarked({ excerpt, excerpt_start: start, excerpt_end: end }) {
  // What was kept before by a browser says no place of the words in the excerpt.
  if (!(start < end)) return [excerpt];
  const points = [...excerpt];
  const part = (/** @type {number} */ from, /** @type {number | undefined} */ to) => points.slice(from, to).join("");
  return [part(0, start), element("mark", {}, part(start, end)), part(end, undefined)];
}

/**
 * @param {SectionWithWords} hit
 * @param {string} slug
 * @param {number} edition
 */
function hitItem(hit, slug, edition) {
  return element(
    "li",
    {},
    element(
      "a",
      { class: "hit", href: placeHref(slug, hit.document, { range: hit, edition }) },
      element("span", { class: "where" }, placeInWords({ ...hit, page: null, page_label: null }), ` (${hit.count})`),
      element("span", { class: "excerpt", dir: "auto" }, ...withWordsMarked(hit)),
    ),
  );
}
