/** The sentence cutter: whole sentences, nothing lost, whatever the pieces. Proves K4. */

import assert from "node:assert/strict";
import test from "node:test";

import { SentenceCutter } from "../../../static/js/core/sentences.js";
import { seeded } from "./support/clock.js";

const SAMPLES = [
  "One sentence. Another one! A third? The rest",
  "Use, e.g. this one. Mr. Bell met J. K. Lane in the U.S. last year. Done.",
  "Steps:\n1. First thing\n2. Second thing. With more.\n\n3) Third",
  "# Title\n\nA paragraph that\nis wrapped. It ends here\n- an item\n- another one\n> quoted. Yes.\n\nEnd.",
  "Code:\n```js\nlet a = 1. b;\n\n// x. y\n```\nAfter. ~~~~\n~~~\ninner\n~~~\nend",
  "Inline ```fence``` here. Then\n```\nnever closed. x\n\ny",
  "| a | b |\n|---|---|\n| 1. x | 2 |\n\nAfter it. | no table\nDone",
  "你好。再见！”他说：“好吗？”是。\n第二段。",
  "Emoji end. 👩‍👩‍👧‍👦 family 🏳️‍🌈. 🇫🇷🇧🇪 flags! 👍🏽 e\u0301\u0302. \u0301x 。👍🏽。\ufe0f好",
  "Ends.\r\nNext line.\r\n\r\nLone\rreturn. x",
  "« Oui.\u00a0» Il part. Ça va\u202f? Oui.",
  "Wait... what?! \"Quoted.\" (In brackets.) *Marked.* **Bold!** Tail",
  "\ud83d alone. \ude00 alone. \u0000\u001b. end",
  "سلام. كيف؟ نعم۔ x",
  "",
  "   \n\n  \n",
];

function cut(text, pieces) {
  const cutter = new SentenceCutter();
  const sentences = pieces.flatMap((piece) => cutter.feed(piece));
  return [...sentences, ...cutter.end()];
}

const whole = (text) => cut(text, [text]);

function randomPieces(text, random, longest) {
  const pieces = [];
  for (let start = 0; start < text.length; ) {
    const length = 1 + Math.floor(random() * longest);
    pieces.push(text.slice(start, start + length));
    start += length;
  }
  return pieces;
}

function mixed(random, length) {
  const parts = [". ", "! ", "。", "\n", "\n\n", "```", "\n```\n", "|", "\n|-|\n", "- ", "1. ", "# ", "> ", "a", "Word ", "e.g. ", "\r\n", " ", "\u0301", "👩‍👧", "🇫🇷", "”", "*", "\ud83d", "x".repeat(300)];
  return Array.from({ length }, () => parts[Math.floor(random() * parts.length)]).join("");
}

const trimmed = (sentences) => sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence !== "");

test("the joined sentences are the text", () => {
  for (const text of SAMPLES) assert.equal(whole(text).join(""), text);
});

test("the sentences do not depend on how the text was cut", () => {
  const random = seeded(1);
  const texts = [...SAMPLES, ...Array.from({ length: 150 }, () => mixed(random, 60))];
  for (const text of texts) {
    const expected = whole(text);
    assert.equal(expected.join(""), text);
    assert.deepEqual(cut(text, [...Array(text.length).keys()].map((index) => text[index])), expected);
    assert.deepEqual(cut(text, randomPieces(text, random, 40)), expected);
  }
});

test("no character as people see it is torn, and no pair", () => {
  const random = seeded(2);
  const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const texts = [...SAMPLES, ...Array.from({ length: 150 }, () => mixed(random, 60)), "👩‍👩‍👧‍👦".repeat(500), "e\u0301".repeat(1500), "🇫🇷".repeat(900)];
  for (const text of texts) {
    const boundaries = new Set([...graphemes.segment(text)].map(({ index }) => index));
    let place = 0;
    for (const sentence of whole(text)) {
      assert.ok(boundaries.has(place), `torn before ${JSON.stringify(text.slice(place, place + 8))}`);
      place += sentence.length;
    }
  }
});

test("a sentence is given out as soon as the blank after it has come", () => {
  const cutter = new SentenceCutter();
  assert.deepEqual(cutter.feed("First."), []);
  assert.deepEqual(cutter.feed(" "), ["First."]);
  assert.deepEqual(cutter.feed("Second one"), []);
  assert.deepEqual(cutter.end(), [" Second one"]);
});

test("abbreviations and initials end no sentence", () => {
  assert.deepEqual(trimmed(whole(SAMPLES[1])), ["Use, e.g. this one.", "Mr. Bell met J. K. Lane in the U.S. last year.", "Done."]);
});

test("numbers, addresses and versions are not torn", () => {
  const text = "Pi is 3.14 today. See www.example.org/a.b now. Version 2.0.1 is out.";
  assert.deepEqual(trimmed(whole(text)), ["Pi is 3.14 today.", "See www.example.org/a.b now.", "Version 2.0.1 is out."]);
});

test("what closes a sentence stays with it", () => {
  const text = "\"Yes.\" (No.) *Marked.* **Bold!** « Oui.\u00a0» Fin";
  assert.deepEqual(trimmed(whole(text)), ["\"Yes.\"", "(No.)", "*Marked.*", "**Bold!**", "« Oui.\u00a0»", "Fin"]);
});

test("headings, items and paragraphs count as sentences; a wrapped line does not", () => {
  const text = "# Title\nWrapped\nline. Next\n\n- one\n- two\n1. three\nRest";
  assert.deepEqual(trimmed(whole(text)), ["# Title", "Wrapped\nline.", "Next", "- one", "- two", "1. three", "Rest"]);
});

test("a code block and a table are one piece each", () => {
  const code = "```js\nlet a = 1. b;\n\n// x. y\n```\n";
  const table = "| a | b |\n|---|---|\n| 1. x | 2 |\n";
  assert.deepEqual(whole(`Code:\n${code}After.\n${table}End.`), ["Code:\n", code, "After.", "\n", table, "End."]);
});

test("a block that never closes is kept whole", () => {
  assert.deepEqual(whole("```\nnever. closed\n\nx. y"), ["```\nnever. closed\n\nx. y"]);
});

test("ideographic text is cut without blanks", () => {
  assert.deepEqual(whole("你好。再见！”好"), ["你好。", "再见！”", "好"]);
});

test("a text without an end is cut at a blank, so that it does not wait for ever", () => {
  const sentences = whole("word ".repeat(2_000));
  assert.ok(sentences.length >= 10);
  for (const sentence of sentences) assert.match(sentence, /^ ?(?:word ?)+$/);
});

test("the work is linear, however small the pieces", () => {
  const cost = (length, text) => {
    const pieces = Array(length).fill(text);
    const round = () => {
      const started = process.cpuUsage().user;
      cut(text, pieces);
      return process.cpuUsage().user - started;
    };
    return Math.min(...Array.from({ length: 5 }, round)); // what else the machine does only ever adds
  };
  for (const text of ["Some words. ", "word ", "x", "| x ", "```", "\n", "👩‍👧", "\u0301"]) {
    cost(20_000, text);
    // The engine's own work, which comes when it likes, is let pass: quadratic work would cost seconds.
    const [long, short] = [cost(80_000, text), cost(20_000, text)];
    assert.ok(long < 12 * short + 200_000, `four times the text took ${long} µs, not ${short}: ${JSON.stringify(text)}`);
  }
});
