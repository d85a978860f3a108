// @ts-check
// The documents of a book as a tree: what lies in one folder stands below what introduces it.

/** @import { DocumentSummary } from "./schema.js" */

/**
 * A document, a folder of documents, or a folder with the document that introduces it.
 *
 * @typedef {{ title: string, path: string | null, children: Node[] }} Node
 */
/** @typedef {Pick<DocumentSummary, "path" | "title">} Titled */

const INTRODUCES = /^(_?index|readme|intro(duction)?|overview|title[-_]?page|\d*[-_]?(index|intro))\.[a-z]+$/i;

/**
 * @param {Titled[]} documents In the book's order.
 * @returns {Node[]}
 */
export function treeOf(documents) {
  return branchesOf(documents, sharedFolders(documents));
}

/**
 * @param {Titled[]} documents
 * @param {number} depth How many folders all of them lie in.
 * @returns {Node[]}
 */
function branchesOf(documents, depth) {
  /** @type {{ folder: string | null, documents: Titled[] }[]} */
  const runs = [];
  for (const document of documents) {
    const folders = document.path.split("/").slice(0, -1);
    const folder = folders[depth] ?? null;
    const last = runs.at(-1);
    if (last && folder !== null && last.folder === folder) last.documents.push(document);
    else runs.push({ folder, documents: [document] });
  }
  return runs.flatMap((run) => nodesOf(run.folder, run.documents, depth));
}

/**
 * @param {string | null} folder
 * @param {Titled[]} documents
 * @param {number} depth
 * @returns {Node[]}
 */
function nodesOf(folder, documents, depth) {
  // A folder of one document is that document.
  if (folder === null || documents.length === 1) {
    return documents.map(({ path, title }) => ({ path, title, children: [] }));
  }
  const [first, ...rest] = documents;
  const parts = first.path.split("/");
  if (parts.length === depth + 2 && INTRODUCES.test(parts[parts.length - 1])) {
    return [{ path: first.path, title: first.title, children: branchesOf(rest, depth + 1) }];
  }
  return [{ path: null, title: nameOf(folder), children: branchesOf(documents, depth + 1) }];
}

/** @param {Titled[]} documents */
function sharedFolders(documents) {
  const folders = documents.map(({ path }) => path.split("/").slice(0, -1));
  const [first = []] = folders;
  const parts = first.findIndex((folder, at) => folders.some((other) => other[at] !== folder));
  return parts < 0 ? first.length : parts;
}

/**
 * A folder's name as words.
 *
 * @param {string} folder
 */
function nameOf(folder) {
  const words = folder.replace(/^\d+[-_. ]+(?=\D)/, "").replace(/[-_]+/g, " ").trim() || folder;
  return words[0].toUpperCase() + words.slice(1);
}
