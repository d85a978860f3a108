// @ts-check
// The editions of a book that are kept, as a list to choose from.

/** @import { Edition } from "./schema.js" */

import { listEditions, Problem } from "./api.js";
import { byId, count, element } from "./dom.js";
import { placeHref } from "./places.js";

/**
 * Fills the list each time it is opened: an edition may have come since.
 *
 * @param {() => { slug: string, path: string }} current
 */
export function showEditions(current) {
  const list = byId("editions");
  list.addEventListener("toggle", async (event) => {
    if (event.newState !== "open") return;
    const { slug, path } = current();
    list.replaceChildren(element("p", { class: "hint" }, "Loading…"));
    try {
      const { editions } = await listEditions(slug);
      const items = editions.map((edition) => itemOf(edition, slug, path, () => list.hidePopover()));
      list.replaceChildren(element("ol", { role: "list" }, ...items));
    } catch (error) {
      const text = error instanceof Problem ? error.message : "The editions can't be shown.";
      list.replaceChildren(element("p", { class: "notice" }, text));
    }
  });
}

/**
 * @param {Edition} edition
 * @param {string} slug
 * @param {string} path
 * @param {() => void} close
 */
function itemOf(edition, slug, path, close) {
  const number = edition.current ? undefined : edition.number;
  const day = new Date(edition.publish_time).toLocaleDateString(undefined, { dateStyle: "medium" });
  const facts = [
    edition.current ? "shown to readers" : null,
    count(edition.document_count, "document"),
    ...edition.reasons,
  ].filter(Boolean);
  return element(
    "li",
    {},
    element(
      "a",
      { href: placeHref(slug, path, { edition: number }), onclick: close },
      `Edition ${edition.number}, ${day}`,
    ),
    element("span", { class: "hint" }, facts.join(" · ")),
  );
}
