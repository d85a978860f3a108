// @ts-check
// Paragraphs of one quotation or note are blocks of their own, drawn as one box.

/** @import { Block } from "../schema.js" */

const BOXES = new Set(["quote", "admonition"]);
const LONGEST_TITLE = 60;
const ENDS_STATEMENT = /[.!?:;,…。！？：；]$/;

/** What documents write in one word. */
const NAMES = new Map([
  ["", "note"],
  ["seealso", "see also"],
  ["versionadded", "version added"],
  ["versionchanged", "version changed"],
  ["versionremoved", "version removed"],
]);

/**
 * What stands above a note.
 *
 * @param {string} label
 */
export function nameOfNote(label) {
  return NAMES.get(label) ?? label;
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
