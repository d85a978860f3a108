// @ts-check
// The number behind a statement: its quotation with its place when pointed at, its place when followed.

/** @import { Citation } from "../schema.js" */

import { byId, element, home } from "../common/dom.js";
import { t } from "../common/language.js";
import { placeInWords } from "../common/places.js";

const PAUSE_MS = 200;
const GAP = 8;

/** @typedef {{ citations: Citation[], draw: (citation: Citation) => Node[] }} Cited */

/**
 * What each chip stands for.
 *
 * @type {WeakMap<Element, Cited>}
 */
const cited = new WeakMap();

/**
 * @param {Citation[]} citations Of one statement.
 * @param {string} href
 * @param {Cited["draw"]} draw What draws the words of a quotation.
 */
export function chipOf(citations, href, draw) {
  const numbers = numbersInWords(citations.map(({ n }) => n));
  const places = [...new Set(citations.map(placeInWords))].join("; ");
  const label = t("chip.label", { n: citations.length, numbers, places });
  const chip = element("a", { class: "chip", href, "aria-label": label }, numbers);
  cited.set(chip, { citations, draw });
  return chip;
}

/** @param {Element} chip */
export function citationsOf(chip) {
  return cited.get(chip)?.citations ?? [];
}

/**
 * Numbers that follow one another are told by the first and the last.
 *
 * @param {number[]} numbers
 */
export function numbersInWords(numbers) {
  const [first, last] = [numbers[0], numbers[numbers.length - 1]];
  const follow = numbers.length > 1 && numbers.every((number, at) => number === first + at);
  return follow ? `${first}–${last}` : numbers.join(", ");
}

/** Shows the quotation of a chip while it is pointed at or has the focus; Escape takes it away. */
export function connectCards() {
  const card = byId("quotation-card");
  const root = home();
  let leaving = 0;
  /** @type {Element | null} */
  let shown = null;
  const hide = () => {
    clearTimeout(leaving);
    shown?.removeAttribute("aria-describedby");
    shown = null;
    if (card.matches(":popover-open")) card.hidePopover();
  };
  const hideSoon = () => {
    clearTimeout(leaving);
    leaving = setTimeout(hide, PAUSE_MS);
  };
  const show = (/** @type {Element} */ chip) => {
    clearTimeout(leaving);
    const held = cited.get(chip);
    if (!held || chip === shown) return;
    hide();
    shown = chip;
    card.lang = chip.closest("[lang]")?.getAttribute("lang") ?? "";
    card.replaceChildren(...held.citations.map((citation) => drawCitation(citation, held.draw)));
    card.showPopover();
    chip.setAttribute("aria-describedby", card.id);
    placeBeside(card, chip.getBoundingClientRect());
  };
  root.addEventListener("pointerover", (event) => {
    const over = event.target instanceof Element ? event.target : null;
    const chip = over?.closest(".chip");
    // A finger does not point: it follows.
    if (chip && /** @type {PointerEvent} */ (event).pointerType !== "touch") show(chip);
    else if (over?.closest("#quotation-card")) clearTimeout(leaving);
    else if (shown && shown !== root.activeElement) hideSoon();
  });
  // Of what happens in a shadow the document sees the host alone: the pointer has left it.
  document.addEventListener("pointerover", ({ target }) => {
    if (root instanceof ShadowRoot && target !== root.host && shown) hideSoon();
  });
  root.addEventListener("focusin", ({ target }) => {
    if (target instanceof Element && target.matches(".chip:focus-visible")) show(target);
    else hide();
  });
  root.addEventListener("keydown", (event) => event instanceof KeyboardEvent && event.key === "Escape" && hide());
  document.addEventListener("click", hide);
  addEventListener("scroll", hide, { capture: true, passive: true });
}

/**
 * @param {Citation} citation
 * @param {Cited["draw"]} draw
 */
function drawCitation(citation, draw) {
  return element(
    "div",
    {},
    citation.table_header ? element("span", { class: "beside" }, citation.table_header) : null,
    element("q", {}, ...draw(citation)),
    element("span", { class: "where" }, placeInWords(citation)),
  );
}

/**
 * @param {HTMLElement} card
 * @param {DOMRect} chip
 */
function placeBeside(card, chip) {
  const { width, height } = card.getBoundingClientRect();
  const below = chip.bottom + GAP + height < innerHeight;
  const top = below ? chip.bottom + GAP : chip.top - GAP - height;
  card.style.top = `${Math.max(GAP, top)}px`;
  card.style.left = `${Math.max(GAP, Math.min(chip.left, innerWidth - width - GAP))}px`;
}
