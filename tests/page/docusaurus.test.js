import assert from "node:assert/strict";
import { test } from "node:test";
import { locate } from "../../services/gateway/web/docusaurus/highlight.js";
import plugin, { validateOptions } from "../../services/gateway/web/docusaurus/index.js";
import { documentAt, documentsOfRoutes, routeOf } from "../../services/gateway/web/docusaurus/routes.js";

const VERSION = {
  isLast: true,
  docs: [
    { source: "@site/docs/intro.md", permalink: "/manual/" },
    { source: "@site/docs/part one/größe.mdx", permalink: "/manual/part one/größe" },
    { source: "@site/api/calls.md", permalink: "/manual/api/calls" },
  ],
};

test("a route shows the document of the folder that was put in", () => {
  for (const folder of ["docs", "./docs/"]) {
    const documents = documentsOfRoutes([VERSION], folder);
    assert.equal(documentAt(documents, "/manual"), "intro.md");
    assert.equal(documentAt(documents, "/manual/part%20one/gr%C3%B6%C3%9Fe/"), "part one/größe.mdx");
    assert.equal(documentAt(documents, "/manual/api/calls"), null);
    assert.equal(routeOf(documents, "part one/größe.mdx"), "/manual/part one/größe");
    assert.equal(routeOf(documents, "intro.md"), "/manual/");
    assert.equal(routeOf(documents, "calls.md"), null);
    assert.equal(documentAt(documents, "/manual/100%"), null);
  }
  assert.equal(documentAt(documentsOfRoutes([VERSION], "."), "/manual/api/calls"), "api/calls.md");
});

test("words are found however the page draws them", () => {
  const texts = ["Gates", "\u200b", "The ", "sea gate", "\n opens.", "Mill", "7 kW"];
  assert.deepEqual(locate(texts, "The sea gate opens."), { first: [2, 0], last: [4, 8] });
  assert.deepEqual(locate(texts, "Mill | 7 kW"), { first: [5, 0], last: [6, 4] });
  assert.equal(locate(texts, "The moon"), null);
  assert.equal(locate(texts, " "), null);
});

test("a site says where Quoth is, and which book it is", () => {
  const good = { gateway: "https://quoth.example.org/", book: "manual" };
  const options = validateOptions({ options: good });
  const { headTags } = plugin(null, options).injectHtmlTags();
  assert.equal(headTags[0].attributes.src, "https://quoth.example.org/widget.js");
  assert.throws(() => validateOptions({ options: { book: "manual" } }), /“gateway” is missing/);
  assert.throws(() => validateOptions({ options: { ...good, gateway: "javascript:1" } }), /must be an address/);
});

test("a site may say which language the conversation speaks", async () => {
  const given = async (options) => {
    let told;
    const actions = { setGlobalData: (data) => (told = data) };
    await plugin(null, options).allContentLoaded({ allContent: {}, actions });
    return told.chat;
  };
  const site = { gateway: "https://quoth.example.org", book: "manual" };
  assert.deepEqual(await given(site), { book: "manual" });
  assert.deepEqual(await given({ ...site, lang: "de" }), { book: "manual", lang: "de" });
});
