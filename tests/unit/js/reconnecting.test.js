/** One answer read over lines that break, with a clock that is moved by hand. */

import assert from "node:assert/strict";
import test from "node:test";

import { Patience } from "../../../static/js/core/patience.js";
import { Problem } from "../../../static/js/core/problem.js";
import { newReading } from "../../../static/js/core/reader.js";
import { Follower } from "../../../static/js/net/follower.js";
import { ReconnectingFollower } from "../../../static/js/net/reconnecting.js";

const lost = () => new Problem({ code: "connection_lost" });

/** A follower whose every call takes the next of `outcomes`: a problem to throw, or null for the end of the answer. */
function following(outcomes, { messageId = "m" } = {}) {
  const told = [];
  const calls = [];
  const step = (name) => async () => {
    calls.push(name);
    const outcome = outcomes.length > 1 ? outcomes.shift() : outcomes[0];
    if (outcome) throw outcome;
    reconnecting.progressed();
  };
  const reading = newReading({ messageId, state: "completed" });
  const inner = { reading, begin: step("follow"), resume: step("resume"), goOn: step("goOn"), poll: step("poll") };
  const hooks = { onLost: () => told.push("lost"), onBack: () => told.push("back"), onFollowing: () => {} };
  const reconnecting = new ReconnectingFollower(inner, hooks);
  return { reconnecting, told, calls };
}

/** Moves the clock on until `promise` is settled; the ms that took. */
async function settle(t, promise) {
  let isSettled = false;
  const outcome = promise.then(() => null, (error) => error).finally(() => (isSettled = true));
  for (let passed = 0; !isSettled && passed < 600_000; passed += 50) {
    for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
    t.mock.timers.tick(50);
  }
  return outcome;
}

/** Timers and `performance.now` of one clock. */
function withClock(t) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 0 });
  t.mock.method(performance, "now", () => Date.now());
}

test("waits grow, stay within bounds, and differ between readers", () => {
  for (const random of [() => 0, () => 0.5, () => 1]) {
    const patience = new Patience(0, random);
    const waits = Array.from({ length: 10 }, () => patience.next(0));
    assert.ok(waits.every((wait, place) => place === 0 || wait >= waits[place - 1]));
    assert.ok(waits[0] <= 500 && waits.at(-1) >= 4000 && waits.at(-1) <= 8000);
  }
  assert.notEqual(new Patience(0, () => 0).next(0), new Patience(0, () => 1).next(0));
});

test("patience ends two minutes after the last thing that came", () => {
  const patience = new Patience(0, () => 1);
  assert.notEqual(patience.next(119_999), null);
  assert.equal(patience.next(120_000), null);
  patience.renew(120_000);
  assert.notEqual(patience.next(239_999), null);
});

test("a server that asks for time is given it, and given up where it asks for too much", () => {
  const patience = new Patience(0, () => 1);
  assert.equal(patience.next(0, 60_000), 60_000);
  assert.equal(patience.next(0, 100), 500);
  assert.equal(patience.next(0, 3_600_000), null);
});

test("a lost line is taken up again by resuming, and the loss and its end are told once", async (t) => {
  withClock(t);
  const { reconnecting, told, calls } = following([lost(), lost(), lost(), null]);
  assert.equal(await settle(t, reconnecting.follow(async () => [], new AbortController().signal)), null);
  assert.deepEqual(calls, ["follow", "resume", "resume", "resume"]);
  assert.deepEqual(told, ["lost", "lost", "lost", "back"]);
});

test("a line that never comes back is given up after two minutes and some thirty tries", async (t) => {
  withClock(t);
  const { reconnecting, calls } = following([lost()]);
  const error = await settle(t, reconnecting.follow(async () => [], new AbortController().signal));
  assert.equal(error.code, "connection_lost");
  assert.ok(Date.now() >= 120_000 && Date.now() < 135_000);
  assert.ok(calls.length > 15 && calls.length < 40);
});

for (const code of ["not_found", "unauthorized", "forbidden"]) {
  test(`what the server refuses for good is not tried again: ${code}`, async (t) => {
    withClock(t);
    const { reconnecting, calls } = following([lost(), new Problem({ code, status: 404 })]);
    assert.equal((await settle(t, reconnecting.follow(async () => [], new AbortController().signal))).code, code);
    assert.deepEqual(calls, ["follow", "resume"]);
  });
}

test("nothing is tried again before the answer has a name: that would have to be the question", async (t) => {
  withClock(t);
  const { reconnecting, calls } = following([lost()], { messageId: "" });
  assert.equal((await settle(t, reconnecting.follow(async () => [], new AbortController().signal))).code, "connection_lost");
  assert.deepEqual(calls, ["follow"]);
});

test("who let the line go is not brought back", async (t) => {
  withClock(t);
  const { reconnecting, calls } = following([lost()]);
  const going = new AbortController();
  const end = settle(t, reconnecting.follow(async () => [], going.signal));
  setTimeout(() => going.abort(), 1000);
  assert.equal((await end).name, "AbortError");
  const before = calls.length;
  t.mock.timers.tick(120_000);
  assert.equal(calls.length, before);
});

test("a wait ends at once when the network is back", async (t) => {
  withClock(t);
  const outcomes = [lost(), lost(), lost(), lost(), lost(), lost(), null];
  const { reconnecting } = following(outcomes);
  const end = reconnecting.follow(async () => [], new AbortController().signal);
  for (let turn = 0; turn < 200; turn += 1) {
    await Promise.resolve();
    reconnecting.tryNow();
  }
  await end;
  assert.equal(Date.now(), 0);
});

test("a resume that somebody asked for is told at once when it fails", async (t) => {
  withClock(t);
  const { reconnecting, calls } = following([lost()]);
  await settle(t, reconnecting.follow(async () => [], new AbortController().signal));
  const before = calls.length;
  await assert.rejects(reconnecting.resumeNow(new AbortController().signal), Problem);
  assert.equal(calls.length, before + 1);
});

/** A real follower of an answer whose every line is held open until it is let go; `asked` says what it asked for. */
function held({ interval = null } = {}) {
  const asked = [];
  const hold = (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const stream = async function* (first, signal) {
    if (first) yield first;
    signal.throwIfAborted();
    await hold(signal);
  };
  const message = { message_id: "m", conversation_id: "c", state: "running", seq: 1, text: "" };
  const source = {
    events: async (_id, after, signal) => (asked.push(`events after ${after}`), stream(null, signal)),
    message: async () => (asked.push("message"), message),
  };
  const inner = new Follower(source, newReading(), () => reconnecting.progressed());
  const told = [];
  const hooks = { onLost: () => told.push("lost"), onBack: () => told.push("back"), onFollowing: (is) => told.push(is) };
  const reconnecting = new ReconnectingFollower(inner, hooks, interval);
  const accepted = { name: "accepted", seq: 1, conversationId: "c", messageId: "m", questionId: "q", requestId: "r", model: "" };
  const ask = async (signal) => (asked.push("ask"), interval === null ? stream(accepted, signal) : message);
  return { reconnecting, asked, told, ask, message };
}

const settled = async () => {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
};

test("another pace lets the line go without a loss, and back again follows after the last number", async (t) => {
  withClock(t);
  const { reconnecting, asked, told, ask } = held();
  const going = new AbortController();
  const end = reconnecting.follow(ask, going.signal);
  await settled();
  reconnecting.interval = 2_000;
  await settled();
  assert.deepEqual(asked, ["ask", "message"]);
  t.mock.timers.tick(2_000);
  await settled();
  reconnecting.interval = null;
  await settled();
  assert.deepEqual(asked, ["ask", "message", "message", "message", "events after 1"]);
  going.abort();
  await assert.rejects(end, { name: "AbortError" });
  assert.deepEqual(told, [true, false]);
});

test("a line that asks is not let go before the answer has a name", async (t) => {
  withClock(t);
  const { reconnecting, asked, ask } = held();
  let open = () => {};
  const going = new AbortController();
  const end = reconnecting.follow(async (signal) => (await new Promise((resolve) => (open = resolve)), ask(signal)), going.signal);
  await settled();
  reconnecting.interval = 2_000;
  await settled();
  assert.deepEqual(asked, []);
  open();
  await settled();
  assert.deepEqual(asked, ["ask", "message"]);
  going.abort();
  await assert.rejects(end, { name: "AbortError" });
});

test("without streams the answer that a question brings is asked for again until it has ended", async (t) => {
  withClock(t);
  const { reconnecting, asked, told, ask, message } = held({ interval: 1_000 });
  const end = reconnecting.follow(ask, new AbortController().signal);
  await settled();
  Object.assign(message, { state: "completed", text: "whole" });
  t.mock.timers.tick(1_000);
  await end;
  assert.deepEqual(asked, ["ask", "message", "message"]);
  assert.deepEqual([reconnecting.reading.text, told], ["whole", [true, false]]);
});
