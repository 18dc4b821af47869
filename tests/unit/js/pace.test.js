/** Which tab streams and which one asks now and then. */

import assert from "node:assert/strict";
import test from "node:test";

import { intervalOf, Places } from "../../../static/js/core/pace.js";

const usual = { isStreaming: true, isHidden: false, place: 0 };

test("four tabs stream, the others ask now and then", () => {
  const intervals = [0, 1, 2, 3, 4, 9].map((place) => intervalOf({ ...usual, place }));
  assert.deepEqual(intervals, [null, null, null, null, 2_000, 2_000]);
});

test("a tab that nobody sees asks seldom, and one without streams about once a second", () => {
  assert.equal(intervalOf({ ...usual, isHidden: true }), 20_000);
  assert.equal(intervalOf({ isStreaming: false, isHidden: true, place: 0 }), 20_000);
  assert.equal(intervalOf({ ...usual, isStreaming: false }), 1_000);
});

test("who began last has the first place, and of two at once each tab finds the same one first", () => {
  const tabs = { a: 10, b: 30, c: 20, d: 30 };
  const places = Object.entries(tabs).map(([tab, since]) => {
    const known = new Places();
    for (const [other, theirs] of Object.entries(tabs)) if (other !== tab) known.heard(other, theirs, 0);
    return [tab, known.placeOf(tab, since, 0)];
  });
  assert.deepEqual(Object.fromEntries(places), { d: 0, b: 1, c: 2, a: 3 });
});

test("a tab that leaves, or is heard of no more, has no place", () => {
  const known = new Places();
  known.heard("b", 2, 0);
  known.heard("c", 3, 0);
  assert.equal(known.placeOf("a", 1, 0), 2);
  known.heard("c", null, 0);
  assert.equal(known.placeOf("a", 1, 12_000), 1);
  assert.equal(known.placeOf("a", 1, 12_001), 0);
});

test("a tab is new once, and again after it has left", () => {
  const known = new Places();
  assert.deepEqual([known.heard("b", 2, 0), known.heard("b", 3, 0), known.heard("b", null, 0)], [true, false, false]);
  assert.deepEqual([known.heard("c", null, 0), known.heard("b", 4, 0)], [false, true]);
});
