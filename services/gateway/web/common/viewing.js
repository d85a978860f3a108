// @ts-check
// How the reader likes to see the page: by day or by night, in which size and language. The browser keeps it.

import { byId, element } from "./dom.js";
import { chosenLanguage, keepLanguage, LANGUAGES, nameOfLanguage } from "./language.js";
import { device } from "./storage.js";

const KEY = "quoth_view";
const THEMES = { system: "looks.system", light: "looks.day", dark: "looks.night" };
const SIZES = { 100: "looks.browser", 112: "looks.large", 125: "looks.larger", 150: "looks.largest" };

/** Shows the page as it was liked before, and connects what changes it. */
export function connectViewing() {
  const view = readView();
  apply(view);
  const keep = () => {
    apply(view);
    device.write(KEY, JSON.stringify(view));
  };
  const select = element("select", { id: "language", "data-t-aria-label": "looks.speaks" });
  select.append(element("option", { value: "", "data-t": "looks.browser" }));
  const popup = byId("viewing");
  popup.append(
    element("fieldset", {}, legend("looks.light"), ...choices("theme", THEMES, view.theme, (theme) => {
      view.theme = theme;
      keep();
    })),
    element("fieldset", {}, legend("looks.size"), ...choices("size", SIZES, String(view.size), (size) => {
      view.size = Number(size);
      keep();
    })),
    element("fieldset", {}, legend("looks.language"), select),
  );
  popup.addEventListener("beforetoggle", () => offerLanguages(select), { once: true });
}

/** @param {string} words */
function legend(words) {
  return element("legend", { "data-t": words });
}

/**
 * @param {string} name
 * @param {Record<string, string>} offered What each value is called.
 * @param {string} chosen
 * @param {(value: string) => void} choose
 */
function choices(name, offered, chosen, choose) {
  return Object.entries(offered).map(([value, words]) => {
    const input = element("input", { type: "radio", name, value, checked: value === chosen, onchange: () => choose(value) });
    return element("label", {}, input, element("span", { "data-t": words }));
  });
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
    theme: Object.hasOwn(THEMES, theme) ? String(theme) : "system",
    size: Object.hasOwn(SIZES, size) ? Number(size) : 100,
  };
}

/** @param {{ theme: string, size: number }} view */
function apply({ theme, size }) {
  document.documentElement.dataset.theme = theme;
  document.documentElement.style.fontSize = size === 100 ? "" : `${size}%`;
}
