// @ts-check
// In which direction a text is read.

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const DIRECTION_LETTERS = 4000;

/**
 * The direction of most letters of the beginning: each line has its own beside it.
 *
 * @param {string} text
 */
export function directionOf(text) {
  const letters = text.slice(0, DIRECTION_LETTERS).match(/\p{L}/gu) ?? [];
  const leftward = letters.filter((letter) => RIGHT_TO_LEFT.test(letter));
  return leftward.length > letters.length / 2 ? "rtl" : "ltr";
}
