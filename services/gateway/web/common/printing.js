// @ts-check
// A conversation on paper: the browser prints the book unless it is told otherwise.

import { all } from "./dom.js";

/**
 * Prints what is in `box` alone, with everything unfolded that a reader could unfold.
 *
 * @param {HTMLElement} box
 */
export function printConversation(box) {
  const folds = /** @type {HTMLDetailsElement[]} */ ([...all(box, "details.support, details.quotations")]);
  const closed = folds.filter((fold) => !fold.open);
  const restore = () => {
    for (const fold of closed) fold.open = false;
    delete document.body.dataset.print;
  };
  for (const fold of closed) fold.open = true;
  document.body.dataset.print = "conversation";
  addEventListener("afterprint", restore, { once: true });
  print();
}
