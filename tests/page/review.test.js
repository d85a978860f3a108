// What the review says in words, and how a choice of questions stands in the address.

import assert from "node:assert/strict";
import test from "node:test";

import {
  factsOf,
  outcomeInWords,
  percent,
  queryOf,
  readReviewPlace,
  reviewHref,
} from "../../services/gateway/web/review/words.js";

const ASKED = {
  answer_id: "a-1",
  create_time: "2026-11-21T12:30:00Z",
  book: "pumps",
  edition: 3,
  client: "reader-app",
  question: "What?",
  text: "That.",
  outcome: "answered",
  reason: "",
  confidence: 0.5,
  confidence_level: "low",
  citations: [],
  feedback: { rating: "down", reason: "", comment: "" },
  grade: { grade: "should_have_refused", note: "", document: "", quote: "", client: "me", create_time: "" },
};

test("the address says what is shown, and nothing else that it holds", () => {
  const place = readReviewPlace("#/answers?book=pumps&colour=red&text=a+b");
  assert.equal(place.view, "answers");
  assert.deepEqual([...place.chosen], [["book", "pumps"], ["text", "a b"]]);
  assert.equal(readReviewPlace("").view, "answers");
  assert.equal(readReviewPlace("#/coverage?book=pumps").view, "coverage");
  const one = readReviewPlace("#/answers/0b6b?book=pumps");
  assert.deepEqual([one.view, one.id, one.chosen.get("book")], ["answer", "0b6b", "pumps"]);
});

test("a choice is in the address and comes out of it again", () => {
  const chosen = new URLSearchParams({ book: "pumps", text: "100 %?", outcome: "" });
  const href = reviewHref("answers", chosen);
  assert.equal(href, "#/answers?book=pumps&text=100+%25%3F");
  assert.equal(readReviewPlace(href).chosen.get("text"), "100 %?");
  assert.equal(reviewHref("coverage", new URLSearchParams()), "#/coverage");
});

test("a choice becomes a query: days begin where the reviewer is, and not graded is a word of its own", () => {
  const query = queryOf(new URLSearchParams({ grade: "none", since: "2026-11-01", rating: "up", text: "" }));
  assert.deepEqual(query, { graded: false, since: new Date(2026, 10, 1).toISOString(), rating: "up" });
  assert.deepEqual(queryOf(new URLSearchParams({ grade: "wrong" })), { grade: "wrong" });
  assert.equal(queryOf(new URLSearchParams({ until: "soon" })).until, "soon");
});

test("how a question ended is said in words", () => {
  assert.equal(outcomeInWords(ASKED), "answered, confidence low");
  const refused = { ...ASKED, outcome: "refused", reason: "not_covered", confidence_level: null };
  assert.equal(outcomeInWords(refused), "refused: not covered");
  assert.equal(outcomeInWords({ ...refused, outcome: "failed", reason: "" }), "failed");
  assert.deepEqual(factsOf(ASKED).slice(1), [
    "pumps, edition 3",
    "reader-app",
    "answered, confidence low",
    "reader: it did not help",
    "graded: should have refused",
  ]);
  assert.equal(factsOf({ ...ASKED, client: "", feedback: null, grade: null }).length, 3);
  assert.equal(percent(0.2), "20.0 %");
});
