// @ts-check
// One answer under review: its sentences, quotations and receipt, and the form that grades it.

/** @import { Answer, Citation, Grade, GradeRequest } from "../schema.js" */

import { announce, element } from "../common/dom.js";
import { dateInWords, t } from "../common/language.js";
import { placeHref, placeInWords } from "../common/places.js";
import { receiptOf } from "../conversation/receipt.js";
import { gradeAnswer } from "./calls.js";
import { GRADES } from "./words.js";

/**
 * @param {Answer} answer
 * @param {string} back Where the list is.
 * @param {(error: unknown) => Node} explain
 */
export function drawReviewed(answer, back, explain) {
  return element(
    "article",
    { class: "reviewed" },
    element("p", {}, element("a", { href: back }, t("review.back"))),
    element("h2", { dir: "auto", tabindex: "-1" }, answer.question || t("review.about-passage")),
    element("p", { class: "hint" }, factsOf(answer)),
    answerText(answer),
    ...quotations(answer),
    receiptOf(answer, [], answer.book),
    gradeForm(answer, explain),
  );
}

/** @param {Answer} answer */
function factsOf({ book, edition, timestamp, confidence, answer_id: id }) {
  const level = confidence.level ? t(`level.${confidence.level}`) : "";
  const when = dateInWords(new Date(timestamp), { dateStyle: "medium", timeStyle: "medium" });
  return [when, `${book}, ${t("edition", { edition: String(edition) })}`, level, id].filter(Boolean).join(" · ");
}

/** @param {Answer} answer */
function answerText({ refusal, sentences }) {
  if (refusal) return element("p", { class: "notice", dir: "auto" }, t("review.refused-with", { message: refusal.message }));
  const parts = sentences.map(({ text, citations }) =>
    element("p", { dir: "auto" }, `${text} ${citations.map((n) => `[${n}]`).join(" ")}`),
  );
  return element("div", { class: "reviewed-text" }, ...parts);
}

/** @param {Answer} answer */
function quotations({ book, edition, citations }) {
  if (!citations.length) return [];
  const items = citations.map((citation) => element("li", {}, ...quotation(citation, book, edition)));
  return [element("h3", {}, t("quotation.all")), element("ol", { class: "reviewed-quotes", role: "list" }, ...items)];
}

/**
 * @param {Citation} citation
 * @param {string} book
 * @param {number} edition
 */
function quotation(citation, book, edition) {
  const { n, quote, verdict, document } = citation;
  const href = placeHref(book, document, { range: citation, edition });
  return [
    element("blockquote", { dir: "auto" }, `[${n}] ${quote}`),
    element("p", { class: "hint" }, element("a", { href }, placeInWords(citation)), ` · ${t(`verdict.${verdict}`)}`),
  ];
}

/**
 * @param {Answer} answer
 * @param {(error: unknown) => Node} explain
 */
function gradeForm(answer, explain) {
  const outcome = element("div", { class: "grade-outcome", role: "status" });
  const choices = GRADES.map((value) =>
    element(
      "label",
      {},
      element("input", { type: "radio", name: "grade", value, required: true }),
      t(`grade.${value}`),
    ),
  );
  const form = element(
    "form",
    { class: "grade-form", "aria-label": t("review.grade") },
    element("fieldset", {}, element("legend", {}, t("review.your-grade")), ...choices),
    field(t("review.why"), element("textarea", { name: "note", rows: 2, maxlength: 2000 })),
    element("p", { class: "hint" }, t("review.where")),
    field(t("review.document"), element("input", { name: "document", maxlength: 1000, autocomplete: "off" })),
    field(t("review.quote"), element("textarea", { name: "quote", rows: 2, maxlength: 5000 })),
    element("button", { class: "main-button", type: "submit" }, t("review.keep")),
    outcome,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    outcome.replaceChildren();
    try {
      outcome.replaceChildren(element("p", {}, gradedInWords(await gradeAnswer(answer.answer_id, bodyOf(form)))));
    } catch (error) {
      outcome.replaceChildren(explain(error));
    }
  });
  return form;
}

/**
 * @param {string} name
 * @param {HTMLElement} input
 */
function field(name, input) {
  return element("label", { class: "field" }, name, input);
}

/**
 * @param {HTMLFormElement} form
 * @returns {GradeRequest}
 */
function bodyOf(form) {
  const said = new FormData(form);
  /** @param {string} name */
  const textOf = (name) => String(said.get(name) ?? "").trim();
  const grade = /** @type {GradeRequest["grade"]} */ (textOf("grade"));
  return { grade, note: textOf("note"), document: textOf("document"), quote: textOf("quote") };
}

/** @param {Grade} kept */
function gradedInWords({ grade, client }) {
  const given = t(`graded.${grade}`);
  const words = client ? t("review.was-graded-by", { grade: given, client }) : t("review.was-graded", { grade: given });
  announce(words);
  return words;
}
