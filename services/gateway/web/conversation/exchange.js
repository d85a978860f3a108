// @ts-check
// The parts of an exchange that are not its answer: the question, and why there is no answer.

/** @import { Message } from "./sessions.js" */

import { Interrupted, isAbort, Problem } from "../common/api.js";
import { element } from "../common/dom.js";
import { withFormulas } from "../common/math.js";

const INTERRUPTED = "The answer was interrupted, so what had come of it was taken back. ";
const CANNOT_RETRY = new Set(["invalid_input", "malformed", "too_large", "not_found"]);

export const UNKEPT = "This browser keeps no more: the conversation is lost when the page is left.";

/**
 * @param {string[]} starters Questions that the book answers.
 * @param {(question: string) => unknown} ask
 */
export function welcome(starters, ask) {
  return element(
    "div",
    { class: "welcome" },
    element("h2", {}, "Ask this book"),
    element(
      "p",
      {},
      "Every sentence of an answer carries the book’s own words. Where the book does not say, Quoth says so.",
    ),
    starterList(starters, ask),
    element("p", { class: "hint" }, "Or select a passage in the text and ask about it."),
  );
}

/**
 * @param {string[]} questions
 * @param {(question: string) => unknown} ask
 */
export function starterList(questions, ask) {
  if (!questions.length) return null;
  const items = questions.map((question) =>
    element("li", {}, element("button", { class: "starter", type: "button", onclick: () => ask(question) }, question)),
  );
  return element("ul", { class: "starters", role: "list", "aria-label": "Questions to begin with" }, ...items);
}

/** @param {Pick<Message, "content" | "selection" | "search">} asked */
export function askedHeader({ content, selection, search }) {
  return element(
    "header",
    { class: "asked" },
    selection ? element("blockquote", {}, ...withFormulas(selection.text)) : null,
    element("h3", {}, search ? element("span", { class: "prefix" }, "Passages on ") : null, content),
  );
}

/** @param {() => unknown} again */
export function interruption(again) {
  return element("div", { class: "notice" }, "Interrupted before it was answered. ", retryButton("Ask again", again));
}

/**
 * @param {unknown} error
 * @param {() => unknown} again
 */
export function failure(error, again) {
  const button = retryButton("Try again", again);
  if (isAbort(error)) return element("div", { class: "notice" }, "Stopped. ", button);
  if (error instanceof Interrupted) {
    return element("div", { class: "notice" }, INTERRUPTED, button);
  }
  const known = error instanceof Problem;
  const text = known ? `${error.isMidway ? INTERRUPTED : ""}${error.message}` : "Something went wrong on this page.";
  if (!known) console.error(error);
  const useless = known && CANNOT_RETRY.has(error.code);
  return element("div", { class: "notice", role: "alert" }, `${text} `, useless ? null : button);
}

/**
 * @param {string} words
 * @param {() => unknown} again
 */
function retryButton(words, again) {
  return element("button", { class: "quiet-button", type: "button", onclick: again }, words);
}
