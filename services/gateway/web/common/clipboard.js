// @ts-check
// The clipboard.

import { announce } from "./dom.js";
import { t } from "./language.js";

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
    announce(t("frame.cannot-copy"));
    return false;
  }
}
