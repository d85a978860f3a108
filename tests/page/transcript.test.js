import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, asMarkdown } from "../../services/gateway/web/conversation/transcript.js";

const PAGE = "https://quoth.example/";
const BOOK = { slug: "mills", title: "Tide *Mills*" };

function answerOf(sentences, changes = {}) {
  const citations = sentences.map(({ quote, text, header = null, url = null }, at) => ({
    n: at + 1,
    quote: quote ?? text,
    document: "part one/mills.md",
    start: 100 * at,
    end: 100 * at + 10,
    section_path: ["How it works", "Gates"],
    page: 7,
    url,
    table_header: header,
  }));
  return {
    sentences: sentences.map(({ text }, at) => ({ text, citations: [at + 1], kind: "quoted" })),
    citations,
    edition: 3,
    mode: "book",
    grounding: "verbatim",
    confidence: { level: "high" },
    ...changes,
  };
}

function sessionOf(answer, passages = [], content = "How?") {
  const said = { role: "user", content, selection: null };
  const reply = { role: "assistant", content: "", answer, passages };
  return { messages: [said, reply] };
}

/** Passages that say what each citation is. */
function passagesOf(kinds) {
  const spans = kinds.map((kind, at) => ({ start: 100 * at, end: 100 * at + 10, kind }));
  return [{ document: "part one/mills.md", spans }];
}

test("questions, sentences and quotations stand with their places and addresses", () => {
  const text = asMarkdown(sessionOf(answerOf([{ text: "The gate opens." }])), BOOK, PAGE);
  assert.equal(
    text,
    [
      "# Tide \\*Mills\\*",
      "## How?",
      "The gate opens. \\[1\\]",
      "*High confidence · in the book’s own words · no language model · edition 3*",
      "1. “The gate opens.” How it works › Gates, page 7, edition 3. " +
        "<https://quoth.example/#/mills/part%20one/mills.md?range=0-10&edition=3>\n",
    ].join("\n\n"),
  );
});

test("a refusal keeps what is nearest, and says that it may be no answer", () => {
  const { citations } = answerOf([{ text: "The gate opens." }]);
  const answer = answerOf([], { refusal: { message: "Not there.", nearest: citations } });
  const session = sessionOf(answer);
  session.messages[1].content = "Not there.";
  const lines = asMarkdown(session, BOOK, PAGE).split("\n\n");
  assert.deepEqual(lines.slice(2, 4), ["Not there.", "Nearest to the question, which may not answer it:"]);
  assert.match(lines[4], /^1\. “The gate opens\.” How it works › Gates, page 7, edition 3\. <https:/);
});

test("what a refusal itself says of the book is told as that, and the rest as nearest", () => {
  const { citations } = answerOf([{ text: "The gate never opens." }, { text: "It is old." }]);
  const message = "The book denies this: “The gate never opens.”";
  const session = sessionOf(answerOf([], { refusal: { message, nearest: citations } }));
  const lines = asMarkdown(session, BOOK, PAGE).split("\n\n");
  const told = lines.indexOf("Where the book says so:");
  assert.match(lines[told + 1], /The gate never opens/);
  assert.equal(lines[told + 2].trim(), "Nearest to the question, which may not answer it:");
  assert.match(lines[told + 3], /It is old/);
});

test("code stays code whatever it holds, items are items and rows are a table with its header", () => {
  const code = "```\n![x](https://evil.example)\n```";
  const sentences = [{ text: code }, { text: "It opens." }, { text: "Old | 7 kW", header: "Mill | Power" }];
  const text = asMarkdown(sessionOf(answerOf(sentences), passagesOf(["code", "list_item", "table"])), BOOK, PAGE);
  assert.ok(text.includes(`\`\`\`\`\n${code}\n\`\`\`\`\n`));
  assert.ok(text.includes("\n- It opens. \\[2\\]\n"));
  assert.ok(text.includes("| Mill | Power |\n| --- | --- |\n| Old | 7 kW |\n"));
});

test("a question that was interrupted says so", () => {
  const asked = { role: "user", content: "And then?", selection: { text: "The\ngate" } };
  const text = asMarkdown({ messages: [asked] }, BOOK, PAGE);
  assert.match(text, /## And then\?\n\n> The\n> gate\n\n\*Interrupted/);
});

for (const hostile of [
  "![x](https://evil.example/a.png)",
  '<img src="https://evil.example/a.png">',
  "[x]: https://evil.example",
  "https://evil.example",
  "www.evil.example",
  "<https://evil.example>",
  "# heading\n- item\n1. one\n=====",
  "a | b\n--|--\n`code`",
]) {
  test(`what a book or a reader says is no markup: ${hostile.split("\n")[0]}`, () => {
    const answer = answerOf([{ text: hostile }]);
    const text = asMarkdown(sessionOf(answer, [], hostile), { slug: "mills", title: hostile }, PAGE);
    const bare = text.replaceAll(/\\[\W]/g, "x").replaceAll(/<https:\/\/quoth\.example\/[^>]*>/g, "");
    assert.doesNotMatch(bare, /!?\[|<|`|https?:|www\.|\|/);
    assert.equal(bare.match(/^#/gm).length, 2);
    assert.doesNotMatch(bare, /^\s*([-+]|=+$|2\.)/m);
  });
}

test("an address of the book is given only if it leads to the web", () => {
  assert.equal(addressOf({ url: "https://book.example/a#b" }, "here"), "https://book.example/a#b");
  for (const url of [null, "", "javascript:alert(1)", "data:text/html,x", "https://a b", "https://a>b"]) {
    assert.equal(addressOf({ url }, "here"), "here");
  }
});
