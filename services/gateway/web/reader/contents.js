// @ts-check
// The table of contents: the documents of the edition, and the sections of the one that is open.

/** @import { DocumentSummary, Section } from "../schema.js" */
/** @import { Spot } from "../common/places.js" */
/** @import { Node } from "./tree.js" */

import { directionOf } from "../common/direction.js";
import { all, byId, element, reveal } from "../common/dom.js";
import { closeContents } from "../common/layout.js";
import { treeOf } from "./tree.js";

/** @typedef {(path: string, spot?: Spot) => string} HrefOf */
/**
 * The path of the document that is open, and its sections once they are known.
 *
 * @typedef {{ path: string, sections: Section[] }} OpenDocument
 */

const contents = byId("contents");

/**
 * @param {DocumentSummary[]} documents
 * @param {OpenDocument} open
 * @param {HrefOf} hrefOf
 */
export function showContents(documents, open, hrefOf) {
  contents.replaceChildren(drawTree(documents, open, hrefOf));
  const current = contents.querySelector("[aria-current]");
  if (current) reveal(current, contents);
}

/**
 * @param {DocumentSummary[]} documents
 * @param {OpenDocument} open
 * @param {HrefOf} hrefOf
 */
export function drawTree(documents, open, hrefOf) {
  const tree = branch(treeOf(documents), open, hrefOf);
  tree.dir = directionOf(documents.map(({ title }) => title).join(" "));
  return tree;
}

/**
 * @param {Node[]} nodes
 * @param {OpenDocument} open
 * @param {HrefOf} hrefOf
 * @returns {HTMLElement}
 */
function branch(nodes, open, hrefOf) {
  const items = nodes.map(({ path, title, children }) => {
    const current = path !== null && path === open.path;
    const link =
      path === null
        ? element("span", { class: "folder" }, title)
        : element("a", { href: hrefOf(path), "aria-current": current ? "page" : false, onclick: closeContents }, title);
    const inner = children.length ? branch(children, open, hrefOf) : null;
    inner?.classList.add("inner");
    return element("li", {}, link, current ? sectionList(open, hrefOf) : null, inner);
  });
  return element("ol", { role: "list" }, ...items);
}

/**
 * The sections of a document below its title; null where it has none.
 *
 * @param {OpenDocument} open
 * @param {HrefOf} hrefOf
 */
export function sectionList({ path, sections }, hrefOf) {
  const inner = sections.filter((section) => section.anchor && section.path.length > 1);
  if (!inner.length) return null;
  const links = inner.map((section) =>
    element(
      "li",
      { "data-depth": Math.min(section.path.length - 1, 3) },
      element(
        "a",
        {
          href: hrefOf(path, { section: section.anchor }),
          "data-section": section.anchor,
          onclick: closeContents,
        },
        section.path.at(-1),
      ),
    ),
  );
  const dir = directionOf(inner.map((section) => section.path.at(-1)).join(" "));
  return element("ol", { role: "list", class: "sections", dir }, ...links);
}

/**
 * Marks the section whose heading was passed last while the reader scrolls.
 *
 * @param {HTMLElement} article
 */
export function followScroll(article) {
  let current = "";
  for (const heading of all(article, "[data-anchor]")) {
    if (heading.getBoundingClientRect().top > innerHeight * 0.3) break;
    current = heading.dataset.anchor ?? "";
  }
  for (const link of all(contents, "[data-section]")) {
    link.classList.toggle("here", link.dataset.section === current);
  }
}
