// @ts-check
// A Docusaurus plugin: the conversation with a book on every page of the site that is the book.

import { documentsOfRoutes } from "./routes.js";

/** @import { Version } from "./routes.js" */

/**
 * @typedef {object} Options
 * @property {string} gateway Address of Quoth, as https://quoth.example.org.
 * @property {string} book Slug of the book that the site's documents were put in as.
 * @property {string} [key] One that is made for the site: `quoth keys create … --origin …`.
 * @property {string} [folder] The folder that was put in, below the site's. The default is `docs`.
 * @property {string} [label] What the button says.
 * @property {string} [lang] The language that the conversation speaks, where it is not that of the site.
 */

const DOCS = "docusaurus-plugin-content-docs";
const NAME = "docusaurus-plugin-quoth";

/**
 * @param {unknown} _context
 * @param {Options} options
 */
export default function plugin(_context, options) {
  const { gateway, book, key = "", folder = "docs", label = "", lang = "" } = options;
  const address = gateway.replace(/\/+$/, "");
  return {
    name: NAME,

    getThemePath: () => "./theme",

    getClientModules: () => ["./arrived.js"],

    /** @param {{ allContent: Record<string, Record<string, unknown>>, actions: { setGlobalData: (data: unknown) => void } }} loaded */
    async allContentLoaded({ allContent, actions }) {
      const sets = /** @type {{ loadedVersions: Version[] }[]} */ (Object.values(allContent[DOCS] ?? {}));
      const documents = documentsOfRoutes(sets.flatMap((one) => one.loadedVersions), folder);
      actions.setGlobalData({ documents, chat: { book, ...(key && { key }), ...(label && { label }), ...(lang && { lang }) } });
    },

    injectHtmlTags: () => ({
      headTags: [{ tagName: "script", attributes: { type: "module", src: `${address}/widget.js` } }],
    }),
  };
}

/**
 * @param {{ options: Partial<Options> }} given
 * @returns {Options}
 */
export function validateOptions({ options }) {
  for (const name of /** @type {const} */ (["gateway", "book"])) {
    if (!options[name]) throw new Error(`${NAME}: the option “${name}” is missing.`);
  }
  if (!URL.canParse(options.gateway ?? "") || !/^https?:/.test(options.gateway ?? "")) {
    throw new Error(`${NAME}: the option “gateway” must be an address, as https://quoth.example.org.`);
  }
  return /** @type {Options} */ ({ id: "default", ...options });
}
