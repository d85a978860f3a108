// @ts-check
// The clipboard.

import { announce } from "./dom.js";

/**
 * Says whether the text was copied, and tells those who do not see it.
 *
 * @param {string} text
 * @param {string} done
 */
export async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    announce(done);
    return true;
  } catch {
    announce("This browser does not let the page copy.");
    return false;
  }
}
