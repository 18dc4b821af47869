/** What a page knows of an answer after each event: by number only, each once. */

import assert from "node:assert/strict";
import test from "node:test";

import { Problem } from "../../../static/js/core/problem.js";
import { apply, applyMessage, newReading } from "../../../static/js/core/reader.js";

const accepted = { name: "accepted", seq: 1, conversationId: "c", messageId: "m", questionId: "q", requestId: "r", model: "x" };
const delta = (seq, text) => ({ name: "delta", seq, text });
const snapshot = (seq, text) => ({
  name: "snapshot", seq, text, state: "running", messageId: "m", conversationId: "c", questionId: "q", model: "x", activity: "",
});
const answer = (seq, text, finishReason = "stop") => ({ name: "answer", seq, text, finishReason, actions: [] });

/** Applies a connection's events in order; says what became of each. */
function connect(reading, events) {
  const outcomes = [];
  for (const [index, event] of events.entries()) {
    const step = apply(reading, event, index === 0);
    reading = step.reading;
    outcomes.push(step.outcome);
    if (step.outcome === "hole") break;
  }
  return { reading, outcomes };
}

test("deltas in order are joined without a separator", () => {
  const pieces = ["  Two", " wor", "ds", ",", " then", " ", "more", "\n"];
  const { reading } = connect(newReading(), [accepted, ...pieces.map((text, index) => delta(index + 2, text))]);
  assert.equal(reading.text, "  Two words, then more\n");
  assert.deepEqual([reading.state, reading.seq, reading.messageId, reading.requestId], ["running", 9, "m", "r"]);
});

test("a replay from the start changes nothing, and its repeats are counted", () => {
  const first = connect(newReading(), [accepted, delta(2, "Al"), delta(3, "pha"), delta(4, " be")]);
  const second = connect(first.reading, [accepted, delta(2, "Al"), delta(3, "pha"), delta(4, " be"), delta(5, "ta"), answer(6, "Alpha beta")]);
  assert.equal(second.reading.text, "Alpha beta");
  assert.deepEqual([second.reading.repeats, second.reading.mismatches], [4, 0]);
});

test("a step back in the numbers is ignored", () => {
  const first = connect(newReading(), [accepted, delta(2, "Al"), delta(3, "pha"), delta(4, " be")]);
  const { reading } = connect(first.reading, [delta(4, " be"), delta(3, "pha"), delta(5, "ta"), delta(6, ".")]);
  assert.equal(reading.text, "Alpha beta.");
});

test("equal texts under new numbers are all kept", () => {
  const { reading } = connect(newReading(), [accepted, delta(2, "ha"), delta(3, "ha"), delta(4, "ha")]);
  assert.equal(reading.text, "hahaha");
});

test("a missing number is a hole, and nothing behind it is applied", () => {
  const { reading, outcomes } = connect(newReading(), [accepted, delta(2, "a"), delta(4, "c")]);
  assert.deepEqual(outcomes, ["applied", "applied", "hole"]);
  assert.equal(reading.holes, 1);
  assert.deepEqual([reading.text, reading.seq], ["a", 2]);
});

test("a snapshot that comes first replaces the text, whatever its number", () => {
  const before = newReading({ state: "running", seq: 9, text: "shown, and more than is kept" });
  for (const seq of [3, 9, 40]) {
    const { reading } = apply(before, snapshot(seq, "kept"), true);
    assert.deepEqual([reading.text, reading.seq], ["kept", seq]);
  }
});

test("a snapshot in mid-stream is applied only above the last number", () => {
  const before = newReading({ state: "running", seq: 9, text: "nine" });
  assert.equal(apply(before, snapshot(9, "old"), false).outcome, "repeat");
  assert.equal(apply(before, snapshot(20, "twenty"), false).reading.text, "twenty");
});

test("an end is applied once, whatever its number, and its text wins", () => {
  const before = newReading({ state: "running", seq: 5, text: "joined" });
  const { reading } = apply(before, answer(30, "the whole"), false);
  assert.deepEqual([reading.state, reading.text, reading.seq, reading.mismatches], ["completed", "the whole", 30, 1]);
  const again = apply(reading, answer(31, "another"), true);
  assert.deepEqual([again.outcome, again.reading.text], ["repeat", "the whole"]);
  assert.equal(apply(reading, delta(31, "late"), true).reading.text, "the whole");
});

test("an end with the joined text is no mismatch", () => {
  assert.equal(apply(newReading({ seq: 5, text: "joined" }), answer(6, "joined"), false).reading.mismatches, 0);
});

test("a cancelled end says who stopped it, a failed one why", () => {
  const cancelled = apply(newReading({ seq: 1 }), { name: "cancelled", seq: 2, text: "", by: "user" }, false).reading;
  assert.deepEqual([cancelled.state, cancelled.by], ["cancelled", "user"]);
  const problem = new Problem({ code: "timeout" });
  const failed = apply(newReading({ seq: 1 }), { name: "error", seq: 2, text: "Ha", problem }, false).reading;
  assert.deepEqual([failed.state, failed.problem, failed.text], ["failed", problem, "Ha"]);
});

test("an unknown event takes its number, one without a number takes none", () => {
  const { reading } = connect(newReading(), [accepted, { name: "unknown", seq: 2, event: "later" }, delta(3, "a"), { name: "unknown", seq: 0, event: "x" }]);
  assert.deepEqual([reading.text, reading.seq], ["a", 3]);
});

test("activity begins the answer without text, and text takes it away", () => {
  const working = connect(newReading(), [accepted, { name: "activity", seq: 2, kind: "searching", label: "Searching" }]).reading;
  assert.deepEqual([working.state, working.activity, working.text], ["running", "Searching", ""]);
  assert.equal(apply(working, delta(3, "a"), false).reading.activity, "");
});

test("the second answer begins again at 1, with a reading of its own", () => {
  connect(newReading(), [accepted, ...Array.from({ length: 30 }, (_, index) => delta(index + 2, "x "))]);
  assert.equal(connect(newReading(), [accepted, delta(2, "sho"), delta(3, "rt")]).reading.text, "short");
});

const message = (members) => ({
  message_id: "m", conversation_id: "c", question_id: "q", request_id: "r", model: "x", state: "running", seq: 12, text: "newest",
  finish_reason: null, by: null, error: null, actions: [], ...members,
});

test("a fetched message is the newest text with its number", () => {
  const reading = applyMessage(newReading({ messageId: "m", seq: 3, text: "old" }), message({}));
  assert.deepEqual([reading.text, reading.seq, reading.state], ["newest", 12, "running"]);
  assert.equal(apply(reading, delta(13, "!"), true).reading.text, "newest!");
});

test("a fetched message that has ended is applied as its end", () => {
  const error = { code: "interrupted", detail: "It stopped.", next_step: "Ask again.", retryable: true };
  const reading = applyMessage(newReading({ seq: 20, text: "more than was kept" }), message({ state: "failed", error, text: "kept" }));
  assert.deepEqual([reading.state, reading.text, reading.problem.sentence], ["failed", "kept", "It stopped. Ask again."]);
  assert.equal(applyMessage(reading, message({ text: "other" })).text, "kept");
});

test("adding to a long text costs what the piece costs", () => {
  const time = (count) => {
    const began = performance.now();
    let reading = newReading({ messageId: "m", state: "running", seq: 1 });
    for (let seq = 2; seq < count; seq += 1) reading = apply(reading, delta(seq, "five "), false).reading;
    return [performance.now() - began, reading.text.length];
  };
  time(20_000); // the engine compiles
  const least = (count) => [time(count), time(count), time(count)].sort(([one], [other]) => one - other)[0];
  const [short] = least(20_000);
  const [long, length] = least(200_000);
  assert.equal(length, 5 * 199_998);
  assert.ok(long < short * 40, `ten times the deltas took ${(long / short).toFixed(1)} times as long`);
});
