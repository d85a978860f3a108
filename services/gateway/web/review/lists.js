// @ts-check
// The lists of the review: questions, page by page, and what was asked of each section of a book.

/** @import { Coverage, ReviewedAnswer, ReviewList, SectionCoverage } from "../schema.js" */

import { announce, element } from "../common/dom.js";
import { inDigits, t } from "../common/language.js";
import { listAnswers } from "./calls.js";
import { factsOf, percent, queryOf, reviewHref } from "./words.js";

const COLUMNS = /** @type {const} */ ([
  "coverage.section",
  "coverage.asked",
  "coverage.answered",
  "coverage.refused",
  "coverage.low-confidence",
  "coverage.thumbs-down",
]);

/**
 * @param {ReviewList} first
 * @param {URLSearchParams} chosen
 * @param {(error: unknown) => Node} explain
 */
export function drawQuestions(first, chosen, explain) {
  if (!first.answers.length) return element("p", {}, t("review.nothing-asked"));
  const list = element("ol", { class: "questions", role: "list" });
  const box = element("section", { "aria-label": t("review.questions") }, list);
  add(first);
  return box;

  /** @param {ReviewList} page */
  function add({ answers, next_cursor: cursor }) {
    list.append(...answers.map((asked) => element("li", {}, questionLink(asked, chosen))));
    announce(t("review.shown", { n: list.children.length }));
    if (cursor) box.append(moreButton(cursor));
  }

  /** @param {string} cursor */
  function moreButton(cursor) {
    const button = element("button", { class: "quiet-button", type: "button", onclick: more }, t("review.more"));
    return button;

    async function more() {
      button.disabled = true;
      try {
        const page = await listAnswers({ ...queryOf(chosen), cursor });
        button.remove();
        const before = list.children.length;
        add(page);
        list.children[before]?.querySelector("a")?.focus();
      } catch (error) {
        button.replaceWith(explain(error));
      }
    }
  }
}

/**
 * @param {ReviewedAnswer} asked
 * @param {URLSearchParams} chosen
 */
function questionLink(asked, chosen) {
  const facts = element("span", { class: "facts" }, factsOf(asked).join(" · "));
  const text = asked.question || `(${t("review.about-passage")})`;
  // What failed has no answer that could be opened.
  if (asked.outcome === "failed") {
    return element("div", { class: "question" }, element("strong", { dir: "auto" }, text), facts);
  }
  return element(
    "a",
    { class: "question", href: reviewHref(`answers/${asked.answer_id}`, chosen) },
    element("strong", { dir: "auto" }, text),
    asked.text ? element("span", { class: "excerpt", dir: "auto" }, asked.text) : null,
    facts,
  );
}

/** @param {Coverage} coverage */
export function drawCoverage({ sections, asked, nothing_found: nothing, zero_result_rate: rate, alarm }) {
  const summary = t("coverage.summary", { n: asked, nothing, percent: percent(rate) });
  announce(summary);
  return element(
    "section",
    { "aria-label": t("review.coverage") },
    element("p", {}, summary),
    alarm ? element("p", { class: "notice" }, t("coverage.alarm")) : null,
    sections.length ? sectionTable(sections) : null,
  );
}

/** @param {SectionCoverage[]} sections */
function sectionTable(sections) {
  const names = COLUMNS.map((key) => t(key));
  const rows = sections.map((section) =>
    element(
      "tr",
      {},
      element("th", { scope: "row", dir: "auto" }, sectionInWords(section)),
      ...[section.asked, section.answered, section.refused, section.low_confidence, section.thumbs_down].map(
        (number, index) => element("td", { "data-name": names[index + 1] }, inDigits(number)),
      ),
    ),
  );
  const head = element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name)));
  return element("table", { class: "coverage" }, element("thead", {}, head), element("tbody", {}, ...rows));
}

/** @param {SectionCoverage} section */
function sectionInWords({ document, section_path: path }) {
  return path.join(" › ") || document || `(${t("coverage.nothing-found")})`;
}
