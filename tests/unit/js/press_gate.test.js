/** When a press on the button that changes its meaning may act. */

import assert from "node:assert/strict";
import test from "node:test";

import { PressGate } from "../../../static/js/ui/send_button.js";

const press = (gate, began, clicked = began + 80) => {
  gate.began(began);
  return gate.acts(clicked);
};

test("the first press acts", () => {
  assert.ok(press(new PressGate(), 0));
});

test("a press acts only when it began 400 ms after the meaning changed", () => {
  for (const [began, acts] of [[1_000, false], [1_399, false], [1_400, true]]) {
    const gate = new PressGate();
    gate.meaningChanged(1_000);
    assert.equal(press(gate, began), acts, `${began}`);
  }
});

test("a press that began before the change does not act after it, however long it was held", () => {
  const gate = new PressGate();
  gate.began(900);
  gate.meaningChanged(1_000);
  assert.ok(!gate.acts(5_000));
});

test("a repeated key never acts", () => {
  const gate = new PressGate();
  gate.began(0);
  assert.ok(gate.acts(0));
  gate.began(500, true);
  assert.ok(!gate.acts(500));
});

test("a click without a beginning begins when it comes", () => {
  const gate = new PressGate();
  gate.meaningChanged(1_000);
  assert.ok(!gate.acts(1_100));
  assert.ok(gate.acts(1_500));
});
