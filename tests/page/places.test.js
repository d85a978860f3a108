import assert from "node:assert/strict";
import { test } from "node:test";
import { answerHref, frontHref, placeHref, readPlace } from "../../services/gateway/web/common/places.js";

test("a place survives its own address", () => {
  const place = {
    slug: "tide-mills",
    path: "parts/1 & 2?/a#b.md",
    range: { start: 10, end: 42 },
    section: "wheels/größe",
    edition: 3,
    front: false,
    answer: null,
  };
  assert.deepEqual(readPlace(placeHref(place.slug, place.path, place)), place);
});

test("an address of nothing is the shelf", () => {
  for (const hash of ["", "#", "#/"]) assert.equal(readPlace(hash).slug, "");
});

test("a range that ends before it begins, and an edition that is no number, are none", () => {
  const place = readPlace("#/book/a.md?range=42-10&edition=new");
  assert.deepEqual([place.range, place.edition], [null, null]);
});

test("what is not well encoded is taken as it is written", () => {
  assert.equal(readPlace("#/book/100%.md").path, "100%.md");
});

test("an answer and a front door have addresses of their own", () => {
  const id = "6f1c8a52-0000-4000-8000-000000000001";
  assert.deepEqual([readPlace(answerHref("a b", id)).slug, readPlace(answerHref("a b", id)).answer], ["a b", id]);
  assert.equal(readPlace(frontHref("book")).front, true);
  assert.equal(readPlace("#/book?answer=../../keys").answer, null);
});
