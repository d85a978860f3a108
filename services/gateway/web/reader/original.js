// @ts-check
// The page of a PDF as it is printed, beside its text, with the place marked that is lit in the text.

/** @import { Range as TextRange } from "../common/places.js" */
/** @import { Document as BookDocument } from "../schema.js" */

import { findOnPage, getImage, hasKey, pagePath } from "../common/api.js";
import { element } from "../common/dom.js";
import { t } from "../common/language.js";
import { labelsOf } from "../document/inline.js";

const IS_PRINTED = /\.pdf$/i;
/** How far down the window somebody reads: a page that begins above it is the one that is read. */
const EYE = 0.2;

/**
 * The pages of a document, at most one of them shown.
 *
 * @param {BookDocument} held
 */
export function hasOriginal(held) {
  return IS_PRINTED.test(held.path) && held.blocks.some((block) => block.page);
}

/**
 * The number of the page that a character stands on.
 *
 * @param {BookDocument} held
 * @param {number} at In code points.
 */
export function pageAt({ blocks, markup }, at) {
  let number = 1;
  for (const { start, page } of blocks) if (page && start <= at) number = page;
  for (const { kind, start, value } of markup) {
    if (kind === "page" && start <= at) number = Math.max(number, Number(value));
  }
  return number;
}

export class Original {
  /**
   * @param {BookDocument} held
   * @param {HTMLElement} article That shows its text.
   */
  constructor(held, article) {
    this.held = held;
    this.article = article;
    this.number = 0;
    /** @type {TextRange | null} */
    this.range = null;
    /** Stands in the bar of the page, where it covers no text. */
    this.toggle = button({ "aria-expanded": "false", onclick: () => this.#toggle() }, "PDF");
    this.sheet = element("div", { class: "printed" });
    this.view = element("div", { class: "printed-view", tabindex: "0", role: "group" }, this.sheet);
    this.caption = element("span", { class: "hint" });
    this.message = element("p", { class: "hint", role: "status" });
    this.steps = element(
      "div",
      { class: "printed-steps" },
      button({ "aria-label": t("printed.before"), onclick: () => this.#step(-1) }, "‹"),
      button({ "aria-label": t("printed.next"), onclick: () => this.#step(1) }, "›"),
    );
    this.element = element(
      "section",
      { class: "original", "aria-label": t("printed.title") },
      element("div", { class: "printed-bar" }, this.caption, this.steps),
      this.message,
      this.view,
    );
    this.#close();
  }

  /** How many pages there are, as far as they have come. */
  get pages() {
    return this.held.blocks.reduce((most, { page }) => Math.max(most, page ?? 0), 1);
  }

  get isOpen() {
    return !this.view.hidden;
  }

  /**
   * Goes to the page of a range, and marks it there; null marks nothing.
   *
   * @param {TextRange | null} range
   */
  follow(range) {
    this.range = range;
    if (this.isOpen) void this.#show(range ? pageAt(this.held, range.start) : this.number);
  }

  #toggle() {
    if (this.isOpen) this.#close();
    else {
      void this.#show(this.range ? pageAt(this.held, this.range.start) : this.#read());
      // What it now stands over is not the place that it shows.
      this.article.querySelector("mark")?.scrollIntoView({ block: "center", behavior: "instant" });
    }
  }

  #close() {
    for (const part of [this.view, this.steps, this.message]) part.hidden = true;
    this.sheet.replaceChildren();
    this.number = 0;
    this.toggle.setAttribute("aria-label", t("printed.show"));
    this.toggle.setAttribute("aria-expanded", "false");
    this.element.classList.remove("open");
  }

  /** @param {number} by */
  #step(by) {
    const number = this.number + by;
    if (number >= 1 && number <= this.pages) void this.#show(number);
  }

  /** @param {number} number */
  #called(number) {
    return labelsOf(this.held).get(number) ?? String(number);
  }

  /** The page that is read now. */
  #read() {
    let number = 1;
    for (const begin of this.article.querySelectorAll(".page-begin")) {
      if (begin.getBoundingClientRect().top > innerHeight * EYE) break;
      number = Number(/** @type {HTMLElement} */ (begin).dataset.page);
    }
    return number;
  }

  /** @param {number} number */
  async #show(number) {
    const isNew = number !== this.number;
    this.number = number;
    for (const part of [this.view, this.steps]) part.hidden = false;
    this.element.classList.add("open");
    this.toggle.setAttribute("aria-label", t("printed.hide"));
    this.caption.textContent = t("printed.page", { page: this.#called(number) });
    this.toggle.setAttribute("aria-expanded", "true");
    this.view.setAttribute("aria-label", this.caption.textContent);
    for (const mark of [...this.sheet.querySelectorAll(".printed-mark")]) mark.remove();
    if (isNew && !(await this.#draw(number))) return;
    if (this.range && number === this.number) await this.#mark(number, this.range);
  }

  /**
   * @param {number} number
   * @returns {Promise<boolean>} Whether it is there, and still wanted.
   */
  async #draw(number) {
    const alt = t("printed.page-of", { page: this.#called(number), title: this.held.title });
    const image = element("img", { alt, decoding: "async" });
    this.#say(t("printed.loading"));
    try {
      await load(image, pagePath(this.held, number));
    } catch {
      if (number === this.number) {
        this.sheet.replaceChildren();
        this.#say(t("printed.missing"));
      }
      return false;
    }
    if (number !== this.number) return false;
    this.#say("");
    this.sheet.replaceChildren(image);
    this.view.scrollTop = 0;
    return true;
  }

  /**
   * @param {number} number
   * @param {TextRange} range
   */
  async #mark(number, range) {
    const boxes = await findOnPage(this.held, number, range).catch(() => null);
    if (number !== this.number || range !== this.range) return;
    this.#say(boxes ? "" : t("printed.not-found"));
    if (!boxes) return;
    for (const { left, top, width, height } of boxes) {
      const mark = element("span", { class: "printed-mark" });
      Object.assign(mark.style, { left: share(left), top: share(top), width: share(width), height: share(height) });
      this.sheet.append(mark);
    }
    const first = /** @type {HTMLElement | null} */ (this.sheet.querySelector(".printed-mark"));
    if (first) this.view.scrollTop = first.offsetTop - this.view.clientHeight / 3;
  }

  /** @param {string} text */
  #say(text) {
    this.message.textContent = text;
    this.message.hidden = !text;
  }
}

/**
 * @param {Record<string, string | (() => unknown)>} attributes
 * @param {string} words
 */
function button(attributes, words = "") {
  return element("button", { type: "button", class: "quiet-button", ...attributes }, words);
}

/** @param {number} part */
function share(part) {
  return `${(100 * part).toFixed(2)}%`;
}

/**
 * @param {HTMLImageElement} image
 * @param {string} path
 */
async function load(image, path) {
  const address = hasKey() ? URL.createObjectURL(await getImage(path)) : path;
  image.src = address;
  try {
    await image.decode();
  } finally {
    if (address !== path) URL.revokeObjectURL(address);
  }
}
