/** One answer read over lines that break, with a clock that is moved by hand. */

import assert from "node:assert/strict";
import test from "node:test";

import { Patience } from "../../../static/js/core/patience.js";
import { Problem } from "../../../static/js/core/problem.js";
import { newReading } from "../../../static/js/core/reader.js";
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
  const inner = { reading: newReading({ messageId }), follow: step("follow"), resume: step("resume"), goOn: step("goOn") };
  const hooks = { onLost: () => told.push("lost"), onBack: () => told.push("back") };
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
  assert.equal(await settle(t, reconnecting.follow([], new AbortController().signal)), null);
  assert.deepEqual(calls, ["follow", "resume", "resume", "resume"]);
  assert.deepEqual(told, ["lost", "lost", "lost", "back"]);
});

test("a line that never comes back is given up after two minutes and some thirty tries", async (t) => {
  withClock(t);
  const { reconnecting, calls } = following([lost()]);
  const error = await settle(t, reconnecting.follow([], new AbortController().signal));
  assert.equal(error.code, "connection_lost");
  assert.ok(Date.now() >= 120_000 && Date.now() < 135_000);
  assert.ok(calls.length > 15 && calls.length < 40);
});

for (const code of ["not_found", "unauthorized", "forbidden"]) {
  test(`what the server refuses for good is not tried again: ${code}`, async (t) => {
    withClock(t);
    const { reconnecting, calls } = following([lost(), new Problem({ code, status: 404 })]);
    assert.equal((await settle(t, reconnecting.follow([], new AbortController().signal))).code, code);
    assert.deepEqual(calls, ["follow", "resume"]);
  });
}

test("nothing is tried again before the answer has a name: that would have to be the question", async (t) => {
  withClock(t);
  const { reconnecting, calls } = following([lost()], { messageId: "" });
  assert.equal((await settle(t, reconnecting.follow([], new AbortController().signal))).code, "connection_lost");
  assert.deepEqual(calls, ["follow"]);
});

test("who let the line go is not brought back", async (t) => {
  withClock(t);
  const { reconnecting, calls } = following([lost()]);
  const going = new AbortController();
  const end = settle(t, reconnecting.follow([], going.signal));
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
  const end = reconnecting.follow([], new AbortController().signal);
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
  await settle(t, reconnecting.follow([], new AbortController().signal));
  const before = calls.length;
  await assert.rejects(reconnecting.resumeNow(new AbortController().signal), Problem);
  assert.equal(calls.length, before + 1);
});
