// @ts-check
// The files of a book: chosen one by one, as a folder, or dropped on the page.

/** @import { Chosen } from "./packing.js" */

const SKIPPED = /^(\..*|node_modules|__MACOSX|_static|_sources|_templates|_build)$/;
const PICTURE = /\.(png|jpe?g|gif|webp|avif|svg)$/i;
const SHEET = /\.css$/i; // by which ingest sees what a page hides
const SETTINGS = /^(quoth\.toml|_category_\.(json|ya?ml)|sidebars\.(js|ts|json)|docusaurus\.config\.m?[jt]s)$/;

/**
 * What of a folder's files is sent: documents with their pictures, and what says how they belong together.
 *
 * @param {Chosen[]} chosen
 * @param {string[]} endings Of documents.
 */
export function wantedOf(chosen, endings) {
  const nameOf = (/** @type {string} */ path) => path.slice(path.lastIndexOf("/") + 1);
  const isDocument = (/** @type {string} */ path) => endings.some((ending) => path.toLowerCase().endsWith(ending));
  const wanted = chosen.filter(({ path }) => {
    if (path.split("/").some((part) => SKIPPED.test(part))) return false;
    return SETTINGS.test(nameOf(path)) || isDocument(path) || PICTURE.test(path) || SHEET.test(path);
  });
  return wanted.every(({ path }) => PICTURE.test(path) || SHEET.test(path)) ? [] : wanted;
}

/**
 * The folder that all lie in, and the files by their paths below it.
 *
 * @param {Chosen[]} chosen
 */
export function belowFolder(chosen) {
  const folder = chosen[0]?.path.split("/")[0] ?? "";
  if (!chosen.every(({ path }) => path.startsWith(`${folder}/`))) return { folder: "", files: chosen };
  return { folder, files: chosen.map(({ path, file }) => ({ path: path.slice(folder.length + 1), file })) };
}

/**
 * @param {FileList | null} files
 * @returns {Chosen[]}
 */
export function filesOf(files) {
  return [...(files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/**
 * What was dropped, folders with all that is in them.
 *
 * @param {DataTransfer} dropped
 */
export async function droppedFiles(dropped) {
  // The list is empty once this turn of the page ends.
  const items = [...dropped.items].map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const walked = await Promise.all(
    items.map(({ entry, file }) => (entry ? walk(entry) : file ? [{ path: file.name, file }] : [])),
  );
  return walked.flat().sort((one, other) => (one.path < other.path ? -1 : 1));
}

/**
 * @param {FileSystemEntry} entry
 * @returns {Promise<Chosen[]>}
 */
async function walk(entry) {
  if (SKIPPED.test(entry.name)) return [];
  const path = entry.fullPath.replace(/^\//, "");
  if (entry.isFile) {
    const held = /** @type {FileSystemFileEntry} */ (entry);
    return [{ path, file: await new Promise((resolve, reject) => held.file(resolve, reject)) }];
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  /** @type {Chosen[][]} */
  const walked = [];
  for (;;) {
    // A reader tells of some entries at a time, and of none at the end.
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!entries.length) return walked.flat();
    for (const inner of entries) walked.push(await walk(inner));
  }
}
