// @ts-check
// What the review says in words, and how the choice of questions stands in the address.

/** @import { ListAnswersQuery, ReviewedAnswer } from "../schema.js" */

/** @typedef {{ view: "answers" | "coverage" | "answer", id: string, chosen: URLSearchParams }} ReviewPlace */

import { dateInWords, inDigits, isKey, t } from "../common/language.js";

export const GRADES = /** @type {const} */ (["right", "wrong", "should_have_refused", "should_have_answered"]);
const CHOICES = ["book", "outcome", "confidence", "rating", "grade", "since", "until", "text"];
const DAYS = ["since", "until"];

/**
 * @param {string} hash
 * @returns {ReviewPlace}
 */
export function readReviewPlace(hash) {
  const [path, search = ""] = hash.replace(/^#\/?/, "").split("?");
  const chosen = new URLSearchParams(search);
  for (const name of [...chosen.keys()]) if (!CHOICES.includes(name)) chosen.delete(name);
  if (path.startsWith("answers/")) return { view: "answer", id: path.slice("answers/".length), chosen };
  return { view: path === "coverage" ? "coverage" : "answers", id: "", chosen };
}

/**
 * @param {string} path
 * @param {URLSearchParams} chosen
 */
export function reviewHref(path, chosen) {
  const given = new URLSearchParams([...chosen].filter(([, value]) => value));
  return given.size ? `#/${path}?${given}` : `#/${path}`;
}

/**
 * The query of a choice; a day begins where the reviewer is.
 *
 * @param {URLSearchParams} chosen
 * @returns {ListAnswersQuery}
 */
export function queryOf(chosen) {
  /** @type {Record<string, string | boolean>} */
  const query = {};
  for (const [name, value] of chosen) {
    if (!value) continue;
    if (name === "grade" && value === "none") query.graded = false;
    else query[name] = DAYS.includes(name) ? beginOf(value) : value;
  }
  return query;
}

/** @param {string} day */
function beginOf(day) {
  const [year, month, date] = day.split("-").map(Number);
  const begin = new Date(year, month - 1, date);
  return Number.isNaN(begin.getTime()) ? day : begin.toISOString();
}

/** @param {ReviewedAnswer} asked */
export function outcomeInWords({ outcome, reason, confidence_level: level }) {
  const how = t(`outcome.${outcome}`);
  if (outcome === "answered") return level ? `${how}, ${t(`level.${level}`)}` : how;
  const key = `reason.${reason}`;
  return [how, isKey(key) ? t(key) : reason.replaceAll("_", " ")].filter(Boolean).join(": ");
}

/** @param {ReviewedAnswer} asked */
export function factsOf(asked) {
  const { feedback, grade } = asked;
  return [
    dateInWords(new Date(asked.create_time), { dateStyle: "medium", timeStyle: "short" }),
    `${asked.book}, ${t("edition", { edition: String(asked.edition) })}`,
    asked.client,
    outcomeInWords(asked),
    feedback ? t(`rating.${feedback.rating}`) : "",
    grade ? t("review.graded", { grade: t(`graded.${grade.grade}`) }) : "",
  ].filter(Boolean);
}

/** @param {number} share */
export function percent(share) {
  return `${inDigits(share * 100, { minimumFractionDigits: 1, maximumFractionDigits: 1 })} %`;
}
