// @ts-check
// In which direction a text is read.

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const DIRECTION_LETTERS = 4000;
/** Of the letters of a line that is said to go a way, so many at least must go it. */
const LEAST_SHARE = 0.25;

/**
 * The direction of most letters of the beginning: each line has its own beside it.
 *
 * @param {string} text
 */
export function directionOf(text) {
  return shareLeftward(text) > 0.5 ? "rtl" : "ltr";
}

/**
 * The direction of a line: what the book says of it, unless its letters gainsay. A book from right to
 * left says it once, of all, and has lines in it that nobody translated.
 *
 * @param {string} text
 * @param {string} said "" for nothing.
 * @returns {string} "" for a line without letters, which goes as those around it.
 */
export function lineDirection(text, said) {
  if (!/\p{L}/u.test(text)) return "";
  const share = shareLeftward(text);
  if (said === "rtl" && share >= LEAST_SHARE) return said;
  if (said === "ltr" && share <= 1 - LEAST_SHARE) return said;
  return share > 0.5 ? "rtl" : "ltr";
}

/** @param {string} text */
function shareLeftward(text) {
  const beginning = text.slice(0, DIRECTION_LETTERS);
  if (!RIGHT_TO_LEFT.test(beginning)) return 0;
  const letters = beginning.match(/\p{L}/gu) ?? [];
  return letters.filter((letter) => RIGHT_TO_LEFT.test(letter)).length / letters.length;
}
