// @ts-check
// The parts of an exchange that are not its answer: the question, and why there is no answer.

/** @import { Message } from "./sessions.js" */

import { Interrupted, isAbort, Problem } from "../common/api.js";
import { element } from "../common/dom.js";
import { t } from "../common/language.js";
import { withFormulas } from "../common/math.js";
import { askedInWords } from "./sessions.js";

const CANNOT_RETRY = new Set(["invalid_input", "malformed", "too_large", "not_found"]);

/**
 * @param {string[]} starters Questions that the book answers.
 * @param {(question: string) => unknown} ask
 */
export function welcome(starters, ask) {
  return element(
    "div",
    { class: "welcome" },
    element("h2", {}, t("welcome.title")),
    element("p", {}, t("welcome.promise")),
    starterList(starters, ask),
    element("p", { class: "hint" }, t("welcome.select")),
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
  return element("ul", { class: "starters", role: "list", "aria-label": t("welcome.starters") }, ...items);
}

/** @param {Pick<Message, "content" | "selection" | "search">} asked */
export function askedHeader({ content, selection, search }) {
  const words = askedInWords({ content });
  // Alone the words say which way their line goes; after ours they would turn these round.
  const title = search
    ? [element("span", { class: "prefix" }, `${t("exchange.passages-on")} `), element("bdi", {}, words)]
    : [words];
  return element(
    "header",
    { class: "asked" },
    selection ? element("blockquote", {}, ...withFormulas(selection.text)) : null,
    element("h3", {}, ...title),
  );
}

/** @param {() => unknown} again */
export function interruption(again) {
  return element("div", { class: "notice" }, `${t("exchange.interrupted")} `, retryButton(t("exchange.ask-again"), again));
}

/**
 * @param {unknown} error
 * @param {() => unknown} again
 */
export function failure(error, again) {
  const button = retryButton(t("frame.try-again"), again);
  const takenBack = `${t("exchange.taken-back")} `;
  if (isAbort(error)) return element("div", { class: "notice" }, `${t("exchange.stopped")} `, button);
  if (error instanceof Interrupted) {
    return element("div", { class: "notice" }, takenBack, button);
  }
  const known = error instanceof Problem;
  const text = known ? `${error.isMidway ? takenBack : ""}${error.message}` : t("frame.broken");
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
