/** How an answer stands, in words. */

import assert from "node:assert/strict";
import test from "node:test";

import { Problem } from "../../../static/js/core/problem.js";
import { newReading } from "../../../static/js/core/reader.js";
import { standingOf } from "../../../static/js/core/standing.js";

const completed = (members) => standingOf(newReading({ state: "completed", text: "text", finishReason: "stop", ...members }));

test("a plain end says no more than that it is complete", () => {
  assert.deepEqual(completed({}), { state: "completed", code: "", heading: "", label: "Complete", note: "", step: "" });
});

test("every other end says so in the heading and in a note", () => {
  const ends = [
    completed({ finishReason: "length" }),
    completed({ finishReason: "content_filter" }),
    completed({ text: "" }),
    standingOf(newReading({ state: "cancelled", by: "user", text: "a" })),
    standingOf(newReading({ state: "cancelled", by: "user" })),
    standingOf(newReading({ state: "cancelled", by: "owner_gone", text: "a" })),
    standingOf(newReading({ state: "failed", problem: new Problem({ code: "timeout" }), text: "a" })),
    standingOf(newReading({ state: "failed", problem: new Problem({ code: "timeout" }) })),
    standingOf(newReading({ state: "running", text: "a" }), "stream_incomplete"),
  ];
  assert.deepEqual(
    ends.map(({ step }) => step),
    ["continue", "", "", "retry", "retry", "retry", "retry", "retry", "resume"],
  );
  for (const { heading, note, label } of ends) {
    assert.notEqual(heading, "");
    assert.match(note, /\.$/);
    assert.notEqual(label, "Complete");
  }
});

test("a failed answer shows the server's sentences and its code", () => {
  const problem = new Problem({ code: "provider_error", detail: "It broke off.", nextStep: "Ask again." });
  const { code, note } = standingOf(newReading({ state: "failed", problem, text: "Ha" }));
  assert.deepEqual([code, note], ["provider_error", "It broke off. Ask again."]);
});

test("a lost line can be resumed, and nothing else", () => {
  const lost = standingOf(newReading({ state: "running", text: "a" }), "connection_lost");
  assert.deepEqual([lost.state, lost.code, lost.step], ["disconnected", "connection_lost", "resume"]);
  assert.equal(completed({}).step, "");
});

test("an action that was not carried out is said, beside how the answer was cut", () => {
  const refused = { id: "act_1", name: "create_ticket", state: "refused" };
  assert.match(completed({ actions: [refused] }).note, /^The model asked for create_ticket.*not carried out/);
  assert.match(completed({ actions: [refused], finishReason: "length" }).note, /cut short.*create_ticket.*not carried out/);
});

test("an answer that proposes an action needs no text to be complete", () => {
  assert.equal(completed({ text: "", actions: [{ id: "act_1", name: "a", state: "proposed" }] }).heading, "");
  assert.equal(completed({ text: "", actions: [{ id: "act_1", name: "a", state: "refused" }] }).heading, "no text");
});

test("what the model does is said while it writes nothing", () => {
  assert.equal(standingOf(newReading({ state: "running", activity: "Searching" })).label, "Searching");
  assert.equal(standingOf(newReading({ state: "running" })).label, "Writing");
});
