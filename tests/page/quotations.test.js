import assert from "node:assert/strict";
import { test } from "node:test";
import { isOneLine, kindOf, splitCells } from "../../services/gateway/web/document/quotations.js";

const DOCUMENT = "mills.md";
const at = (start, end, document = DOCUMENT) => ({ document, start, end });

test("a quotation is of the kind of the sentence that it overlaps", () => {
  const spans = [
    { start: 100, end: 120, kind: "paragraph" },
    { start: 120, end: 140, kind: "code" },
  ];
  const passages = [{ document: DOCUMENT, spans }];
  assert.equal(kindOf(passages, at(125, 130)), "code");
  assert.equal(kindOf(passages, at(110, 120)), "paragraph");
});

test("what no passage of its document holds is taken for prose", () => {
  const passages = [{ document: "other.md", spans: [{ start: 0, end: 50, kind: "table" }] }];
  assert.equal(kindOf(passages, at(0, 10)), "paragraph");
  assert.equal(kindOf([{ ...passages[0], document: DOCUMENT }], at(50, 60)), "paragraph");
});

test("two sentences of one list item stand in one line, those of two items do not", () => {
  const text = "😀 One. Two.\nThree.";
  const passages = [{ ...at(1000, 1000 + [...text].length), text }];
  const place = (words) => {
    const start = 1000 + [...text.slice(0, text.indexOf(words))].length;
    return at(start, start + words.length);
  };
  assert.equal(isOneLine(passages, place("One."), place("Two.")), true);
  assert.equal(isOneLine(passages, place("Two."), place("Three.")), false);
  assert.equal(isOneLine(passages, place("Two."), place("One.")), false);
});

test("ranges that no passage holds together are not in one line", () => {
  const passages = [{ ...at(0, 4), text: "One." }, { ...at(5, 9), text: "Two." }];
  assert.equal(isOneLine(passages, at(0, 4), at(5, 9)), false);
  assert.equal(isOneLine(passages, at(0, 2), at(2, 4, "other.md")), false);
});

const cells = (line) =>
  splitCells(line)
    .filter((piece) => !piece.bar)
    .map(({ start, end }) => line.slice(start, end));

test("a row is split at its bars into its cells", () => {
  assert.deepEqual(cells("Servo | 5 V | 12 N"), ["Servo", "5 V", "12 N"]);
});

test("empty cells at the ends and in the middle keep their columns", () => {
  assert.deepEqual(cells("| 5 V | 12 N"), ["", "5 V", "12 N"]);
  assert.deepEqual(cells("Servo | 5 V |"), ["Servo", "5 V", ""]);
  assert.deepEqual(cells("Servo |  | 12 N"), ["Servo", "", "12 N"]);
});

test("cells and bars together are the line, character for character", () => {
  for (const line of ["Servo | 5 V | 12 N", "| a | b |", "no bar", "", "a|b"]) {
    const pieces = splitCells(line).map(({ start, end }) => line.slice(start, end));
    assert.equal(pieces.join(""), line);
  }
});
