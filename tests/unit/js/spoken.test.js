/** Exact text to plain words: no Markdown marks, no addresses, nothing that means something lost. */

import assert from "node:assert/strict";
import test from "node:test";

import { countWords, firstWords, joinSpoken, spokenSentence, spokenText } from "../../../static/js/core/spoken.js";
import { words } from "./support/clock.js";

const CASES = {
  "marks of emphasis are dropped": [
    ["**Bold.** and *it* and _em_ and ***both*** and ~~gone~~", "Bold. and it and em and both and gone"],
    ["这是**重点**内容", "这是重点内容"],
    ["**Begins here.", "Begins here."],
    ["and ends.**", "and ends."],
  ],
  "what only looks like a mark is kept": [
    ["2*3*4 and 5 ** 6 and snake_case_name and a 5* hotel", "2*3*4 and 5 ** 6 and snake_case_name and a 5* hotel"],
    ["C# and F#, 3 > 2, a | b, [x] done", "C# and F#, 3 > 2, a | b, [x] done"],
    [String.raw`\*not\* marked \_x`, "*not* marked _x"],
    ["<think>hm</think>", "<think>hm</think>"],
  ],
  "code spans lose their quotes only": [
    ["use `__init__` and `a*b*` or ``x`y``", "use __init__ and a*b* or xy"],
    ["an `unclosed span", "an unclosed span"],
  ],
  "addresses are not read out": [
    ["See [the docs](https://a.example/c(d) \"title\").", "See the docs."],
    ["See <https://a.example/x> or https://a.example/y.z?q=1. Or www.a.example!", "See link or link. Or link!"],
    ["[See docs.", "[See docs."],
    [" Here](https://a.example) it is", "Here it is"],
    ["[text][1]\n[1]: https://a.example\n", "text"],
    ["![A cat](cat.png) ![](x.png)", "A cat image"],
  ],
  "marks of lines are dropped, numbers are kept": [
    ["## Title ##", "Title"],
    ["- item", "item"],
    ["* [x] done", "done"],
    ["3. third", "3. third"],
    ["> quoted\n> text", "quoted text"],
    ["---\n", ""],
    ["Title\n=====\n", "Title"],
  ],
  "blanks and controls become one blank": [["  a\r\n\tb\u0000c\u00a0 d ", "a b c d"], [" \n ", ""]],
  "code and tables are named": [
    ["```js\na\n\nb\n```\n", "code, 3 lines"],
    ["\n  ~~~~\n```\n~~~~", "code, 1 lines"],
    ["```\nnever closed", "code, 1 lines"],
    ["| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |\n", "table, 2 rows"],
    ["| only a bar", "only a bar"],
  ],
};

for (const [name, pairs] of Object.entries(CASES)) {
  test(name, () => {
    for (const [text, expected] of pairs) assert.equal(spokenSentence(text, words), expected);
  });
}

test("a whole text is read in order, with a pause after what has no mark at its end", () => {
  const text = "# Title\n\nHello *there*. Code:\n```js\na\n```\n- one\n- two\n";
  assert.equal(spokenText(text, words), "Title. Hello there. Code: code, 1 lines. one. two");
});

test("parts without words are left out of a message", () => {
  assert.equal(joinSpoken(["", "A title", "", "Text."]), "A title. Text.");
});

test("no text makes the work quadratic", () => {
  for (const part of ["[", "![", "**a", " *a", "](", "https://a ", "`", "_a ", "\\", "|a\n", "> "]) {
    const cost = (count) => {
      const started = process.cpuUsage().user;
      spokenSentence(`|${part.repeat(count)}`, words);
      return process.cpuUsage().user - started;
    };
    cost(10_000);
    assert.ok(cost(80_000) < 2_000_000, `80,000 times ${JSON.stringify(part)} took over 2 s`);
  }
});

test("words are counted as a person would count them", () => {
  assert.equal(countWords(""), 0);
  assert.equal(countWords("Hello, there — e.g. 3 ... **"), 4);
  assert.equal(countWords("你好世界"), 2);
  assert.equal(countWords("日本語 text สวัสดีครับ"), countWords("日本語") + 1 + countWords("สวัสดีครับ"));
});

test("the first words keep their own blanks and marks", () => {
  assert.equal(firstWords("a,  b - c d", 3), "a,  b - c");
  assert.equal(firstWords("a b", 2), "a b");
  assert.equal(firstWords("你好世界", 1), "你好");
});
