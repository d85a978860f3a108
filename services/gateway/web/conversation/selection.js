// @ts-check
// The button beside selected text that asks about it.

/** @import { TextSelection } from "../document/page.js" */

import { byId } from "../common/dom.js";

/**
 * @param {() => TextSelection | null} selected What the reader has selected of the book now.
 * @param {(selection: TextSelection) => void} ask
 */
export function offerToAsk(selected, ask) {
  const button = byId("ask-about");
  const place = () => placeBeside(button, selected());
  let waiting = 0;
  document.addEventListener("selectionchange", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(place);
  });
  addEventListener("scroll", () => button.hidden || place(), { passive: true });
  // The selection stays while the button is pressed.
  button.addEventListener("pointerdown", (event) => event.preventDefault());
  button.addEventListener("click", () => {
    const selection = selected();
    if (!selection) return;
    button.hidden = true;
    getSelection()?.removeAllRanges();
    ask(selection);
  });
}

/**
 * @param {HTMLElement} button
 * @param {TextSelection | null} selection
 */
function placeBeside(button, selection) {
  button.hidden = !selection;
  const range = selection && getSelection()?.getRangeAt(0);
  if (!range) return;
  const box = range.getBoundingClientRect();
  const below = box.bottom + 52 < innerHeight;
  const left = Math.max(80, Math.min(box.left + box.width / 2, innerWidth - 80));
  const top = below ? box.bottom + 8 : Math.min(box.top - 44, innerHeight - 60);
  button.style.left = `${left}px`;
  button.style.top = `${Math.max(8, top)}px`;
}
