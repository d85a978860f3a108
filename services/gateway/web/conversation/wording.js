// @ts-check
// Whose words an answer is in and how sure that is, as a reader would say it.

/** @import { Answer, Sentence } from "../schema.js" */

const LIKELY = [
  { least: 0.95, word: "almost certainly" },
  { least: 0.8, word: "very probably" },
  { least: 0.6, word: "probably" },
  { least: 0, word: "possibly" },
];

const LEVEL = {
  verbatim: "in the book’s own words",
  supported: "reworded, each sentence checked against its quotation",
  cited: "reworded, its sources named but not checked",
};

const CONFIDENCE = {
  high: "High confidence",
  medium: "Medium confidence",
  low: "Low confidence: read the passages themselves",
};

/**
 * How sure an answer is, in whose words, and of what it was made.
 *
 * @param {Pick<Answer, "sentences" | "grounding" | "confidence" | "mode" | "edition" | "model_use">} answer
 */
export function standingInWords({ confidence: { level }, mode, edition, sentences, grounding, model_use: use }) {
  const parts = [
    level && CONFIDENCE[level],
    levelInWords({ sentences, grounding }),
    sentences.length ? (use ? `by ${use.model}` : "no language model") : null,
    mode === "selection" ? "from the selected passage" : null,
    `edition ${edition}`,
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
  return LEVEL[reworded ? grounding : "verbatim"];
}

/**
 * What there is to say of a sentence that is not simply the book's; "" of one that is.
 *
 * @param {Pick<Sentence, "kind" | "probability" | "stands_in">} sentence
 */
export function wordingOf({ kind, probability, stands_in: standsIn }) {
  if (standsIn) return "The book’s own sentence, in the place of one that could not be proven.";
  if (kind === "quoted") return "";
  const likely = LIKELY.find(({ least }) => probability >= least)?.word ?? "possibly";
  return `Reworded: ${likely} what its quotation says.`;
}
