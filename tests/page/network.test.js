// What a reader is told where nothing answers: of their own network where the browser knows that it is gone.

import assert from "node:assert/strict";
import { test } from "node:test";

import { connectTo, listBooks } from "../../services/gateway/web/common/api.js";

const answerNothing = async () => {
  throw new TypeError("Failed to fetch");
};

for (const [onLine, said] of [[true, /still running/], [false, /network/]]) {
  test(`with ${onLine ? "a" : "no"} network`, async (context) => {
    context.mock.method(globalThis, "fetch", answerNothing);
    Object.defineProperty(globalThis, "navigator", { value: { onLine }, configurable: true });
    connectTo("http://127.0.0.1:1/", "");
    await assert.rejects(listBooks(), said);
  });
}
