// @ts-check
// What a search in the book found: places with the exact words by section, and passages by meaning.

/** @import { Passage } from "./schema.js" */
/** @import { Hit, WordsFound } from "./wordsearch.js" */

import { count, element } from "./dom.js";
import { placeHref, placeInWords } from "./places.js";
import { passageList } from "./receipt.js";

const SHOWN = 4;

/**
 * @param {Passage[]} passages
 * @param {WordsFound | null | undefined} words Undefined where they were not looked for.
 * @param {string} slug
 * @param {number} edition
 */
export function drawFound(passages, words, slug, edition) {
  const byWords = words === undefined ? [] : [element("h4", {}, "These exact words"), ...drawWords(words, slug, edition)];
  const byMeaning = passages.length ? passageList(passages, slug, edition) : element("p", {}, "No passage found.");
  return element("div", { class: "search-result" }, ...byWords, element("h4", {}, "Passages by meaning"), byMeaning);
}

/**
 * @param {WordsFound | null} words
 * @param {string} slug
 * @param {number} edition
 */
function drawWords(words, slug, edition) {
  if (!words) return [element("p", {}, "The book could not be read through for them here.")];
  if (!words.total) return [element("p", {}, "Nowhere in the book.")];
  const { total } = words;
  const hits = words.hits.toSorted((one, other) => other.count - one.count);
  const counts = `${count(total, "time")} in ${count(hits.length, "section")}`;
  const rest = hits.slice(SHOWN);
  return [
    element("p", { class: "hint" }, counts),
    hitList(hits.slice(0, SHOWN), slug, edition),
    ...(rest.length
      ? [
          element(
            "details",
            {},
            element("summary", {}, `${count(rest.length, "more section", "more sections")}`),
            hitList(rest, slug, edition),
          ),
        ]
      : []),
  ];
}

/**
 * @param {Hit[]} hits
 * @param {string} slug
 * @param {number} edition
 */
function hitList(hits, slug, edition) {
  const items = hits.map((hit) =>
    element(
      "li",
      {},
      element(
        "a",
        { class: "hit", href: placeHref(slug, hit.document, { range: hit, edition }) },
        element("span", { class: "where" }, placeInWords({ ...hit, page: null }), ` (${hit.count})`),
        element("span", { class: "excerpt" }, hit.excerpt),
      ),
    ),
  );
  return element("ol", { class: "hits", role: "list" }, ...items);
}
