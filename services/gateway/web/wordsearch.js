// @ts-check
// Exact words in the whole book: each document is read, and what was found is told by section.

/** @import { Document as BookDocument } from "./schema.js" */

import { getDocument, listDocuments, Problem } from "./api.js";
import { Offsets } from "./offsets.js";

/**
 * A section that has the words, with their first place in it.
 *
 * @typedef {{ document: string, section_path: string[], count: number, start: number, end: number, excerpt: string }} Hit
 */
/** @typedef {{ total: number, hits: Hit[] }} WordsFound */

const TOGETHER = 4;
/** What is fetched to look for words: .8 bytes a character, compressed, and once an edition. */
const MAX_CHARACTERS = 2_000_000;
const AROUND = 60;

/**
 * The documents of the book that was searched last.
 *
 * @type {{ book: string, documents: Map<string, Pick<BookDocument, "path" | "text" | "sections">> }}
 */
let read = { book: "", documents: new Map() };

/**
 * Returns null for a book that can't be read through: it is too long, or the gateway stops.
 *
 * @param {string} slug
 * @param {string} words
 * @param {AbortSignal} signal
 * @returns {Promise<WordsFound | null>}
 */
export async function findWords(slug, words, signal) {
  try {
    return await search(slug, words, signal);
  } catch (error) {
    // Passages by meaning are shown all the same.
    if (error instanceof Problem) return null;
    throw error;
  }
}

/**
 * @param {string} slug
 * @param {string} words
 * @param {AbortSignal} signal
 * @returns {Promise<WordsFound | null>}
 */
async function search(slug, words, signal) {
  const pattern = patternOf(words);
  if (!pattern) return { total: 0, hits: [] };
  const { documents, edition } = await listDocuments(slug);
  if (documents.reduce((sum, { length }) => sum + length, 0) > MAX_CHARACTERS) return null;
  const book = `${slug} ${edition}`;
  if (read.book !== book) read = { book, documents: new Map() };
  const known = read.documents;
  /** @type {Hit[][]} */
  const found = documents.map(() => []);
  let next = 0;
  const work = async () => {
    while (next < documents.length) {
      signal.throwIfAborted();
      const at = next;
      next += 1;
      const { path } = documents[at];
      const held = known.get(path) ?? (await getDocument(slug, path, edition));
      known.set(path, { path, text: held.text, sections: held.sections });
      found[at] = hitsIn(held, pattern);
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, work));
  const hits = found.flat();
  return { total: hits.reduce((sum, { count }) => sum + count, 0), hits };
}

/**
 * What finds the words as they are said, whatever their case and the space between them; null if there
 * is no word.
 *
 * @param {string} words
 */
export function patternOf(words) {
  const bare = words.trim().replace(/^["'“”‘’«»]+|["'“”‘’«»?!.]+$/g, "");
  const parts = bare.split(/\s+/).filter(Boolean).map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  if (!/[\p{L}\p{N}]/u.test(bare)) return null;
  const edge = (/** @type {string} */ letter, /** @type {string} */ look) =>
    /[\p{L}\p{N}_]/u.test(letter) ? `${look}[\\p{L}\\p{N}_])` : "";
  return new RegExp(`${edge(bare[0], "(?<!")}${parts.join("\\s+")}${edge(bare[bare.length - 1], "(?!")}`, "giu");
}

/**
 * @param {Pick<BookDocument, "path" | "text" | "sections">} held
 * @param {RegExp} pattern
 */
export function hitsIn({ path, text, sections }, pattern) {
  const offsets = new Offsets(text);
  /** @type {Map<string, Hit>} */
  const hits = new Map();
  for (const found of text.matchAll(pattern)) {
    const start = offsets.toPoints(found.index);
    const section = sections.findLast((one) => one.start <= start && start < one.end);
    const key = section ? `${section.start}` : "";
    const hit = hits.get(key);
    if (hit) hit.count += 1;
    else {
      const until = found.index + found[0].length;
      hits.set(key, {
        document: path,
        section_path: section?.path ?? [],
        count: 1,
        start,
        end: offsets.toPoints(until),
        excerpt: around(text, found.index, until),
      });
    }
  }
  return [...hits.values()];
}

/**
 * @param {string} text
 * @param {number} start
 * @param {number} end
 */
function around(text, start, end) {
  const before = text.slice(0, start).slice(-AROUND).replace(/^[^\s]*\s/, "");
  const after = text.slice(end).slice(0, AROUND).replace(/\s[^\s]*$/, "");
  return `${start > AROUND ? "…" : ""}${before}${text.slice(start, end)}${after}…`.replace(/\s+/g, " ");
}
