import assert from "node:assert/strict";
import { test } from "node:test";
import { numbersInWords } from "../../services/gateway/web/conversation/chips.js";
import { goesOnAt, isTerm, piecesOf, piecesOfSentence } from "../../services/gateway/web/document/quotations.js";

const TEXT = "Run 🌊 it. Twice.\n\nOne step\nTwo steps\n\nx = 1\ny = 2\n\nz = 3";

function passageOf(pieces) {
  const points = (words) => [...TEXT.slice(0, TEXT.indexOf(words))].length + 100;
  const spans = pieces.map(([kind, words]) => ({
    kind,
    start: points(words),
    end: points(words) + [...words].length,
  }));
  return { document: "a.md", start: 100, end: 100 + [...TEXT].length, text: TEXT, spans };
}

const PASSAGE = passageOf([
  ["paragraph", "Run 🌊 it."],
  ["paragraph", "Twice."],
  ["list_item", "One step"],
  ["list_item", "Two steps"],
  ["code", "x = 1"],
  ["code", "y = 2"],
  ["code", "z = 3"],
]);

function quote(words) {
  const start = [...TEXT.slice(0, TEXT.indexOf(words))].length + 100;
  return { document: "a.md", start, end: start + [...words].length, quote: words };
}

test("sentences of a paragraph are one piece, items are several, code is one a block", () => {
  const pieces = piecesOf([PASSAGE], quote(TEXT));
  assert.deepEqual(
    pieces.map(({ kind, text }) => [kind, text]),
    [
      ["paragraph", "Run 🌊 it. Twice."],
      ["list_item", "One step"],
      ["list_item", "Two steps"],
      ["code", "x = 1\ny = 2"],
      ["code", "z = 3"],
    ],
  );
});

test("of what a quotation cuts its block knows the whole", () => {
  const [piece] = piecesOf([PASSAGE], quote("y = 2"));
  assert.equal(piece.text, "y = 2");
  assert.equal(piece.block.text, "x = 1\ny = 2");
});

test("a quotation of a passage that is not known is what it says", () => {
  for (const passages of [[], [{ ...PASSAGE, document: "b.md" }], [{ ...PASSAGE, spans: [] }]]) {
    assert.deepEqual(
      piecesOf(passages, quote("One step")).map(({ kind, text, block }) => [kind, text, block]),
      [["paragraph", "One step", null]],
    );
  }
});

test("what only space parts goes on, in this order alone", () => {
  assert.ok(goesOnAt([PASSAGE], quote("Run 🌊 it."), quote("Twice.")));
  assert.ok(!goesOnAt([PASSAGE], quote("Twice."), quote("Run 🌊 it.")));
  assert.ok(!goesOnAt([PASSAGE], quote("Run"), quote("Twice.")));
  assert.ok(!goesOnAt([], quote("Run 🌊 it."), quote("Twice.")));
});

test("numbers that follow one another are told by the first and the last", () => {
  assert.equal(numbersInWords([3]), "3");
  assert.equal(numbersInWords([1, 2]), "1–2");
  assert.equal(numbersInWords([1, 3]), "1, 3");
});

test("a row with the title of its table is a row, with what its own quotation says of its header", () => {
  const held = passageOf([
    ["caption", "Run 🌊 it."],
    ["table", "One step"],
    ["paragraph", "Twice."],
  ]);
  const title = quote("Run 🌊 it.");
  const row = { ...quote("One step"), table_header: "What" };
  const pieces = piecesOfSentence([held], "Run 🌊 it.\nOne step", [title, row]);
  assert.deepEqual(
    pieces.map(({ piece, from }) => [piece.kind, piece.text, from.table_header]),
    [
      ["caption", "Run 🌊 it.", undefined],
      ["table", "One step", "What"],
    ],
  );
  assert.deepEqual(piecesOfSentence([held], "Run 🌊 it. Twice.", [title, quote("Twice.")]), []);
  assert.deepEqual(piecesOfSentence([held], "It runs.", [title]), []);
});

test("items that a sentence quotes apart are pieces of their own below what introduces them", () => {
  const quote = (words) => ({ ...placeOf(words), quote: words });
  const placeOf = (words) => {
    const { start, end } = PASSAGE.spans.find((span) => span.start - 100 === [...TEXT.slice(0, TEXT.indexOf(words))].length);
    return { document: "a.md", start, end };
  };
  const cited = ["Run 🌊 it.", "One step", "Two steps"].map(quote);
  const said = cited.map((one) => one.quote).join("\n");
  assert.deepEqual(
    piecesOfSentence([PASSAGE], said, cited).map(({ piece }) => [piece.kind, piece.text]),
    [
      ["paragraph", "Run 🌊 it."],
      ["list_item", "One step"],
      ["list_item", "Two steps"],
    ],
  );
});

test("a term is a piece of its own before what explains it, and prose of two places is one paragraph", () => {
  const text = "Take these options:\n\n--backup\n\nSaves the last version. It ends in a tilde.";
  const spans = ["Take these options:", "--backup", "Saves the last version.", "It ends in a tilde."].map((words) => ({
    kind: "paragraph",
    start: text.indexOf(words),
    end: text.indexOf(words) + words.length,
  }));
  const passage = { document: "b.md", start: 0, end: text.length, text, spans };
  const cited = (start, end) => ({ document: "b.md", start, end, quote: text.slice(start, end) });
  const said = (...citations) => citations.map(({ quote: words }) => words).join(" ");
  const intro = cited(0, spans[0].end);
  const entry = cited(spans[1].start, spans[2].end);
  const pieces = piecesOfSentence([passage], said(intro, entry), [intro, entry]).map(({ piece }) => piece);
  assert.deepEqual(
    pieces.map((piece) => [piece.text, isTerm(piece.block)]),
    [
      ["Take these options:", false],
      ["--backup", true],
      ["Saves the last version.", false],
    ],
  );
  const last = cited(spans[3].start, spans[3].end);
  assert.deepEqual(piecesOfSentence([passage], said(intro, last), [intro, last]), []);
});
