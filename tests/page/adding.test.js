import assert from "node:assert/strict";
import { test } from "node:test";
import { belowFolder, wantedOf } from "../../services/gateway/web/shelf/choosing.js";
import { groupMessages } from "../../services/gateway/web/shelf/report.js";

const files = (...paths) => paths.map((path) => ({ path, file: null }));
const names = (chosen) => chosen.map(({ path }) => path);

test("documents and what orders them are sent, hidden folders and what builds leave are not", () => {
  const chosen = files("a.md", "b/C.HTML", "quoth.toml", ".git/x.md", "node_modules/y.md", "b/.z.md", "p.png", "b/_build/w.html", "b/c.css");
  assert.deepEqual(names(wantedOf(chosen, [".md", ".html"])), ["a.md", "b/C.HTML", "quoth.toml", "p.png", "b/c.css"]);
  assert.deepEqual(wantedOf(files("p.png", "q.svg", "r.css"), [".md"]), []);
});

test("files of one folder are told by their paths below it", () => {
  const { folder, files: below } = belowFolder(files("mills/a.md", "mills/b/c.md"));
  assert.deepEqual([folder, names(below)], ["mills", ["a.md", "b/c.md"]]);
  assert.deepEqual(names(belowFolder(files("a.md", "b/c.md")).files), ["a.md", "b/c.md"]);
  assert.deepEqual(belowFolder([]).files, []);
});

test("warnings that differ in place and number alone are told once, the most frequent first", () => {
  const groups = groupMessages([
    "The book has no title.",
    '"a.md": line 3: a picture has no description.',
    '"b.md": line 17: a picture has no description.',
    '"b.md": line 18: a picture has no description.',
  ]);
  assert.deepEqual(groups, [
    { text: "line 3: a picture has no description.", places: ["a.md", "b.md"], count: 3 },
    { text: "The book has no title.", places: [], count: 1 },
  ]);
});
