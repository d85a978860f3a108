// @ts-check
// The numbers of steps: the book draws them beside its text, so that no quotation has them.

/** @import { Document as BookDocument } from "../schema.js" */

import { getDocument } from "../common/api.js";

/** @typedef {{ item: HTMLElement, document: string, start: number }} Step */

const KEPT = 8;
const NUMBER = /^\(?([0-9]+|[a-z]|[ivx]+)[.)]?$/i;

/**
 * The documents that were looked into last.
 *
 * @type {Map<string, Promise<BookDocument>>}
 */
const kept = new Map();

/**
 * Gives the items the numbers that they have in the book; items of a list without numbers stay as they are.
 *
 * @param {Step[]} steps
 * @param {string} slug
 * @param {number} edition
 */
export function numberSteps(steps, slug, edition) {
  return Promise.all(
    steps.map(async ({ item, document, start }) => {
      // An item without its number says no less.
      const held = await look(slug, document, edition).catch(() => null);
      const block = held?.blocks.find((one) => one.kind === "list_item" && one.start <= start && start < one.end);
      if (block && NUMBER.test(block.label)) item.dataset.label = block.label;
    }),
  );
}

/**
 * @param {string} slug
 * @param {string} path
 * @param {number} edition
 */
function look(slug, path, edition) {
  const key = [slug, edition, path].join("\n");
  const known = kept.get(key);
  if (known) return known;
  const asked = getDocument(slug, path, edition);
  kept.set(key, asked);
  asked.catch(() => kept.delete(key));
  for (const oldest of [...kept.keys()].slice(0, -KEPT)) kept.delete(oldest);
  return asked;
}
