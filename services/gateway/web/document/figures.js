// @ts-check
// The pictures of a document: beside its blocks, above their captions, or within a line.

/** @import { Block, Document as BookDocument, Markup } from "../schema.js" */

import { getImage, hasKey, imagePath } from "../common/api.js";
import { element } from "../common/dom.js";

export class Figures {
  /** @param {BookDocument} held */
  constructor(held) {
    this.held = held;
    this.images = new Map(held.images.map((image) => [image.image_id, image]));
    /** @type {Map<number, Block>} */
    const starts = new Map();
    const ends = new Set();
    for (const block of held.blocks) {
      starts.set(block.start, block);
      ends.add(block.end);
    }
    /** @type {Map<number, Markup[]>} Those without words, by where they stand. */
    this.alone = new Map();
    /** @type {Map<number, Markup>} By where the caption begins that describes them. */
    this.captioned = new Map();
    /** @type {Set<Markup>} */
    this.taken = new Set();
    for (const one of held.markup) {
      if (one.kind !== "image") continue;
      const block = starts.get(one.start);
      if (one.start === one.end && (block || ends.has(one.start))) {
        this.alone.set(one.start, [...(this.alone.get(one.start) ?? []), one]);
        this.taken.add(one);
      } else if (block?.kind === "caption" && block.end === one.end) {
        this.captioned.set(one.start, one);
        this.taken.add(one);
      }
    }
  }

  /**
   * Whether a markup is a picture that stands beside the text, not in it.
   *
   * @param {Markup} markup
   */
  takes(markup) {
    return this.taken.has(markup);
  }

  /** @param {Block} block */
  before({ start }) {
    return this.#figures(start);
  }

  /** @param {Block} block */
  behind({ end }) {
    return this.#figures(end);
  }

  /**
   * The picture that a caption describes.
   *
   * @param {Block} block
   */
  describedBy({ start }) {
    return this.captioned.get(start);
  }

  /** @param {number} at */
  #figures(at) {
    return (this.alone.get(at) ?? []).map((one) => element("figure", {}, this.image(one, "")));
  }

  /**
   * @param {Markup} markup
   * @param {string} words What describes it.
   */
  image({ value }, words) {
    const known = this.images.get(value);
    /** @type {HTMLImageElement} */
    const made = element("img", {
      alt: words,
      width: known?.width || null,
      height: known?.height || null,
      loading: "lazy",
      decoding: "async",
      // What can't be shown leaves its words alone.
      onerror: () => made.closest("figure, .pictured")?.classList.add("lost"),
    });
    if (known) load(made, imagePath(this.held, value));
    return made;
  }
}

/**
 * @param {HTMLImageElement} image
 * @param {string} path
 */
function load(image, path) {
  if (!hasKey()) {
    image.src = path;
    return;
  }
  const seen = new IntersectionObserver(async (entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    seen.disconnect();
    try {
      const address = URL.createObjectURL(await getImage(path));
      image.addEventListener("load", () => URL.revokeObjectURL(address), { once: true });
      image.src = address;
    } catch {
      image.dispatchEvent(new Event("error"));
    }
  }, { rootMargin: "100%" });
  seen.observe(image);
}
