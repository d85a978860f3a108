// @ts-check
// Whose words an answer is in and how sure that is, as a reader would say it.

/** @import { Answer, Citation, Refusal, Sentence } from "../schema.js" */

import { t } from "../common/language.js";

const LIKELY = /** @type {const} */ ([
  { least: 0.95, key: "wording.certain" },
  { least: 0.8, key: "wording.very-probable" },
  { least: 0.6, key: "wording.probable" },
  { least: 0, key: "wording.possible" },
]);

/**
 * How sure an answer is, in whose words, and of what it was made.
 *
 * @param {Pick<Answer, "sentences" | "grounding" | "confidence" | "mode" | "edition" | "model_use">} answer
 */
export function standingInWords({ confidence: { level }, mode, edition, sentences, grounding, model_use: use }) {
  const parts = [
    level && t(`confidence.${level}`),
    levelInWords({ sentences, grounding }),
    sentences.length ? (use ? t("standing.by-model", { model: use.model }) : t("standing.no-model")) : null,
    mode === "selection" ? t("standing.selection") : null,
    t("edition", { edition: String(edition) }),
  ];
  return parts.filter(Boolean).join(" · ");
}

/**
 * An answer whose every sentence is the book's own is told as such, whatever would have been allowed.
 *
 * @param {Pick<Answer, "sentences" | "grounding">} answer
 */
export function levelInWords({ sentences, grounding }) {
  if (!sentences.length) return null;
  const reworded = sentences.some(({ kind }) => kind === "paraphrased");
  return t(`grounding.${reworded ? grounding : "verbatim"}`);
}

/**
 * What there is to say of a sentence that is not simply the book's; "" of one that is.
 *
 * @param {Pick<Sentence, "kind" | "probability" | "stands_in">} sentence
 */
export function wordingOf({ kind, probability, stands_in: standsIn }) {
  if (standsIn) return t("wording.stands-in");
  if (kind === "quoted") return "";
  return t(LIKELY.find(({ least }) => probability >= least)?.key ?? "wording.possible");
}

/**
 * What is quoted nearest to a question that was refused: `told`, which its message says, and the others.
 *
 * @param {Pick<Refusal, "message" | "nearest">} refusal
 */
export function nearestOf({ message, nearest = [] }) {
  const isTold = (/** @type {Citation} */ { quote }) => message.includes(quote);
  return { told: nearest.filter(isTold), near: nearest.filter((one) => !isTold(one)) };
}
