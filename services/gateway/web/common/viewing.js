// @ts-check
// How the reader likes to see the page: by day or by night, in which size and language. The browser keeps it.

import { all, byId, element } from "./dom.js";
import { chosenLanguage, keepLanguage, LANGUAGES, nameOfLanguage } from "./language.js";
import { device } from "./storage.js";

const KEY = "quoth_view";
const THEMES = ["system", "light", "dark"];
const SIZES = [100, 112, 125, 150];

/** Shows the page as it was liked before, and connects what changes it. */
export function connectViewing() {
  const view = readView();
  apply(view);
  for (const input of /** @type {Iterable<HTMLInputElement>} */ (all(byId("viewing"), "input"))) {
    input.checked = input.value === String(input.name === "theme" ? view.theme : view.size);
    input.addEventListener("change", () => {
      if (input.name === "theme") view.theme = input.value;
      else view.size = Number(input.value);
      apply(view);
      device.write(KEY, JSON.stringify(view));
    });
  }
  const select = byId("language", HTMLSelectElement);
  byId("viewing").addEventListener("beforetoggle", () => offerLanguages(select), { once: true });
}

/**
 * Each language is named as its speakers do; another is spoken once the page is read anew.
 *
 * @param {HTMLSelectElement} select
 */
function offerLanguages(select) {
  select.append(...LANGUAGES.map((code) => element("option", { value: code, lang: code }, nameOfLanguage(code, code))));
  select.value = chosenLanguage();
  select.addEventListener("change", () => {
    keepLanguage(select.value);
    location.reload();
  });
}

function readView() {
  const { theme, size } = /** @type {any} */ (device.readJson(KEY) ?? {});
  return {
    theme: THEMES.includes(theme) ? String(theme) : "system",
    size: SIZES.includes(size) ? Number(size) : 100,
  };
}

/** @param {{ theme: string, size: number }} view */
function apply({ theme, size }) {
  document.documentElement.dataset.theme = theme;
  document.documentElement.style.fontSize = size === 100 ? "" : `${size}%`;
}
