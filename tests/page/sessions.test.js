import assert from "node:assert/strict";
import { test } from "node:test";
import { exchangesOf, makeId, Sessions } from "../../services/gateway/web/conversation/sessions.js";
import { KeptValues } from "../../services/gateway/web/common/storage.js";

const KEY = "chatbot_session";
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A browser's storage that holds at most `room` characters. */
function storageOf(room = Infinity, held = new Map()) {
  return {
    held,
    removeItem: (key) => held.delete(key),
    getItem: (key) => held.get(key) ?? null,
    setItem: (key, value) => {
      const others = [...held].filter(([name]) => name !== key).map(([, kept]) => kept.length);
      if (others.reduce((sum, length) => sum + length, value.length) > room) throw new Error("full");
      held.set(key, value);
    },
  };
}

function sessionsIn(storage) {
  return new Sessions(new KeptValues(() => storage));
}

function exchange(sessions, question) {
  sessions.add({ role: "user", content: question, mode: "rag" });
  sessions.add({ role: "assistant", content: `${question}!`, mode: "rag", answer: {} });
}

test("an id and a time are made with the first message, and not before", () => {
  const storage = storageOf();
  const sessions = sessionsIn(storage);
  sessions.open("mills");
  assert.equal(sessions.current.session_id, "");
  assert.equal(storage.held.has(KEY), false);
  exchange(sessions, "How?");
  const kept = JSON.parse(storage.held.get(KEY));
  assert.match(kept.session_id, UUID);
  assert.equal(kept.created_at, kept.messages[0].timestamp);
  assert.deepEqual(kept.messages.map(({ role, content, mode }) => [role, content, mode]), [
    ["user", "How?", "rag"],
    ["assistant", "How?!", "rag"],
  ]);
});

test("the last 50 messages are kept", () => {
  const storage = storageOf();
  const sessions = sessionsIn(storage);
  sessions.open("mills");
  for (let number = 0; number < 40; number += 1) exchange(sessions, `${number}`);
  const { messages } = JSON.parse(storage.held.get(KEY));
  assert.equal(messages.length, 50);
  assert.equal(messages.at(0).content, "15");
  assert.equal(messages.at(-1).content, "39!");
});

test("a reply whose question went is not kept without it", () => {
  const sessions = sessionsIn(storageOf());
  sessions.open("mills");
  exchange(sessions, "first");
  for (let number = 0; number < 49; number += 1) sessions.add({ role: "user", content: "again", mode: "rag" });
  assert.equal(sessions.current.messages.at(0).role, "user");
  assert.equal(sessions.current.messages.length, 49);
});

test("each book has its conversations, and goes on with the newest", () => {
  const storage = storageOf();
  const sessions = sessionsIn(storage);
  sessions.open("mills");
  exchange(sessions, "How?");
  sessions.open("tides");
  exchange(sessions, "When?");
  const again = sessionsIn(storage);
  assert.equal(again.current.book, "tides");
  again.open("mills");
  assert.equal(again.current.messages[0].content, "How?");
  again.begin();
  exchange(again, "Why?");
  assert.deepEqual(
    again.list().map(({ messages }) => messages[0].content).sort(),
    ["How?", "Why?"],
  );
});

test("what is deleted is gone, the open one too", () => {
  const storage = storageOf();
  const sessions = sessionsIn(storage);
  sessions.open("mills");
  exchange(sessions, "How?");
  sessions.delete(sessions.current.session_id);
  assert.deepEqual(sessionsIn(storage).list(), []);
  assert.equal(sessions.current.book, "mills");
});

test("follow-ups bring the ten messages that were answered last", () => {
  const sessions = sessionsIn(storageOf());
  sessions.open("mills");
  for (let number = 0; number < 8; number += 1) exchange(sessions, `${number}`);
  sessions.add({ role: "user", content: "never answered", mode: "rag" });
  const history = sessions.history();
  assert.equal(history.length, 10);
  assert.deepEqual(history.at(-1), { role: "assistant", content: "7!" });
});

test("a question without a reply stands alone", () => {
  const said = [
    { role: "user", content: "a" },
    { role: "user", content: "b" },
    { role: "assistant", content: "c" },
  ];
  const told = exchangesOf({ messages: said }).map(({ asked, reply }) => [asked.content, reply?.content]);
  assert.deepEqual(told, [["a", undefined], ["b", "c"]]);
});

for (const foreign of [
  "no JSON",
  "7",
  "null",
  '"text"',
  "[]",
  "{}",
  '{"session_id":1,"book":"mills","created_at":"","messages":[]}',
  '{"session_id":"x","book":"mills","created_at":"","messages":{"length":3}}',
  '{"session_id":"x","book":"mills","created_at":"","messages":[null,7,{"role":"system","content":"a"}]}',
]) {
  test(`what another wrote is no conversation: ${foreign}`, () => {
    const held = new Map([
      [KEY, foreign],
      ["chatbot_session_others", foreign],
    ]);
    const sessions = sessionsIn(storageOf(Infinity, held));
    sessions.open("mills");
    assert.deepEqual(sessions.current.messages, []);
    exchange(sessions, "How?");
    assert.equal(sessions.isKept, true);
  });
}

test("where there is no more room the oldest conversation goes, and it is said when none is left", () => {
  const sessions = sessionsIn(storageOf(1200));
  sessions.open("mills");
  exchange(sessions, "old ".repeat(60));
  sessions.open("tides");
  exchange(sessions, "new ".repeat(60));
  assert.equal(sessions.isKept, true);
  exchange(sessions, "more ".repeat(400));
  assert.equal(sessions.isKept, false);
  assert.equal(sessions.current.messages.length, 4);
});

test("a browser that forbids to keep anything loses nothing before the page is left", () => {
  const sessions = new Sessions(
    new KeptValues(() => {
      throw new Error("forbidden");
    }),
  );
  sessions.open("mills");
  exchange(sessions, "How?");
  sessions.open("tides");
  sessions.open("mills");
  assert.equal(sessions.current.messages.length, 2);
  assert.equal(sessions.isKept, false);
});

test("ids differ", () => {
  assert.notEqual(makeId(), makeId());
});
