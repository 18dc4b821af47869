/** One answer read over any number of connections, with a source that is told what to give. */

import assert from "node:assert/strict";
import test from "node:test";

import { Problem } from "../../../static/js/core/problem.js";
import { newReading } from "../../../static/js/core/reader.js";
import { Follower } from "../../../static/js/net/follower.js";

const accepted = { name: "accepted", seq: 1, conversationId: "c", messageId: "m", questionId: "q", requestId: "r", model: "x" };
const delta = (seq, text) => ({ name: "delta", seq, text });
const answer = (seq, text) => ({ name: "answer", seq, text, finishReason: "stop", actions: [] });
const message = (members) => ({ message_id: "m", conversation_id: "c", state: "running", seq: 3, text: "ab", ...members });
const { signal } = new AbortController();

async function* stream(...events) {
  yield* events;
}

/** A source that gives these connections and messages, in order; `calls` says what was asked of it. */
function sourceOf({ connections = [], messages = [] }) {
  const calls = [];
  return {
    calls,
    events: async (messageId, after) => {
      calls.push(`events after ${after}`);
      return connections.shift() ?? null;
    },
    message: async () => {
      calls.push("message");
      return messages.length > 1 ? messages.shift() : messages[0];
    },
  };
}

function follower(source, reading = newReading()) {
  const texts = [];
  return { texts, follower: new Follower(source, reading, ({ text }) => texts.push(text)) };
}

const isIncomplete = (error) => error instanceof Problem && error.code === "stream_incomplete";

test("one whole stream needs no other call", async () => {
  const source = sourceOf({});
  const { follower: one, texts } = follower(source);
  await one.follow(stream(accepted, delta(2, "a"), delta(3, "b"), answer(4, "ab")), signal);
  assert.deepEqual([source.calls, texts, one.reading.state], [[], ["", "a", "ab", "ab"], "completed"]);
});

test("a stream that stops without an end is incomplete, and what came stays", async () => {
  const { follower: one } = follower(sourceOf({}));
  await assert.rejects(one.follow(stream(accepted, delta(2, "a")), signal), isIncomplete);
  assert.deepEqual([one.reading.text, one.reading.state], ["a", "running"]);
});

test("resuming fetches the message, then follows after its number", async () => {
  const source = sourceOf({ messages: [message({})], connections: [stream(delta(4, "c"), answer(5, "abc"))] });
  const { follower: one, texts } = follower(source, newReading({ messageId: "m", seq: 2, text: "a", state: "running" }));
  await one.resume(signal);
  assert.deepEqual(source.calls, ["message", "events after 3"]);
  assert.deepEqual(texts, ["ab", "abc", "abc"]);
});

test("nothing is followed when the message has ended meanwhile", async () => {
  const source = sourceOf({ messages: [message({ state: "completed", seq: 9, text: "all", finish_reason: "stop" })] });
  const { follower: one } = follower(source, newReading({ messageId: "m", seq: 2 }));
  await one.resume(signal);
  assert.deepEqual([source.calls, one.reading.text], [["message"], "all"]);
});

test("a hole sends it to the message, and no text is lost or doubled", async () => {
  const source = sourceOf({ messages: [message({})], connections: [stream(delta(4, "c"), answer(5, "abc"))] });
  const { follower: one } = follower(source);
  await one.follow(stream(accepted, delta(3, "b")), signal);
  assert.deepEqual([source.calls, one.reading.text, one.reading.mismatches], [["message", "events after 3"], "abc", 0]);
});

test("nothing after the last number, and no end: the message is asked", async () => {
  const ended = message({ state: "cancelled", seq: 4, text: "ab", by: "user" });
  const source = sourceOf({ messages: [ended] });
  const { follower: one } = follower(source, newReading({ messageId: "m", seq: 3, text: "ab", state: "running" }));
  await one.goOn(signal);
  assert.deepEqual([source.calls, one.reading.state], [["events after 3", "message"], "cancelled"]);
});

test("a line that never goes on is given up instead of asked for ever", async () => {
  const source = sourceOf({ messages: [message({})] });
  const { follower: one } = follower(source, newReading({ messageId: "m", seq: 3, text: "ab", state: "running" }));
  await assert.rejects(one.resume(signal), isIncomplete);
  assert.ok(source.calls.length < 10);
});

test("a stream that never says which answer it is cannot be resumed", async () => {
  const { follower: one } = follower(sourceOf({}));
  await assert.rejects(one.follow(stream(delta(2, "a")), signal), isIncomplete);
});
