// @ts-check
// The documents of a book as a tree: by its own table of contents or, without one, by folders, where what
// lies in one stands below what introduces it.

/** @import { DocumentSummary } from "../schema.js" */

/**
 * A document with those below it, or what is no document itself: a part of the book, a folder.
 *
 * @typedef {{ title: string, path: string | null, children: Node[] }} Node
 */
/** @typedef {Pick<DocumentSummary, "path" | "title" | "depth" | "part_titles">} Titled */

const INTRODUCES = /^(_?index|readme|intro(duction)?|overview|title[-_]?page|\d*[-_]?(index|intro))\.[a-z]+$/i;

/**
 * @param {Titled[]} documents In the book's order.
 * @returns {Node[]}
 */
export function treeOf(documents) {
  const hasContents = documents.some(({ depth, part_titles }) => depth > 0 || part_titles.length > 0);
  return hasContents ? branchesByDepth(documents) : branchesOf(documents, sharedFolders(documents));
}

/** @param {Titled[]} documents */
function branchesByDepth(documents) {
  /** @type {Node} */
  const root = { title: "", path: null, children: [] };
  // The last node of each depth: what comes one deeper stands below it.
  const open = [root];
  /** @param {Node} node @param {number} depth */
  const add = (node, depth) => {
    open.length = Math.min(open.length, depth + 1);
    open[open.length - 1].children.push(node);
    open.push(node);
  };
  for (const { path, title, depth, part_titles } of documents) {
    const first = depth - part_titles.length;
    part_titles.forEach((part, at) => add({ title: part, path: null, children: [] }, first + at));
    add({ title, path, children: [] }, depth);
  }
  return root.children;
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
