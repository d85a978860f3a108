import assert from "node:assert/strict";
import { test } from "node:test";
import { treeOf } from "../../services/gateway/web/reader/tree.js";

function outline(paths) {
  const told = ({ path, title, children }) =>
    children.length ? [path ?? `(${title})`, children.map(told)] : path;
  return treeOf(paths.map((path) => ({ path, title: path, depth: 0, part_titles: [] }))).map(told);
}

test("the book's own table of contents goes before its folders", () => {
  const entry = (path, depth, ...part_titles) => ({ path, title: path, depth, part_titles });
  const told = ({ path, title, children }) =>
    children.length ? [path ?? `(${title})`, children.map(told)] : path;
  assert.deepEqual(
    treeOf([
      entry("x/start", 0),
      entry("x/arm", 1, "Parts"),
      entry("x/servo", 2),
      entry("y/hand", 1),
      entry("y/deep", 3, "More", "Still more"),
      entry("last", 0),
      entry("lost", 2),
    ]).map(told),
    [
      "x/start",
      ["(Parts)", [["x/arm", ["x/servo"]], "y/hand", ["(More)", [["(Still more)", ["y/deep"]]]]]],
      ["last", ["lost"]],
    ],
  );
});

test("what lies in a folder stands below what introduces it, or below its name", () => {
  assert.deepEqual(
    outline(["docs/start.md", "docs/arm/index.md", "docs/arm/servo.md", "docs/02-hand_parts/a.md", "docs/02-hand_parts/b.md"]),
    [
      "docs/start.md",
      ["docs/arm/index.md", ["docs/arm/servo.md"]],
      ["(Hand parts)", ["docs/02-hand_parts/a.md", "docs/02-hand_parts/b.md"]],
    ],
  );
});

test("folders nest, and one document makes no folder", () => {
  assert.deepEqual(outline(["a/x.md", "b/c/y.md", "b/c/z.md", "b/w.md", "d/v.md"]), [
    "a/x.md",
    ["(B)", [["(C)", ["b/c/y.md", "b/c/z.md"]], "b/w.md"]],
    "d/v.md",
  ]);
});

test("the order is the book's: a folder that it comes back to stands twice", () => {
  assert.deepEqual(outline(["a/1.md", "a/2.md", "b/1.md", "b/2.md", "a/3.md"]), [
    ["(A)", ["a/1.md", "a/2.md"]],
    ["(B)", ["b/1.md", "b/2.md"]],
    "a/3.md",
  ]);
});

test("a book of one document, or of none, is no tree", () => {
  assert.deepEqual(outline(["a/b/c.pdf"]), ["a/b/c.pdf"]);
  assert.deepEqual(outline([]), []);
});
