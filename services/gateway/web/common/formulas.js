// @ts-check
// Where the formulas of a text stand.

/**
 * Where a formula begins and ends in its text, with its dollars, and its TeX.
 *
 * @typedef {{ start: number, end: number, tex: string, display: boolean }} FoundFormula
 */

// Dollars as Pandoc reads them: no space inside either, no word or digit around them.
const DOLLARS = /(?<![\w\\$])(\$\$?)(?![\s$])([^$\n]*[^$\s\\])\1(?![\w$])/g;
// Prices and shell variables have dollars too; a formula has a sign of TeX, or is f(x), a letter, a number.
const FORMULA = /[\\^_{}=<>]|^[A-Za-z]('?$|\()|^-?[\d.,]+$/;

/**
 * @param {string} text
 * @returns {FoundFormula[]}
 */
export function findFormulas(text) {
  return [...text.matchAll(DOLLARS)]
    .filter(([, , tex]) => FORMULA.test(tex))
    .map((found) => ({
      start: found.index,
      end: found.index + found[0].length,
      tex: found[2],
      display: found[1] === "$$",
    }));
}
