/** What may be sent as a question, and under which request id. */

import assert from "node:assert/strict";
import test from "node:test";

import { objection, RequestIds } from "../../../static/js/core/question.js";

const LIMIT = 32 * 1024;

test("a blank text is not sent", () => {
  for (const text of ["", "  ", "\n\t ", "\u00a0"]) assert.notEqual(objection(text, LIMIT), "");
  assert.equal(objection(" a ", LIMIT), "");
});

test("the limit counts bytes of UTF-8, not characters", () => {
  assert.equal(objection("x".repeat(LIMIT), LIMIT), "");
  assert.match(objection("x".repeat(LIMIT + 1), LIMIT), /too long by 1 byte;/);
  assert.equal(objection("é".repeat(LIMIT / 2), LIMIT), "");
  assert.match(objection("é".repeat(LIMIT / 2 + 1), LIMIT), /too long by 2 bytes/);
  assert.match(objection("👩".repeat(LIMIT / 4 + 1), LIMIT), /too long by 4 bytes/);
});

const ids = () => {
  let count = 0;
  return new RequestIds(() => `req_${(count += 1)}`);
};

test("equal texts are different questions", () => {
  const requests = ids();
  assert.notEqual(requests.number("ok", "m").requestId, requests.number("ok", "m").requestId);
});

test("a question of which nobody knows whether it arrived goes again under its old id", () => {
  const requests = ids();
  const first = { ...requests.number("ok", "m"), parentId: "msg_1" };
  requests.undelivered(first);
  assert.equal(requests.number("ok", "m"), first);
  assert.notEqual(requests.number("ok", "m").requestId, first.requestId);
});

test("another text or model gets an id of its own", () => {
  for (const [text, model] of [["other", "m"], ["ok", "n"]]) {
    const requests = ids();
    const first = requests.number("ok", "m");
    requests.undelivered(first);
    assert.notEqual(requests.number(text, model).requestId, first.requestId);
    assert.notEqual(requests.number("ok", "m").requestId, first.requestId);
  }
});

test("a text that stands instead of another question, or renews an answer, is a request of its own", () => {
  for (const instead of [{ edits: "msg_1" }, { renews: "msg_1" }]) {
    const requests = ids();
    const first = requests.number("ok", "m", instead);
    requests.undelivered(first);
    assert.notEqual(requests.number("ok", "m").requestId, first.requestId);
    requests.undelivered(first);
    assert.notEqual(requests.number("ok", "m", { edits: "msg_2" }).requestId, first.requestId);
    requests.undelivered(first);
    assert.equal(requests.number("ok", "m", instead), first);
  }
});
