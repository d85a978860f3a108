// How an answer came about: passages and scores, verdicts, what was left out, time by stage.

import { element } from "./dom.js";
import { withFormulas } from "./math.js";
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
    { class: "receipt" },
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
  if (answer.degraded.length) {
    details.append(element("p", {}, `Left out for lack of time: ${answer.degraded.join(", ")}.`));
  }
  details.append(
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

// What each quotation was found to be, and whatever reasons came with it.
function checksOf(answer) {
  if (!answer.citations.length) return [];
  const items = answer.citations.map((citation) => {
    const reasons = (citation.checks ?? []).map(checkInWords);
    const verdict = `[${citation.n}] ${VERDICT[citation.verdict]}`;
    return element("li", {}, [verdict, ...reasons].join("; "));
  });
  return [element("h4", {}, "Checks"), element("ul", { role: "list", class: "checks" }, ...items)];
}

function checkInWords({ kind, passed, reason }) {
  return `${kind} ${passed ? "holds" : "fails"}${reason ? `: ${reason}` : ""}`;
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
        element("span", { class: "excerpt" }, ...withFormulas(excerpt(passage.text))),
        element("span", { class: "scores" }, scoresInWords(passage.scores)),
      ),
    ),
  );
  return element("ol", { class: "passages", role: "list" }, ...items);
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
