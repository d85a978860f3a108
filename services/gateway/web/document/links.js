// @ts-check
// Where the links of a book lead: to another place in it, or out of it.

/**
 * A place in the book; `anchor` is "" for the beginning of the document.
 *
 * @typedef {{ path: string, anchor: string }} InnerTarget
 */
/**
 * A page elsewhere, and the host that its reader is told of.
 *
 * @typedef {{ url: string, host: string }} OuterTarget
 */

const SCHEME = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;
const ENDING = /\.(?:mdx?|markdown|qmd|rmd|ipynb|x?html?|rst|txt|epub|pdf|docx)$/i;
// What orders the files of a folder and is no part of a page's address.
const NUMBER = /^\d+\s*[-_.]\s*(?=\S)/;

/**
 * Finds what addresses mean in a book of these documents.
 */
export class Links {
  /** @param {string[]} paths */
  constructor(paths) {
    this.paths = new Set(paths);
    /** @type {Map<string, string>} */
    this.names = new Map();
    for (const path of paths) {
      const name = nameOf(path);
      if (!this.names.has(name)) this.names.set(name, path);
    }
  }

  /**
   * Where a link of the document `from` leads; null where nobody can tell, or should not go.
   *
   * @param {string} address
   * @param {string} from
   * @returns {InnerTarget | OuterTarget | null}
   */
  targetOf(address, from) {
    const written = address.trim();
    if (SCHEME.test(written)) return outer(written);
    const [place, anchor = ""] = split(written, "#");
    const [file] = split(place, "?");
    const path = file ? this.#find(decode(file), from) : from;
    return path === null ? null : { path, anchor: decode(anchor) };
  }

  /**
   * @param {string} file
   * @param {string} from
   */
  #find(file, from) {
    const folder = file.startsWith("/") ? [] : from.split("/").slice(0, -1);
    let parts = joined(folder, file);
    while (parts.length) {
      const path = parts.join("/");
      if (this.paths.has(path)) return path;
      const named = this.names.get(nameOf(path));
      if (named !== undefined) return named;
      // The address of a site has folders that its sources do not have.
      if (!file.startsWith("/")) return null;
      parts = parts.slice(1);
    }
    return null;
  }
}

/**
 * What the addresses of a page have in common with its file.
 *
 * @param {string} path
 */
function nameOf(path) {
  const parts = path.replace(ENDING, "").split("/").map((part) => part.replace(NUMBER, ""));
  if (parts.length > 1 && /^(?:index|readme)$/i.test(parts[parts.length - 1])) parts.pop();
  return parts.join("/").toLowerCase();
}

/**
 * @param {string[]} folder
 * @param {string} file
 */
function joined(folder, file) {
  /** @type {string[]} */
  const parts = [...folder];
  for (const part of file.split("/")) {
    if (part === "..") parts.pop();
    else if (part && part !== ".") parts.push(part);
  }
  return parts;
}

/**
 * @param {string} address
 * @returns {OuterTarget | null}
 */
function outer(address) {
  try {
    const url = new URL(address, "https://nowhere.invalid");
    if (url.protocol === "mailto:") return { url: url.href, host: "" };
    const isPage = url.protocol === "https:" || url.protocol === "http:";
    return isPage && url.host ? { url: url.href, host: url.host } : null;
  } catch {
    return null;
  }
}

/**
 * @param {string} text
 * @param {string} sign
 */
function split(text, sign) {
  const at = text.indexOf(sign);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** @param {string} part */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
