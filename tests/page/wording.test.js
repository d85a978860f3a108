import assert from "node:assert/strict";
import { test } from "node:test";
import { levelInWords, wordingOf } from "../../services/gateway/web/conversation/wording.js";

const quoted = { kind: "quoted", probability: 1, stands_in: false };
const reworded = { kind: "paraphrased", probability: 0.97, stands_in: false };

test("an answer of the book's own sentences is told as such at every level", () => {
  for (const grounding of ["verbatim", "supported", "cited"]) {
    assert.equal(levelInWords({ sentences: [quoted], grounding }), "in the book’s own words");
  }
});

test("one reworded sentence makes the level count", () => {
  const sentences = [quoted, reworded];
  assert.match(levelInWords({ sentences, grounding: "supported" }), /checked against its quotation/);
  assert.match(levelInWords({ sentences, grounding: "cited" }), /not checked/);
});

test("a refusal is in nobody's words", () => {
  assert.equal(levelInWords({ sentences: [], grounding: "supported" }), null);
});

test("what is the book's own needs no word, what stands in does", () => {
  assert.equal(wordingOf(quoted), "");
  assert.match(wordingOf({ ...quoted, stands_in: true }), /in the place of one/);
});

test("the likelier a sentence the surer its words", () => {
  const said = [0.97, 0.85, 0.65, 0.3].map((probability) => wordingOf({ ...reworded, probability }));
  assert.equal(new Set(said).size, 4);
  assert.match(said[0], /almost certainly/);
  assert.match(said[3], /possibly/);
});
