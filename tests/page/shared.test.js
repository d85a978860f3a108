import assert from "node:assert/strict";
import { test } from "node:test";
import { piecesOf } from "../../services/gateway/web/document/quotations.js";
import { sourcesOf } from "../../services/gateway/web/conversation/shared.js";

const TEXT = "Über Mühlen\n\nEs klappert.\n\nx = 1\ny = 2\n\nEnde.";
/** @param {string} words @param {string} kind */
function block(words, kind) {
  const start = [...TEXT.slice(0, TEXT.indexOf(words))].length;
  return { kind, start, end: start + [...words].length };
}
const BLOCKS = [block("Über Mühlen", "heading"), block("Es klappert.", "paragraph"), block("x = 1\ny = 2", "code"), block("Ende.", "paragraph")];
const { start, end } = block("y = 2", "code");
const CITED = { document: "a.md", start, end, quote: "y = 2" };

/** @param {number} to */
const held = (to, text = TEXT) => ({ path: "a.md", text, blocks: BLOCKS, sections: [{ path: ["Über Mühlen"], start: 0, end: to }] });

test("an answer found by its id is drawn as the book has it", () => {
  const sources = sourcesOf(held(TEXT.length), [CITED, { ...CITED, document: "b.md" }]);
  assert.equal(sources.length, 1);
  assert.equal(sources[0].text, TEXT);
  const [piece] = piecesOf(sources, CITED);
  assert.deepEqual([piece.kind, piece.text, piece.block?.text], ["code", "y = 2", "x = 1\ny = 2"]);
});

test("of a long section only the blocks are taken that are quoted", () => {
  const [source] = sourcesOf(held(30_000), [CITED]);
  assert.equal(source.text, "x = 1\ny = 2");
});
