// What a source calls its pages is shown where they begin, in place of their numbers.

import assert from "node:assert/strict";
import { test } from "node:test";

import { callPages, labelsOf } from "../../services/gateway/web/document/inline.js";

const MARKUP = [
  { kind: "page", start: 20, end: 20, value: "2" },
  { kind: "page_label", start: 0, end: 0, value: "1 i" },
  { kind: "page_label", start: 20, end: 20, value: "2 A 1" },
];

test("labels of pages are found by their numbers", () => {
  assert.deepEqual([...labelsOf({ markup: MARKUP })], [[1, "i"], [2, "A 1"]]);
  assert.equal(labelsOf({ markup: [] }).size, 0);
});

test("pages that have a label are called by it", () => {
  const begins = ["1", "2", "3"].map((page) => ({ dataset: { page, words: page }, named: page, setAttribute(_, label) { this.named = label; } }));
  callPages({ querySelectorAll: () => begins }, { markup: MARKUP });
  assert.match(begins[0].dataset.words, /\bi\b/);
  assert.match(begins[1].named, /A 1/);
  assert.equal(begins[2].named, "3");
});
