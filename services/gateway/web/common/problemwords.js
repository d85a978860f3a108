// @ts-check
// What went wrong, in the reader's language.

import { isKey, language, t } from "./language.js";

/** Codes of which the words of the gateway say more: what is wrong with what was sent. */
const DETAILED = new Set(["invalid_input", "conflict", "too_large", "malformed", "wrong_index", "failed"]);

/**
 * The gateway speaks English: others read what its code means, and its words where these say more.
 *
 * @param {string} code
 * @param {string} detail
 */
export function problemInWords(code, detail) {
  const key = `problem.${code}`;
  if (language() === "en" || !isKey(key)) return detail;
  return DETAILED.has(code) ? `${t(key)} (${detail})` : t(key);
}

/** Why nothing answers: a browser that says it has a network may be wrong; one that says it has none is not. */
export function unreachableInWords() {
  return t(navigator.onLine ? "problem.unreachable" : "problem.offline");
}
