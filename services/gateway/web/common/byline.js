// @ts-check
// Who wrote a book, in a line.

/** @import { Book } from "../schema.js" */

import { t } from "./language.js";

const MOST_AUTHORS = 6;

/**
 * Who wrote a book and when; "" where it does not say.
 *
 * @param {Book} book
 */
export function bylineOf({ authors, year }) {
  const names = authors.slice(0, MOST_AUTHORS).join(", ");
  const more = authors.length - MOST_AUTHORS;
  const by = more > 0 ? t("names-and-more", { names, n: more }) : names;
  return [by, year ? String(year) : ""].filter(Boolean).join(" · ");
}
