// @ts-check
// The parts that are always there: which view is shown, the drawer of contents, the sheet on phones.

import { byId, element } from "./dom.js";
import { t } from "./language.js";

/** As in style/narrow.css. */
const PHONE = matchMedia("(max-width: 50rem)");
const reading = byId("reading");
const contents = byId("contents");

/** @typedef {"loading" | "shelf" | "front" | "book"} View */

/** @param {View} view */
export function setView(view) {
  document.body.dataset.view = view;
  if (view === "loading") show(skeleton());
}

export function isBookShown() {
  return ["front", "book"].includes(document.body.dataset.view ?? "");
}

/**
 * Shows these in the middle of the page, and nothing else.
 *
 * @param {(Node | null)[]} parts
 */
export function show(...parts) {
  reading.replaceChildren(...parts.filter((part) => part !== null));
}

export function skeleton() {
  return element(
    "div",
    { class: "skeleton", role: "status", "aria-label": t("frame.loading") },
    ...Array.from({ length: 9 }, () => element("span")),
  );
}

/**
 * The panel on phones is a sheet that slides up; elsewhere it is always there.
 *
 * @param {boolean} open
 */
export function setSheet(open) {
  document.body.classList.toggle("sheet-open", open);
  shutOff();
  byId("sheet").setAttribute("aria-expanded", String(open));
  byId("sheet").textContent = t(open ? "frame.back-to-text" : "ask.book");
}

/** What an open sheet covers can't be reached. */
function shutOff() {
  const isCovered = PHONE.matches && document.body.classList.contains("sheet-open");
  for (const part of [reading, contents]) part.inert = isCovered;
}

/** @param {boolean} open */
function setContents(open) {
  document.body.classList.toggle("contents-open", open);
  byId("menu").setAttribute("aria-expanded", String(open));
  if (open) /** @type {HTMLElement | null} */ (contents.querySelector("[aria-current], a"))?.focus();
}

export function closeContents() {
  setContents(false);
}

export function focusQuestion() {
  setSheet(true);
  byId("question").focus();
}

export function connectLayout() {
  PHONE.addEventListener("change", shutOff);
  byId("skip").addEventListener("click", () => reading.focus());
  byId("skip-to-question").addEventListener("click", focusQuestion);
  byId("menu").addEventListener("click", () => {
    setContents(!document.body.classList.contains("contents-open"));
  });
  byId("sheet").addEventListener("click", () => {
    setSheet(!document.body.classList.contains("sheet-open"));
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    closeContents();
    setSheet(false);
  });
}
