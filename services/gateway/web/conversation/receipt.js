// @ts-check
// How an answer came about: what was looked for and found, checks, what was left out, time by stage.

/** @import { Answer, Check, ModelUse, Passage, PassageScores, StageTiming } from "../schema.js" */

import { element } from "../common/dom.js";
import { t } from "../common/language.js";
import { withFormulas } from "../common/math.js";
import { Offsets } from "../common/offsets.js";
import { placeHref, placeInWords } from "../common/places.js";

const EXCERPT = 160;

/**
 * What a reader wants to know of it first, and one level deeper what a developer does.
 *
 * @param {Answer} answer
 * @param {Passage[]} passages
 * @param {string} slug
 */
export function receiptOf(answer, passages, slug) {
  const details = element(
    "details",
    { class: "receipt", "aria-live": "off" },
    element("summary", {}, t("receipt.title")),
    ...inWords(answer, passages).map((line) => element("p", {}, line)),
  );
  if (passages.length) details.append(passageList(passages, slug, answer.edition));
  details.append(forDevelopers(answer, passages));
  return details;
}

/**
 * @param {Answer} answer
 * @param {Passage[]} passages
 */
function inWords({ citations, withheld, omitted, degraded, model_use: use, verifier_use: judge, refusal }, passages) {
  const verdicts = Map.groupBy(citations, ({ verdict }) => t(`verdict.${verdict}`));
  const verdictsInWords = [...verdicts].map(([verdict, held]) => t("receipt.verdicts", { n: held.length, verdict }));
  const sections = new Set(passages.map(({ document, section_path: path }) => [document, ...path].join("\n")));
  return [
    passages.length ? readInWords(passages.length, sections.size) : "",
    verdictsInWords.length ? t("receipt.compared", { verdicts: verdictsInWords.join(", ") }) : "",
    withheld.length ? t("receipt.withheld", { n: withheld.length }) : "",
    omitted.length ? t("receipt.omitted", { n: omitted.length }) : "",
    degraded.length ? t("receipt.degraded") : "",
    use ? t("receipt.written", spent(use)) : "",
    judge ? t("receipt.judged", spent(judge)) : "",
    use || refusal ? "" : t("receipt.no-model"),
  ].filter(Boolean);
}

/**
 * @param {number} passages
 * @param {number} sections
 */
function readInWords(passages, sections) {
  return t("receipt.read", {
    passages: t("receipt.read-passages", { n: passages }),
    sections: t("receipt.read-sections", { n: sections }),
  });
}

/**
 * @param {Answer} answer
 * @param {Passage[]} passages
 */
function forDevelopers(answer, passages) {
  const { searched_question: searched, question, degraded } = answer;
  const score = answer.confidence.score.toFixed(2);
  const scores = passages.map((passage) =>
    element("li", {}, element("span", { class: "scores" }, scoresInWords(passage.scores))),
  );
  return element(
    "details",
    { class: "developer" },
    element("summary", {}, t("receipt.developers")),
    ...(searched && searched !== question ? [element("h4", {}, t("receipt.looked-for")), element("p", {}, searched)] : []),
    ...checksOf(answer),
    ...(scores.length ? [element("h4", {}, t("receipt.scores")), element("ol", {}, ...scores)] : []),
    element("h4", {}, t("receipt.time")),
    degraded.length ? element("p", {}, t("receipt.left-out", { stages: degraded.join(", ") })) : null,
    timeTable(answer.timings),
    element("p", { class: "hint" }, t("receipt.settings", { profile: answer.profile, score, id: answer.answer_id })),
  );
}

/**
 * What was checked of each sentence, and what its quotations were found to be.
 *
 * @param {Answer} answer
 */
function checksOf(answer) {
  const verdicts = new Map(answer.citations.map(({ n, verdict }) => [n, t(`verdict.${verdict}`)]));
  const items = groupByChecks(answer).map(({ checks, numbers }) => {
    const found = Map.groupBy([...numbers].sort((a, b) => a - b), (n) => verdicts.get(n));
    const verdictsInWords = [...found].map(([verdict, ns]) => `${ns.map((n) => `[${n}]`).join(" ")} ${verdict}`);
    return element("li", {}, verdictsInWords.join(", "), checkList(checks));
  });
  for (const { checks, replaced } of answer.withheld) {
    const what = t(replaced ? "receipt.replaced" : "receipt.sentence-withheld");
    items.push(element("li", { class: "withheld" }, what, checkList(checks)));
  }
  if (answer.checks.length) items.push(element("li", {}, t("receipt.whole"), checkList(answer.checks)));
  if (!items.length) return [];
  return [element("h4", {}, t("receipt.checks")), element("ul", { role: "list", class: "checks" }, ...items)];
}

/**
 * Sentences that passed the same checks are told of together, by the numbers of their citations.
 *
 * @param {Answer} answer
 */
function groupByChecks({ sentences }) {
  /** @type {Map<string, { checks: Check[], numbers: Set<number> }>} */
  const groups = new Map();
  for (const { citations, checks } of sentences) {
    const key = JSON.stringify(checks);
    const group = groups.get(key) ?? { checks, numbers: new Set() };
    groups.set(key, group);
    citations.forEach((n) => group.numbers.add(n));
  }
  return [...groups.values()];
}

/** @param {Check[]} checks */
function checkList(checks) {
  if (!checks.length) return null;
  const words = checks.map(
    ({ kind, passed, reason }) => `${passed ? "✓" : "✗"} ${kind}${reason ? `: ${reason}` : ""}`,
  );
  return element("p", { lang: "en", dir: "ltr" }, words.join(" · "));
}

/** @param {ModelUse} use */
function spent({ model, input_tokens: read, output_tokens: written }) {
  return { model, read, written };
}

/** @param {StageTiming[]} timings */
function timeTable(timings) {
  const rows = timings.map((timing) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, timing.stage),
      element("td", {}, `${timing.used_ms.toFixed(0)} ms`),
      element("td", {}, t("receipt.time-allowed", { ms: timing.allowed_ms.toFixed(0) })),
      element("td", {}, timing.outcome === "ok" ? "" : timing.outcome.replaceAll("_", " ")),
    ),
  );
  return element("table", {}, element("tbody", {}, ...rows));
}

/**
 * @param {Passage[]} passages
 * @param {string} slug
 * @param {number} edition
 */
export function passageList(passages, slug, edition) {
  const items = passages.map((passage) =>
    element(
      "li",
      {},
      element(
        "a",
        { class: "found", href: placeHref(slug, passage.document, { range: passage, edition }) },
        element("span", { class: "where" }, placeInWords(passage)),
        passage.table_header ? element("span", { class: "beside" }, passage.table_header) : null,
        element("span", { class: "excerpt" }, ...withFormulas(excerpt(gistOf(passage)))),
        ...passage.footnotes.map((note) => element("span", { class: "beside" }, excerpt(note))),
      ),
    ),
  );
  return element("ol", { class: "passages", role: "list" }, ...items);
}

/**
 * The sentences that carry the match, or else the whole below its title; its section is named above it in any case.
 *
 * @param {Passage} passage
 */
function gistOf({ text, start, spans }) {
  const offsets = new Offsets(text);
  const told = spans
    .filter((span) => span.highlighted)
    .map((span) => text.slice(offsets.toUnits(span.start - start), offsets.toUnits(span.end - start)));
  const below = spans.find((span) => span.kind !== "heading")?.start ?? start;
  return told.join(" … ") || text.slice(offsets.toUnits(below - start));
}

/** @param {string} text */
function excerpt(text) {
  const characters = [...text.replace(/\s+/g, " ")];
  return characters.length > EXCERPT
    ? `${characters.slice(0, EXCERPT).join("")}…`
    : characters.join("");
}

/** @param {PassageScores} scores */
function scoresInWords({ fused, dense, bm25 }) {
  return t("receipt.score", { fused: fused.toFixed(2), dense: dense.toFixed(2), bm25: bm25.toFixed(1) });
}
