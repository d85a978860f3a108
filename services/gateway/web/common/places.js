// @ts-check
// Addresses: #/book is its front door (or where it was left), #/book?front surely the front door,
// #/book/path?section=anchor or ?range=10-42&edition=3 a place in it, #/book?answer=id an answer.

/** @import { Passage } from "../schema.js" */

import { encodePath } from "./api.js";
import { t } from "./language.js";

/**
 * Half-open, in code points.
 *
 * @typedef {{ start: number, end: number }} Range
 */
/** @typedef {{ range?: Range | null, section?: string | null, edition?: number | null }} Spot */
/**
 * What an address says. An empty slug is the shelf; an empty path the front door, of an earlier
 * edition the first document.
 *
 * @typedef {object} Place
 * @property {string} slug
 * @property {string} path
 * @property {Range | null} range
 * @property {string | null} section
 * @property {number | null} edition
 * @property {boolean} front Whether the front door is meant, wherever the reader was.
 * @property {string | null} answer The id of an answer.
 */

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The page whose addresses these are; "" for the one that is open. */
let page = "";

/** @param {string} address */
export function liveAt(address) {
  page = address;
}

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
  const address = `${page}#/${encodeURIComponent(slug)}${path ? `/${encodePath(path)}` : ""}`;
  return query.size ? `${address}?${query}` : address;
}

/** @param {string} slug */
export function frontHref(slug) {
  return `${placeHref(slug)}?front`;
}

/**
 * @param {string} slug
 * @param {string} id
 */
export function answerHref(slug, id) {
  return `${placeHref(slug)}?answer=${encodeURIComponent(id)}`;
}

/**
 * @param {string} hash
 * @returns {Place}
 */
export function readPlace(hash) {
  const [address, search = ""] = hash.replace(/^#\/?/, "").split("?");
  const [slug, ...path] = address.split("/").map(decode);
  const query = new URLSearchParams(search);
  const answer = query.get("answer") ?? "";
  const [start, end] = /^(\d+)-(\d+)$/.exec(query.get("range") ?? "")?.slice(1).map(Number) ?? [];
  return {
    slug,
    path: path.join("/"),
    section: query.get("section"),
    range: start < end ? { start, end } : null,
    edition: Number(query.get("edition")) || null,
    front: query.has("front"),
    answer: ID.test(answer) ? answer : null,
  };
}

/**
 * Where something stands, as a reader would say it.
 *
 * @param {Pick<Passage, "document" | "section_path" | "page" | "page_label">} place
 */
export function placeInWords({ document, section_path: path, page, page_label: label }) {
  return onPage(path.join(" › ") || document, label ?? page);
}

/**
 * A place, and the page that it is on where there is one.
 *
 * @param {string} place
 * @param {number | string | null} page
 */
export function onPage(place, page) {
  return page ? t("place-on-page", { place, page: String(page) }) : place;
}

/** @param {string} part */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
