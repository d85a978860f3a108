// @ts-check
// Tables and code of an answer, drawn as the book has them.

/** @import { QuotedPiece } from "../document/quotations.js" */

import { element } from "../common/dom.js";
import { t } from "../common/language.js";
import { withFormulas } from "../common/math.js";
import { copyButton } from "../document/codewords.js";
import { splitCells } from "../document/quotations.js";
import { drawCells } from "./words.js";

const LINE = 20;
const MOST_STACKED = 3;

/**
 * A table to be filled with rows; the header is the book's own, which the answer does not say.
 *
 * @param {HTMLElement} text Where it goes.
 * @param {string} header
 * @param {string} title Of the section that it stands in.
 */
export function openTable(text, header, title) {
  const cells = splitCells(header).filter((piece) => !piece.bar);
  const titles = cells.map(({ start, end }) =>
    start < end ? element("th", { scope: "col" }, ...withFormulas(header.slice(start, end))) : element("td"),
  );
  const head = element("thead", {}, element("tr", {}, element("td", {}), ...titles));
  const body = element("tbody");
  const table = element("table", {}, element("caption", {}, title), header ? head : null, body);
  const box = element("div", { class: "table", tabindex: "0", role: "group", "aria-label": t("document.table") }, table);
  text.append(box);
  if (header) stackWhereWide(box, table);
  return body;
}

/**
 * A few rows that are wider than their place are read as titles with their cells: what was asked for may
 * stand in the last.
 *
 * @param {HTMLElement} box
 * @param {HTMLElement} table
 */
function stackWhereWide(box, table) {
  const fitted = new ResizeObserver(() => {
    box.classList.remove("stacked");
    const isFew = table.querySelectorAll("tbody > tr").length <= MOST_STACKED;
    box.classList.toggle("stacked", isFew && table.offsetWidth > box.clientWidth);
  });
  fitted.observe(box);
  fitted.observe(table);
}

/**
 * A row whose first cell is empty: it is for the chip, which would hide the end of a wide table there.
 *
 * @param {string} text
 * @param {string} header With one, the first cell says what the row is of.
 */
export function rowOf(text, header) {
  const titles = splitCells(header).filter((piece) => !piece.bar);
  const row = element("tr", { class: "sentence" });
  for (const cell of drawCells(text)) {
    const title = titles[row.childElementCount];
    const named = { "data-title": title ? header.slice(title.start, title.end) : "" };
    // A bar belongs to the cell before it: a row holds nothing but cells.
    if (cell.className === "cell-bar") row.lastElementChild?.append(cell);
    else if (header && !row.hasChildNodes() && cell.textContent)
      row.append(element("th", { scope: "row", ...named }, cell));
    else row.append(element("td", named, cell));
  }
  row.prepend(element("td", { class: "row-chips" }));
  return row;
}

/** @param {HTMLElement} text Where it goes. */
export function openCode(text) {
  const words = element("code", { class: "code-words", tabindex: "0", role: "group", "aria-label": t("document.code") });
  const chips = element("span", { class: "code-chips" });
  const copied = copyButton(() => words.textContent ?? "");
  text.append(element("div", { class: "sentence code" }, words, copied, chips));
  return { words, chips };
}

/**
 * Shows the whole piece of code that quotations are of; what is not quoted stands back.
 *
 * @param {HTMLElement} words
 * @param {QuotedPiece[]} quoted Parts of one block, in the book's order.
 */
export function fillCode(words, quoted) {
  const { block } = quoted[0];
  if (!block) {
    words.replaceChildren(quoted[0].text);
    return;
  }
  const characters = [...block.text];
  const part = (/** @type {number} */ from, /** @type {number} */ to) =>
    characters.slice(from - block.start, to - block.start).join("");
  /** @type {(Node | string)[]} */
  const parts = [];
  let at = block.start;
  for (const { start, end } of quoted) {
    if (at < start) parts.push(element("span", { class: "context" }, part(at, start)));
    parts.push(element("span", { class: "quoted" }, part(Math.max(at, start), end)));
    at = Math.max(at, end);
  }
  if (at < block.end) parts.push(element("span", { class: "context" }, part(at, block.end)));
  words.replaceChildren(...parts);
  // Once it is on the page: of long code the quoted lines are what is seen.
  requestAnimationFrame(() => {
    const first = /** @type {HTMLElement | null} */ (words.querySelector(".quoted"));
    if (first) words.scrollTop = first.offsetTop - words.offsetTop - LINE;
  });
}
