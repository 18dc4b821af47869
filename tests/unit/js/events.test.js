/** Frames of the native dialect, read into events. */

import assert from "node:assert/strict";
import test from "node:test";

import { isEnd, readEvent } from "../../../static/js/core/events.js";
import { Problem } from "../../../static/js/core/problem.js";

const frame = (event, data, id = "") => ({ event, data: typeof data === "string" ? data : JSON.stringify(data), id });
const isIncomplete = (error) => error instanceof Problem && error.code === "stream_incomplete";

test("each known event is read with its members", () => {
  const ids = { conversation_id: "cnv_1", message_id: "msg_2", question_id: "msg_1", request_id: "req_1", model: "m" };
  const accepted = readEvent(frame("accepted", { seq: 1, created_at: "t", ...ids }));
  assert.deepEqual(accepted, {
    name: "accepted",
    seq: 1,
    conversationId: "cnv_1",
    messageId: "msg_2",
    questionId: "msg_1",
    requestId: "req_1",
    model: "m",
  });
  assert.deepEqual(readEvent(frame("delta", { seq: 2, text: " \n" })), { name: "delta", seq: 2, text: " \n" });
  assert.equal(readEvent(frame("activity", { seq: 3, kind: "waiting", label: "Waiting" })).label, "Waiting");
  assert.equal(readEvent(frame("answer", { seq: 4, text: "a", finish_reason: "length" })).finishReason, "length");
  assert.equal(readEvent(frame("cancelled", { seq: 4, text: "a", by: "owner_gone" })).by, "owner_gone");
});

test("an error event brings the server's own sentences", () => {
  const members = { seq: 3, text: "Ha", code: "timeout", detail: "Too slow.", retryable: true, next_step: "Ask again." };
  const { name, text, problem } = readEvent(frame("error", members));
  assert.deepEqual([name, text, problem.code, problem.sentence], ["error", "Ha", "timeout", "Too slow. Ask again."]);
});

test("a text that looks like an error stays the text of a delta", () => {
  const text = '{"error":"x"} [DONE] event: error';
  assert.deepEqual(readEvent(frame("delta", { seq: 2, text })), { name: "delta", seq: 2, text });
});

test("an unknown event keeps its number, and its data is never parsed", () => {
  assert.deepEqual(readEvent(frame("later", "{not json", "7")), { name: "unknown", seq: 7, event: "later" });
  assert.deepEqual(readEvent(frame("message", "hello", "")), { name: "unknown", seq: 0, event: "message" });
  assert.equal(readEvent(frame("toString", "x", "-1")).seq, 0);
});

test("data of a known event that is no JSON object, or lacks a member, breaks the stream", () => {
  for (const data of ["", "{oops", "[]", "null", '"text"', "{}", '{"seq":2}', '{"seq":"2","text":"a"}', '{"seq":-1,"text":"a"}']) {
    assert.throws(() => readEvent(frame("delta", data)), isIncomplete, data);
  }
  assert.throws(() => readEvent(frame("error", { seq: 2, text: "" })), isIncomplete);
});

test("a snapshot never stands for an end", () => {
  const members = { seq: 9, text: "all", message_id: "m", conversation_id: "c", question_id: "q", model: "m", activity: "" };
  assert.equal(readEvent(frame("snapshot", { ...members, state: "completed" })).state, "running");
  assert.equal(readEvent(frame("snapshot", { ...members, state: "accepted" })).state, "accepted");
});

test("three events are ends", () => {
  const end = { seq: 2, text: "" };
  assert.ok(isEnd(readEvent(frame("answer", end))));
  assert.ok(isEnd(readEvent(frame("cancelled", end))));
  assert.ok(isEnd(readEvent(frame("error", { ...end, code: "internal" }))));
  assert.ok(!isEnd(readEvent(frame("delta", { seq: 2, text: "a" }))));
});

test("actions come as they are, and what is none is left out", () => {
  const action = { id: "act_1", name: "create_ticket", state: "proposed", arguments: { a: 1 } };
  assert.deepEqual(readEvent(frame("answer", { seq: 2, text: "", actions: [action, null, 5, { id: 7 }] })).actions, [action]);
  assert.deepEqual(readEvent(frame("answer", { seq: 2, text: "", actions: "none" })).actions, []);
});
