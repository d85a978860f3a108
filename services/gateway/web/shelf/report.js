// @ts-check
// What became of a book that was added, in words: what is new, and what was said more than once, once.

/** @import { DocumentReport, IngestJob } from "../schema.js" */

import { element } from "../common/dom.js";
import { isKey, t } from "../common/language.js";

const SHOWN = 3;
const PLACED = /^"([^"]+)": (.*)$/s;

/**
 * Messages that differ in their places and numbers alone, the most frequent first.
 *
 * @param {string[]} messages
 */
export function groupMessages(messages) {
  /** @type {Map<string, { text: string, places: string[], count: number }>} */
  const groups = new Map();
  for (const message of messages) {
    const [, place = "", text = message] = PLACED.exec(message) ?? [];
    const key = text.replace(/"[^"]*"|\d+/g, "#");
    const group = groups.get(key) ?? { text, places: [], count: 0 };
    group.count += 1;
    if (place && !group.places.includes(place)) group.places.push(place);
    groups.set(key, group);
  }
  return [...groups.values()].sort((one, other) => other.count - one.count);
}

/** @param {IngestJob} job */
export function reportInWords({ report, warnings }) {
  const documents = report?.documents ?? [];
  const changes = Map.groupBy(documents, ({ change }) => change);
  const changed = [...changes].map(([change, held]) => changeInWords(change, held.length));
  const failures = documents.filter(({ failure }) => failure);
  const ofDocuments = documents.flatMap(warningsOf);
  const others = [...new Set([...warnings, ...(report?.warnings ?? [])])].filter((text) => !ofDocuments.includes(text));
  const messages = [...others, ...ofDocuments];
  return element(
    "div",
    { class: "report" },
    changed.length ? element("p", {}, `${changed.join(", ")}.`) : null,
    ...list(t("report.left-out"), failures.map(({ path, failure }) => `${path}: ${failure}`)),
    ...list(t("report.warnings", { n: messages.length }), groupMessages(messages).map(groupInWords)),
  );
}

/**
 * @param {string} change
 * @param {number} n How many documents it happened to.
 */
function changeInWords(change, n) {
  const key = `report.${change}`;
  return isKey(key) ? t(key, { n }) : `${t("documents", { n })}: ${change}`;
}

/** @param {DocumentReport} document */
function warningsOf({ path, warnings, dropped_content: dropped }) {
  const told = warnings.map((warning) => (PLACED.test(warning) ? warning : `"${path}": ${warning}`));
  const lost = dropped.map(({ kind, place, reason }) => {
    const where = [path, place].filter(Boolean).join(", ").replaceAll('"', "'");
    return `"${where}": ${kind}: ${reason}`;
  });
  return [...told, ...lost];
}

/** @param {ReturnType<typeof groupMessages>[number]} group */
function groupInWords({ text, places, count: times }) {
  const names = places.slice(0, SHOWN).join("; ");
  const more = places.length - SHOWN;
  const where = more > 0 ? t("names-and-more", { names, n: more }) : names;
  return `${times > 1 ? `${t("report.times", { n: times })}: ` : ""}${text}${where && ` (${where})`}`;
}

/**
 * @param {string} title
 * @param {string[]} lines
 */
function list(title, lines) {
  if (!lines.length) return [];
  const items = lines.map((line) => element("li", { lang: "en", dir: "auto" }, line));
  return [element("details", {}, element("summary", {}, title), element("ul", {}, ...items))];
}
