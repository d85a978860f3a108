// @ts-check
// What the browser keeps for the page. Where it keeps nothing, or no more, the page goes on without.

export class KeptValues {
  /** @param {() => Storage} open May throw: readers may forbid a site to keep anything. */
  constructor(open) {
    /** @type {Map<string, string>} */
    this.unkept = new Map();
    /** @type {Storage | null} */
    this.storage = null;
    try {
      this.storage = open();
    } catch {
      // What is written lasts as long as the page does.
    }
  }

  /**
   * @param {string} key
   * @returns {string | null}
   */
  read(key) {
    const unkept = this.unkept.get(key);
    if (unkept !== undefined) return unkept;
    try {
      return this.storage?.getItem(key) ?? null;
    } catch {
      return null;
    }
  }

  /**
   * Returns whether the value will still be there after a reload.
   *
   * @param {string} key
   * @param {string} value
   */
  write(key, value) {
    try {
      if (!this.storage) throw new Error("nothing is kept");
      this.storage.setItem(key, value);
      this.unkept.delete(key);
      return true;
    } catch {
      this.unkept.set(key, value);
      return false;
    }
  }

  /** @param {string} key */
  remove(key) {
    this.unkept.delete(key);
    try {
      this.storage?.removeItem(key);
    } catch {
      // What may not be kept is not there.
    }
  }

  /**
   * Returns the value that was written as JSON; null where there is none or it is something else.
   *
   * @param {string} key
   * @returns {unknown}
   */
  readJson(key) {
    try {
      return JSON.parse(this.read(key) ?? "null");
    } catch {
      return null;
    }
  }
}

/** Kept until the tab is closed, and by this tab alone. */
export const tab = new KeptValues(() => sessionStorage);

/** Kept by the browser, for every tab. */
export const device = new KeptValues(() => localStorage);
