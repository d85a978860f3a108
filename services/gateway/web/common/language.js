// @ts-check
// The words of the page in the reader's language: one dictionary a language in `languages/`, of which
// a page loads its own beside English. What the book says stays as it is.

/** @import { Key, Phrase, Words } from "../languages/en.js" */

import { words as english } from "../languages/en.js";
import { device } from "./storage.js";

/** @type {Record<string, () => Promise<{ words: Words }>>} */
const DICTIONARIES = {
  ar: () => import("../languages/ar.js"),
  de: () => import("../languages/de.js"),
  en: async () => ({ words: english }),
  es: () => import("../languages/es.js"),
  fr: () => import("../languages/fr.js"),
  hi: () => import("../languages/hi.js"),
  ja: () => import("../languages/ja.js"),
  pt: () => import("../languages/pt.js"),
  ru: () => import("../languages/ru.js"),
  zh: () => import("../languages/zh.js"),
};
const LEFTWARD = ["ar"];
const KEPT = "quoth_language";
// What is filled in goes its own way: a Latin name does not turn a line of Arabic around.
const ISOLATE = "\u2068";
const END_OF_ISOLATE = "\u2069";

/** @param {string} tag */
const baseOf = (tag) => tag.toLowerCase().split(/[-_]/)[0];

/**
 * The language that is spoken. Its `tag` has the reader's region, for dates and numbers.
 *
 * @type {{ code: string, tag: string, words: Words }}
 */
let spoken = { code: "en", tag: "en", words: english };

/** @type {readonly string[]} */
let wantedTags = [];

/** The languages that were asked for, as the gateway is told them. */
export function acceptedLanguages() {
  return wantedTags.filter((tag) => /^[\w-]+$/.test(tag)).join(", ");
}

/** The codes of all languages that there is a dictionary of. */
export const LANGUAGES = Object.keys(DICTIONARIES);

/** The language that the reader chose on the page; "" for that of the browser. */
export function chosenLanguage() {
  const kept = device.read(KEPT) ?? "";
  return LANGUAGES.includes(kept) ? kept : "";
}

/** @param {string} code */
export function keepLanguage(code) {
  if (code) device.write(KEPT, code);
  else device.remove(KEPT);
}

/** The languages that this reader wants, the dearest first. */
export function wantedLanguages() {
  const { languages } = navigator;
  const chosen = chosenLanguage();
  if (!chosen) return languages;
  // The region that the browser names for it, where it names one.
  return [languages.find((tag) => baseOf(tag) === chosen) ?? chosen];
}

/**
 * Speaks the first of these languages that there is a dictionary of, or else English. To be called
 * before anything is drawn.
 *
 * @param {readonly string[]} wanted Language tags, as "pt-BR".
 */
export async function speak(wanted) {
  wantedTags = wanted;
  const tag = wanted.find((one) => Object.hasOwn(DICTIONARIES, baseOf(one))) ?? "en";
  const code = baseOf(tag);
  try {
    const { words } = await DICTIONARIES[code]();
    spoken = { code, tag: withUsualDigits(tag, code), words };
  } catch (error) {
    // A dictionary that does not come is no reason to show nothing.
    console.error(error);
    spoken = { code: "en", tag: "en", words: english };
  }
}

/**
 * Numbers of pages and quotations stand in digits of their own beside those that are counted here.
 *
 * @param {string} tag
 * @param {string} code
 */
function withUsualDigits(tag, code) {
  try {
    return new Intl.Locale(tag, { numberingSystem: "latn" }).toString();
  } catch {
    return code;
  }
}

/** The code of the language that is spoken. */
export function language() {
  return spoken.code;
}

/** @returns {"rtl" | "ltr"} */
export function direction() {
  return LEFTWARD.includes(spoken.code) ? "rtl" : "ltr";
}

/** What is said in the page's own words where the book's stand around it. */
export function ours() {
  return { lang: language(), dir: direction() };
}

/**
 * The words of a key, with values filled in. Numbers are written as the language does; `n` also
 * chooses the form. What is only a name, such as that of an edition, is given as text.
 *
 * @param {Key} key
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  const phrase = spoken.words[key];
  return formOf(phrase, values).replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name];
    if (typeof value === "number") return inDigits(value);
    return direction() === "rtl" ? `${ISOLATE}${value}${END_OF_ISOLATE}` : value;
  });
}

/**
 * Whether there are words for what the gateway may say one day.
 *
 * @param {string} key
 * @returns {key is Key}
 */
export function isKey(key) {
  return Object.hasOwn(english, key);
}

/**
 * @param {Phrase} phrase
 * @param {Record<string, string | number>} values
 */
function formOf(phrase, { n = 0 }) {
  if (typeof phrase === "string") return phrase;
  const category = new Intl.PluralRules(spoken.tag).select(Number(n));
  return phrase[category] ?? phrase.other;
}

/**
 * @param {number} number
 * @param {Intl.NumberFormatOptions} [options]
 */
export function inDigits(number, options) {
  return new Intl.NumberFormat(spoken.tag, options).format(number);
}

/**
 * @param {Date} date
 * @param {Intl.DateTimeFormatOptions} [options]
 */
export function dateInWords(date, options = { dateStyle: "medium" }) {
  return new Intl.DateTimeFormat(spoken.tag, options).format(date);
}

/**
 * A language as the reader calls it, or as its own speakers do; its code where nobody does.
 *
 * @param {string} code
 * @param {string} [by] The language of who calls it so.
 */
export function nameOfLanguage(code, by = spoken.tag) {
  try {
    return new Intl.DisplayNames([by], { type: "language", fallback: "none" }).of(code) ?? "";
  } catch {
    return code;
  }
}

/**
 * Fills in the words that markup names: `data-t` for the text, `data-t-…` for an attribute.
 *
 * @param {ParentNode} root
 */
export function fillWords(root) {
  for (const part of root.querySelectorAll("*")) {
    for (const { name, value } of [...part.attributes]) {
      const key = /** @type {Key} */ (value);
      if (name === "data-t") part.textContent = t(key);
      else if (name.startsWith("data-t-")) part.setAttribute(name.slice("data-t-".length), t(key));
    }
  }
}

/** Shows a page of Quoth's own in the language of its reader. */
export async function speakToReader() {
  await speak(wantedLanguages());
  document.documentElement.lang = language();
  document.documentElement.dir = direction();
  fillWords(document);
}
