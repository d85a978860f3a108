// The dictionaries say the same things, and the page speaks the first language that it can.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { beforeEach, test } from "node:test";
import { asProblem } from "../../services/gateway/web/common/api.js";
import { acceptedLanguages, dateInWords, direction, inDigits, language, LANGUAGES, nameOfLanguage, speak, t } from "../../services/gateway/web/common/language.js";
import { words as english } from "../../services/gateway/web/languages/en.js";

const FOLDER = new URL("../../services/gateway/web/languages/", import.meta.url);
const WHOLE_NUMBERS = Array.from({ length: 201 }, (_, n) => n);
/** Forms of so many things exactly may leave out their number. */
const SAYS_HOW_MANY = new Set(["zero", "one", "two"]);

const formsOf = (phrase) => (typeof phrase === "string" ? { other: phrase } : phrase);
const namesIn = (text) => [...new Set(text.match(/\{\w+\}/g))].sort();
const readWords = async (code) => (await import(new URL(`${code}.js`, FOLDER).href)).words;

beforeEach(() => speak(["en"]));

test("there is a dictionary of each language", () => {
  assert.deepEqual(readdirSync(FOLDER).sort(), LANGUAGES.map((code) => `${code}.js`));
});

for (const code of LANGUAGES) {
  test(`the dictionary of ${code} has the keys of the English one, in its order`, async () => {
    assert.deepEqual(Object.keys(await readWords(code)), Object.keys(english));
  });

  test(`the phrases of ${code} fill in what the English ones do`, async () => {
    for (const [key, phrase] of Object.entries(await readWords(code))) {
      const wanted = namesIn(formsOf(english[key]).other);
      for (const [category, text] of Object.entries(formsOf(phrase))) {
        const least = SAYS_HOW_MANY.has(category) ? wanted.filter((name) => name !== "{n}") : wanted;
        const names = namesIn(text);
        assert.deepEqual(names.filter((name) => !wanted.includes(name)), [], `${key} ${category}`);
        assert.deepEqual(least.filter((name) => !names.includes(name)), [], `${key} ${category}`);
        assert.equal(text, text.trim(), key);
        assert.notEqual(text, "", key);
      }
    }
  });

  test(`what is counted has each form that ${code} has for whole numbers`, async () => {
    const rules = new Intl.PluralRules(code);
    const categories = [...new Set(WHOLE_NUMBERS.map((n) => rules.select(n)))].concat("other").sort();
    for (const [key, phrase] of Object.entries(await readWords(code))) {
      if (typeof phrase === "string") assert.equal(typeof english[key], "string", key);
      else if (Object.keys(phrase).length > 1) {
        assert.deepEqual(Object.keys(phrase).sort(), [...new Set(categories)], key);
      }
    }
  });
}

test("the first language that there is a dictionary of is spoken, else English", async () => {
  for (const [wanted, spoken] of [
    [["sv", "de-AT", "en"], "de"],
    [["zh-Hant-TW"], "zh"],
    [["pt_BR"], "pt"],
    [["AR"], "ar"],
    [["sv", "constructor"], "en"],
    [[], "en"],
  ]) {
    await speak(wanted);
    assert.equal(language(), spoken);
    assert.equal(direction(), spoken === "ar" ? "rtl" : "ltr");
  }
});

test("the gateway is told what the reader reads, as a header can say it", async () => {
  await speak(["pt-BR", "ko", "x\ny", ""]);
  assert.equal(acceptedLanguages(), "pt-BR, ko");
});

test("Russian counts in three forms", async () => {
  await speak(["ru"]);
  const said = [0, 1, 2, 5, 11, 21, 22, 112].map((n) => t("documents", { n }));
  assert.deepEqual(said, [
    "0 документов",
    "1 документ",
    "2 документа",
    "5 документов",
    "11 документов",
    "21 документ",
    "22 документа",
    "112 документов",
  ]);
});

test("Arabic counts in six forms, and says one and two without a number", async () => {
  await speak(["ar-EG"]);
  const said = [0, 1, 2, 3, 11, 100].map((n) => t("documents", { n }));
  assert.deepEqual(said, ["لا مستندات", "مستند واحد", "مستندان", "3 مستندات", "11 مستندًا", "100 مستند"]);
});

test("numbers and days are written as in the reader's region, in the digits that pages have", async () => {
  const day = new Date(2026, 0, 5, 12);
  await speak(["de-DE"]);
  assert.equal(t("passages", { n: 12345 }), "12.345 Textstellen");
  assert.equal(inDigits(1.5), "1,5");
  assert.equal(dateInWords(day), "05.01.2026");
  await speak(["en-GB"]);
  assert.equal(dateInWords(day), "5 Jan 2026");
  await speak(["ar-EG"]);
  assert.match(dateInWords(day), /2026/);
  assert.equal(nameOfLanguage("fr"), "الفرنسية");
  assert.equal(nameOfLanguage("de", "de"), "Deutsch");
  assert.equal(nameOfLanguage("no language"), "no language");
});

test("a name of other letters does not turn a line of Arabic around", async () => {
  assert.equal(t("standing.by-model", { model: "gpt-4o" }), "by gpt-4o");
  await speak(["ar"]);
  assert.ok(t("standing.by-model", { model: "gpt-4o" }).endsWith("\u2068gpt-4o\u2069"));
});

test("a problem is told by its code, and in the gateway's words where these say what is wrong", async () => {
  const missing = { code: "not_found", detail: "There is no book “mills”." };
  const wrong = { code: "invalid_input", detail: "A slug has at most 64 characters." };
  assert.equal(asProblem(missing).message, missing.detail);
  await speak(["de"]);
  assert.equal(asProblem(missing).message, "Das gibt es hier nicht oder nicht mehr.");
  assert.equal(asProblem(missing).code, "not_found");
  assert.match(asProblem(wrong).message, /^So kann .* \(A slug has at most 64 characters\.\)$/);
  assert.equal(asProblem({ code: "new_kind", detail: "Something new." }).message, "Something new.");
});
