// @ts-check
// Which document of the book a page of the site shows, and the other way round.

/** @typedef {{ isLast: boolean, docs: { source: string, permalink: string }[] }} Version */
/**
 * Paths in the book, by the routes that show them.
 *
 * @typedef {Record<string, string>} Documents
 */

const SITE = "@site/";

/**
 * @param {Version[]} versions
 * @param {string} folder The folder that was put in as the book, below the site's.
 * @returns {Documents}
 */
export function documentsOfRoutes(versions, folder) {
  const start = `${SITE}${folder.replace(/^[./]+|\/+$/g, "")}/`.replace(/\/\/$/, "/");
  const docs = versions.flatMap((version) => version.docs).filter(({ source }) => source.startsWith(start));
  return Object.fromEntries(docs.map(({ source, permalink }) => [permalink, source.slice(start.length)]));
}

/**
 * @param {Documents} documents
 * @param {string} route
 */
export function documentAt(documents, route) {
  const wanted = [bare(route), bare(decode(route))];
  return Object.entries(documents).find(([shown]) => wanted.includes(bare(shown)))?.[1] ?? null;
}

/**
 * @param {Documents} documents
 * @param {string} path
 */
export function routeOf(documents, path) {
  return Object.entries(documents).find(([, document]) => document === path)?.[0] ?? null;
}

/** @param {string} route */
function decode(route) {
  try {
    return decodeURI(route);
  } catch {
    return route;
  }
}

/** @param {string} route */
function bare(route) {
  return route.replace(/(?<=.)\/+$/, "");
}
