// @ts-check
// Places in a book as addresses: #/book, #/book/path?section=anchor, #/book/path?range=10-42&edition=3.

/** @import { Passage } from "./schema.js" */

import { encodePath } from "./api.js";

/**
 * Half-open, in code points.
 *
 * @typedef {{ start: number, end: number }} Range
 */
/** @typedef {{ range?: Range | null, section?: string | null, edition?: number | null }} Spot */
/**
 * What an address says; an empty slug is the shelf, an empty path the first document.
 *
 * @typedef {{ slug: string, path: string, range: Range | null, section: string | null, edition: number | null }} Place
 */

/**
 * @param {string} slug
 * @param {string} [path]
 * @param {Spot} [spot]
 */
export function placeHref(slug, path = "", { range, section, edition } = {}) {
  const query = new URLSearchParams();
  if (range) query.set("range", `${range.start}-${range.end}`);
  if (section) query.set("section", section);
  if (edition) query.set("edition", String(edition));
  const address = `#/${encodeURIComponent(slug)}${path ? `/${encodePath(path)}` : ""}`;
  return query.size ? `${address}?${query}` : address;
}

/**
 * @param {string} hash
 * @returns {Place}
 */
export function readPlace(hash) {
  const [address, search = ""] = hash.replace(/^#\/?/, "").split("?");
  const [slug, ...path] = address.split("/").map(decode);
  const query = new URLSearchParams(search);
  const [start, end] = /^(\d+)-(\d+)$/.exec(query.get("range") ?? "")?.slice(1).map(Number) ?? [];
  return {
    slug,
    path: path.join("/"),
    section: query.get("section"),
    range: start < end ? { start, end } : null,
    edition: Number(query.get("edition")) || null,
  };
}

/**
 * Where something stands, as a reader would say it.
 *
 * @param {Pick<Passage, "document" | "section_path" | "page">} place
 */
export function placeInWords({ document, section_path: path, page }) {
  return [path.join(" › ") || document, page && `page ${page}`].filter(Boolean).join(", ");
}

/** @param {string} part */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
