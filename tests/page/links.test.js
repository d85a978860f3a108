import assert from "node:assert/strict";
import { test } from "node:test";
import { Links } from "../../services/gateway/web/document/links.js";

const PATHS = ["intro.md", "01-arms/index.mdx", "01-arms/02-wrist.md", "hand/README.md", "hand/a b.html", "n.rst"];
const links = new Links(PATHS);
const pathOf = (address, from = "01-arms/02-wrist.md") => links.targetOf(address, from)?.path ?? null;

test("a link inside the book finds the document, however its address is written", () => {
  const expected = {
    "../intro.md": "intro.md",
    "../intro": "intro.md",
    "./02-wrist.md": "01-arms/02-wrist.md",
    wrist: "01-arms/02-wrist.md",
    "/docs/arms/wrist": "01-arms/02-wrist.md",
    "/arms": "01-arms/index.mdx",
    "../hand/": "hand/README.md",
    "../hand/a%20b.html?x=1": "hand/a b.html",
    "../n.html": "n.rst",
    "": "01-arms/02-wrist.md",
  };
  for (const [address, path] of Object.entries(expected)) assert.equal(pathOf(address), path, address);
});

test("a link leads to its anchor", () => {
  assert.deepEqual(links.targetOf("#the%20wrist", "intro.md"), { path: "intro.md", anchor: "the wrist" });
  assert.deepEqual(links.targetOf("n.rst#a#b", "intro.md"), { path: "n.rst", anchor: "a#b" });
});

test("what the book has not is nowhere", () => {
  for (const address of ["gone.md", "../../gone", "/gone/too", "%E0%A4%A"]) assert.equal(pathOf(address), null, address);
});

test("a link out of the book tells its host", () => {
  const target = links.targetOf("https://user@www.example.org:81/a b?c#d", "intro.md");
  assert.deepEqual(target, { url: "https://user@www.example.org:81/a%20b?c#d", host: "www.example.org:81" });
  assert.equal(links.targetOf("//cdn.example/x", "intro.md").host, "cdn.example");
  assert.deepEqual(links.targetOf("mailto:a@b.example", "intro.md"), { url: "mailto:a@b.example", host: "" });
});

test("nothing but pages and mail boxes is led to", () => {
  for (const address of ["javascript:alert(1)", " JAVASCRIPT:x", "data:text/html,x", "file:///etc/passwd", "blob:x", "https://"]) {
    assert.equal(links.targetOf(address, "intro.md"), null, address);
  }
});
