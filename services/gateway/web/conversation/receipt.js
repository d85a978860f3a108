// @ts-check
// How an answer came about: what was looked for and found, checks, what was left out, time by stage.

/** @import { Answer, Check, ModelUse, Passage, PassageScores, StageTiming } from "../schema.js" */

import { count, element } from "../common/dom.js";
import { withFormulas } from "../common/math.js";
import { Offsets } from "../common/offsets.js";
import { placeHref, placeInWords } from "../common/places.js";

const EXCERPT = 160;

export const VERDICT = {
  exact: "word for word",
  normalised: "word for word, but for typography",
  supported: "in other words than the answer",
};

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
    element("summary", {}, "How this answer was found"),
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
  const verdicts = Map.groupBy(citations, ({ verdict }) => VERDICT[verdict]);
  const verdictsInWords = [...verdicts].map(([verdict, held]) => `${held.length} ${verdict}`);
  const sections = new Set(passages.map(({ document, section_path: path }) => [document, ...path].join("\n")));
  return [
    passages.length
      ? `${count(passages.length, "passage")} of ${count(sections.size, "section")} of the book were looked through.`
      : "",
    verdictsInWords.length ? `Each quotation was compared with the book: ${verdictsInWords.join(", ")}.` : "",
    withheld.length ? `${count(withheld.length, "sentence")} that could not be proven did not come through.` : "",
    omitted.length ? `${count(omitted.length, "passage")} found, and left out of the prompt.` : "",
    degraded.length ? "For lack of time something was left out." : "",
    use ? `Written by ${spent(use)}` : "",
    judge ? `Judged by ${spent(judge)}` : "",
    use || refusal ? "" : "No language model was asked: these are the book’s own sentences that answer best.",
  ].filter(Boolean);
}

/**
 * @param {Answer} answer
 * @param {Passage[]} passages
 */
function forDevelopers(answer, passages) {
  const { searched_question: searched, question, degraded } = answer;
  const scores = passages.map((passage) =>
    element("li", {}, element("span", { class: "scores" }, scoresInWords(passage.scores))),
  );
  return element(
    "details",
    { class: "developer" },
    element("summary", {}, "For developers"),
    ...(searched && searched !== question ? [element("h4", {}, "Looked for"), element("p", {}, searched)] : []),
    ...checksOf(answer),
    ...(scores.length ? [element("h4", {}, "Scores of the passages"), element("ol", {}, ...scores)] : []),
    element("h4", {}, "Time"),
    degraded.length ? element("p", {}, `Left out for lack of time: ${degraded.join(", ")}.`) : null,
    timeTable(answer.timings),
    element(
      "p",
      { class: "hint" },
      `Profile ${answer.profile}, confidence ${answer.confidence.score.toFixed(2)}, answer ${answer.answer_id}`,
    ),
  );
}

/**
 * What was checked of each sentence, and what its quotations were found to be.
 *
 * @param {Answer} answer
 */
function checksOf(answer) {
  const verdicts = new Map(answer.citations.map(({ n, verdict }) => [n, VERDICT[verdict]]));
  const items = groupByChecks(answer).map(({ checks, numbers }) => {
    const found = Map.groupBy([...numbers].sort((a, b) => a - b), (n) => verdicts.get(n));
    const verdictsInWords = [...found].map(([verdict, ns]) => `${ns.map((n) => `[${n}]`).join(" ")} ${verdict}`);
    return element("li", {}, verdictsInWords.join(", "), checkList(checks));
  });
  for (const { checks, replaced } of answer.withheld) {
    const what = replaced ? "A sentence was replaced by the book’s own" : "A sentence was withheld";
    items.push(element("li", { class: "withheld" }, what, checkList(checks)));
  }
  if (answer.checks.length) items.push(element("li", {}, "The whole", checkList(answer.checks)));
  if (!items.length) return [];
  return [element("h4", {}, "Checks"), element("ul", { role: "list", class: "checks" }, ...items)];
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
  return element("p", {}, words.join(" · "));
}

/** @param {ModelUse} use */
function spent({ model, input_tokens: read, output_tokens: written }) {
  return `${model}: ${read} tokens read, ${written} written.`;
}

/** @param {StageTiming[]} timings */
function timeTable(timings) {
  const rows = timings.map((timing) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, timing.stage),
      element("td", {}, `${timing.used_ms.toFixed(0)} ms`),
      element("td", {}, `of ${timing.allowed_ms.toFixed(0)}`),
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
 * The sentences that carry the match, or else the whole; its section is named above it in any case.
 *
 * @param {Passage} passage
 */
function gistOf({ text, start, spans }) {
  const offsets = new Offsets(text);
  return (
    spans
      .filter((span) => span.highlighted)
      .map((span) => text.slice(offsets.toUnits(span.start - start), offsets.toUnits(span.end - start)))
      .join(" … ") || text
  );
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
  return `score ${fused.toFixed(2)} · meaning ${dense.toFixed(2)} · words ${bm25.toFixed(1)}`;
}
