import assert from "node:assert/strict";
import { test } from "node:test";
import { Offsets } from "../../services/gateway/web/common/offsets.js";

const TEXT = "a😀b𝔸𝔹c";
const CHARACTERS = [...TEXT];

test("every code point is found at its place in the string", () => {
  const offsets = new Offsets(TEXT);
  CHARACTERS.forEach((character, point) => {
    assert.equal(offsets.toUnits(point), CHARACTERS.slice(0, point).join("").length);
    assert.ok(TEXT.startsWith(character, offsets.toUnits(point)));
  });
  assert.equal(offsets.toUnits(CHARACTERS.length), TEXT.length);
});

test("there and back again is the same offset", () => {
  const offsets = new Offsets(TEXT);
  for (let point = 0; point <= CHARACTERS.length; point += 1) {
    assert.equal(offsets.toPoints(offsets.toUnits(point)), point);
  }
});

test("without wide characters both counts are equal", () => {
  const offsets = new Offsets("Gezeitenmühle – é");
  assert.deepEqual([0, 7, 17].map((point) => offsets.toUnits(point)), [0, 7, 17]);
});

test("within a surrogate pair is the place of its character", () => {
  assert.equal(new Offsets("a😀x").toPoints(2), 1);
});
