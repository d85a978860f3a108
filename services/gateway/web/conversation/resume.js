// @ts-check
// Where the reader was: the place in each book and in its conversation, and what was being written.

/** @import { TextSelection } from "../document/page.js" */

import { tab } from "../common/storage.js";

/**
 * @typedef {object} Left
 * @property {string} [hash] The address of the place that was read last.
 * @property {number} [y] How far down it was read, in pixels.
 * @property {number} [scroll] How far down the conversation was read, in pixels.
 * @property {string} [draft] The question that was being written.
 * @property {TextSelection | null} [selection] What had been selected for it.
 */

const KEY = "quoth_left";
const PAUSE_MS = 150;

/**
 * What was left of a book; anything that was not written here is left out.
 *
 * @param {string} slug
 * @returns {Left}
 */
export function recall(slug) {
  const kept = readAll().get(slug);
  const { hash, y, scroll, draft, selection } = isObject(kept) ? kept : /** @type {any} */ ({});
  return {
    hash: typeof hash === "string" ? hash : undefined,
    y: asNumber(y),
    scroll: asNumber(scroll),
    draft: typeof draft === "string" ? draft : undefined,
    selection: isSelection(selection) ? selection : null,
  };
}

/**
 * @param {string} slug
 * @param {Left} left
 */
export function remember(slug, left) {
  const all = readAll();
  all.set(slug, { ...recall(slug), ...left });
  tab.write(KEY, JSON.stringify([...all]));
}

/** How far down the entry of the browser's history that is open was read; null for a new one. */
export function positionOfEntry() {
  return asNumber(history.state?.y) ?? null;
}

/** The entry is gone to as if it were new. */
export function forgetPosition() {
  history.replaceState(null, "");
}

/**
 * Keeps how far down the page is, with the entry of the history and with the book. Returns what
 * keeps it at once.
 *
 * @param {() => { slug: string, isText: boolean } | null} openPlace The book that is shown at the address, and
 *   whether it is its text.
 */
export function keepPosition(openPlace) {
  history.scrollRestoration = "manual";
  let waiting = 0;
  const keep = () => {
    clearTimeout(waiting);
    const open = openPlace();
    if (!open) return;
    const y = Math.round(scrollY);
    history.replaceState({ y }, "");
    if (open.isText) remember(open.slug, { hash: location.hash, y });
  };
  addEventListener(
    "scroll",
    () => {
      clearTimeout(waiting);
      waiting = setTimeout(keep, PAUSE_MS);
    },
    { passive: true },
  );
  // Before a link is followed and before the page goes; the next entry is not this one's.
  document.addEventListener("click", keep, { capture: true });
  addEventListener("pagehide", keep);
  addEventListener("hashchange", () => clearTimeout(waiting));
  return keep;
}

/** @returns {Map<string, unknown>} */
function readAll() {
  const kept = tab.readJson(KEY);
  const pairs = (Array.isArray(kept) ? kept : []).filter((pair) => Array.isArray(pair) && pair.length === 2);
  return new Map(pairs);
}

/**
 * @param {any} value
 * @returns {value is TextSelection}
 */
function isSelection(value) {
  if (!isObject(value)) return false;
  const { document, text, start, end } = /** @type {any} */ (value);
  return typeof document === "string" && typeof text === "string" && [start, end].every((at) => at === null || Number.isInteger(at));
}

/** @param {unknown} value */
function isObject(value) {
  return typeof value === "object" && value !== null;
}

/** @param {unknown} value */
function asNumber(value) {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
