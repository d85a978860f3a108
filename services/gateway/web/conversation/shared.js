// @ts-check
// An answer at its own address: found by its id, with what its quotations are in the book.

/** @import { Answer, Block, Citation, Document as BookDocument } from "../schema.js" */
/** @import { Source } from "../document/quotations.js" */

import { getAnswer, getDocument, isMissing, Problem } from "../common/api.js";
import { t } from "../common/language.js";
import { Offsets } from "../common/offsets.js";

/** Characters of a section that is taken whole. */
const MOST = 20_000;

/**
 * @param {string} slug The book that the address names.
 * @param {string} id
 * @returns {Promise<{ answer: Answer, sources: Source[] }>}
 */
export async function fetchAnswer(slug, id) {
  const answer = await getAnswer(id).catch((error) => {
    throw isMissing(error) ? gone() : error;
  });
  if (answer.book !== slug) throw gone();
  const paths = [...new Set(answer.citations.map(({ document }) => document))];
  const found = await Promise.all(paths.map((path) => tryDocument(answer, path)));
  return { answer, sources: found.flatMap((held) => (held ? sourcesOf(held, answer.citations) : [])) };
}

function gone() {
  return new Problem("not_found", t("answer.gone"));
}

/**
 * The edition of an answer may be gone: its quotations are then shown as plain text.
 *
 * @param {Answer} answer
 * @param {string} path
 */
function tryDocument({ book, edition }, path) {
  return getDocument(book, path, edition).catch((error) => {
    if (isMissing(error)) return null;
    throw error;
  });
}

/**
 * The parts of a document that citations stand in: their sections, or of a long one their blocks.
 *
 * @param {Pick<BookDocument, "path" | "text" | "blocks" | "sections">} held
 * @param {Pick<Citation, "document" | "start" | "end">[]} citations
 * @returns {Source[]}
 */
export function sourcesOf(held, citations) {
  const offsets = new Offsets(held.text);
  /** @type {Map<string, Source>} */
  const sources = new Map();
  for (const cited of citations) {
    if (cited.document !== held.path) continue;
    const [start, end] = boundsOf(held, cited);
    sources.set(`${start}-${end}`, {
      document: held.path,
      start,
      end,
      text: held.text.slice(offsets.toUnits(start), offsets.toUnits(end)),
      spans: held.blocks.filter((block) => block.start < end && start < block.end),
    });
  }
  return [...sources.values()];
}

/**
 * @param {Pick<BookDocument, "blocks" | "sections">} held
 * @param {Pick<Citation, "start" | "end">} cited
 */
function boundsOf({ blocks, sections }, { start, end }) {
  const around = sections.filter((section) => section.start <= start && end <= section.end);
  const section = around.toSorted((one, other) => one.end - one.start - (other.end - other.start)).at(0);
  if (section && section.end - section.start <= MOST) return [section.start, section.end];
  const touched = blocks.filter((/** @type {Block} */ block) => block.start < end && start < block.end);
  return [Math.min(start, ...touched.map((block) => block.start)), Math.max(end, ...touched.map((block) => block.end))];
}
