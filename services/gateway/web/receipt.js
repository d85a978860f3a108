// How an answer came about: what was looked for and found, checks, what was left out, time by stage.

import { count, element } from "./dom.js";
import { withFormulas } from "./math.js";
import { Offsets } from "./offsets.js";
import { placeHref } from "./places.js";

const EXCERPT = 160;

export const VERDICT = {
  exact: "word for word",
  normalised: "word for word, but for typography",
  supported: "in other words than the answer",
};

export function receiptOf(answer, passages, slug) {
  const details = element(
    "details",
    { class: "receipt", "aria-live": "off" },
    element("summary", {}, "How this answer was found"),
  );
  const searched = answer.searched_question;
  if (searched && searched !== answer.question) {
    details.append(element("h4", {}, "Looked for"), element("p", {}, searched));
  }
  details.append(...checksOf(answer));
  if (passages.length) {
    details.append(
      element("h4", {}, "Passages"),
      passageList(passages, slug, answer.edition),
    );
  }
  details.append(
    ...limitsOf(answer),
    element("h4", {}, "Time"),
    timeTable(answer.timings),
    element(
      "p",
      { class: "hint" },
      `Profile ${answer.profile}, confidence ${answer.confidence.score.toFixed(2)}, answer ${answer.answer_id}`,
    ),
  );
  return details;
}

// What was checked of each sentence, and what its quotations were found to be.
function checksOf(answer) {
  const verdicts = new Map(answer.citations.map((citation) => [citation.n, VERDICT[citation.verdict]]));
  // Sentences that passed the same checks are told of together.
  const groups = new Map();
  for (const { citations, checks } of answer.sentences) {
    const key = JSON.stringify(checks);
    if (!groups.has(key)) groups.set(key, { checks, numbers: new Set() });
    citations.forEach((n) => groups.get(key).numbers.add(n));
  }
  const items = [...groups.values()].map(({ checks, numbers }) => {
    const found = Map.groupBy([...numbers].sort((a, b) => a - b), (n) => verdicts.get(n));
    const told = [...found].map(([verdict, ns]) => `${ns.map((n) => `[${n}]`).join(" ")} ${verdict}`);
    return element("li", {}, told.join(", "), checkList(checks));
  });
  for (const checks of answer.withheld ?? []) {
    items.push(element("li", { class: "withheld" }, "A sentence was withheld", checkList(checks)));
  }
  if (answer.checks?.length) items.push(element("li", {}, "The whole", checkList(answer.checks)));
  if (!items.length) return [];
  return [element("h4", {}, "Checks"), element("ul", { role: "list", class: "checks" }, ...items)];
}

function checkList(checks) {
  if (!checks?.length) return null;
  const words = checks.map(
    ({ kind, passed, reason }) => `${passed ? "✓" : "✗"} ${kind}${reason ? `: ${reason}` : ""}`,
  );
  return element("p", {}, words.join(" · "));
}

// What did not fit, what there was no time for, and what a language model was used for it.
function limitsOf({ left_out: leftOut = [], degraded, model_use: use }) {
  const lines = [];
  if (leftOut.length) lines.push(`${count(leftOut.length, "passage")} found did not fit in the prompt.`);
  if (degraded.length) lines.push(`Left out for lack of time: ${degraded.join(", ")}.`);
  if (use) lines.push(`Written by ${use.model}: ${use.input_tokens} tokens read, ${use.output_tokens} written.`);
  return lines.map((line) => element("p", {}, line));
}

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

export function passageList(passages, slug, edition) {
  const items = passages.map((passage) =>
    element(
      "li",
      {},
      element(
        "a",
        { class: "found", href: placeHref(slug, passage.document, { range: passage, edition }) },
        element("span", { class: "where" }, passage.section_path.join(" › ") || passage.document),
        passage.table_header ? element("span", { class: "beside" }, passage.table_header) : null,
        element("span", { class: "excerpt" }, ...withFormulas(excerpt(gistOf(passage)))),
        ...passage.footnotes.map((note) => element("span", { class: "beside" }, excerpt(note))),
        element("span", { class: "scores" }, scoresInWords(passage.scores)),
      ),
    ),
  );
  return element("ol", { class: "passages", role: "list" }, ...items);
}

// The sentences that carry the match, or else the whole; its section is named above it in any case.
function gistOf({ text, start, units }) {
  const offsets = new Offsets(text);
  const words = (unit) => text.slice(offsets.toUnits(unit.start - start), offsets.toUnits(unit.end - start));
  return units.filter((unit) => unit.marked).map(words).join(" … ") || text;
}

function excerpt(text) {
  const characters = [...text.replace(/\s+/g, " ")];
  return characters.length > EXCERPT
    ? `${characters.slice(0, EXCERPT).join("")}…`
    : characters.join("");
}

function scoresInWords(scores) {
  const { blended, dense, bm25 } = scores;
  return `score ${blended.toFixed(2)} · meaning ${dense.toFixed(2)} · words ${bm25.toFixed(1)}`;
}
