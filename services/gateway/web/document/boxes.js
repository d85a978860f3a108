// @ts-check
// Paragraphs of one quotation or note are blocks of their own, drawn as one box.

/** @import { Block } from "../schema.js" */

import { isKey, t } from "../common/language.js";

const BOXES = new Set(["quote", "admonition"]);
const LONGEST_TITLE = 60;
const ENDS_STATEMENT = /[.!?:;,…。！？：；]$/;

/**
 * What stands above a note: its kind as the reader calls it, else what the book calls it.
 *
 * @param {string} label
 */
export function nameOfNote(label) {
  const key = `note.${label.toLowerCase() || "note"}`;
  return isKey(key) ? t(key) : label;
}

/**
 * Joins a block to the one before it where both are of one box.
 *
 * A book that names its notes in its own words ("See also") needs no name of ours above that.
 *
 * @param {Element} made
 * @param {Block} block
 * @param {Block | null} before
 */
export function joinBox(made, block, before) {
  if (!BOXES.has(block.kind) || before?.kind !== block.kind || before.label !== block.label) return;
  made.classList.add("goes-on");
  const first = made.previousElementSibling;
  const text = first?.textContent.trim() ?? "";
  const isTitle = text.length <= LONGEST_TITLE && !ENDS_STATEMENT.test(text);
  if (isTitle && !first?.classList.contains("goes-on")) first?.classList.add("box-title");
}
