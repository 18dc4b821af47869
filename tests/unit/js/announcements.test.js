/** What is said while an answer grows and when it ends, on a clock without time. Proves B49, B50, B55, B56, T7, C90, C93, C94, C96 and C98. */

import assert from "node:assert/strict";
import test from "node:test";

import { spokenText } from "../../../static/js/core/spoken.js";
import { answer, messages, play, seeded, texts, words } from "./support/clock.js";

const sentence = (number, length = 8) => `Number ${number} ${"word ".repeat(length - 3)}end.`;
const story = (sentences, length) => Array.from({ length: sentences }, (_, index) => sentence(index, length)).join(" ");
const wordsOf = (text) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
const ends = (state, note = "") => ({ end: { state, note } });
const at = (time, tell) => [[time, tell]];
const focus = (time) => [time, (planner, now) => planner.focusMoved(now)];

test("a short answer is its start, its text and its end", () => {
  const written = play(answer({ text: "forty two", deltas: 1, duration: 3_200 }));
  assert.deepEqual(messages(written), [
    { time: 0, region: "status", text: "Generating" },
    { time: 3_200, region: "status", text: "forty two" },
    { time: 3_701, region: "status", text: "Complete, 2" },
  ]);
});

test("progress is whole sentences in order, none twice and none skipped, up to 40 words", () => {
  const text = story(40);
  const said = texts(play(answer({ text, deltas: 100, duration: 21_000 }))).slice(1, -1);
  assert.equal(said.length, 5);
  assert.ok(text.startsWith(said.join(" ")));
  for (const message of said) assert.equal(wordsOf(message), 40);
});

test("a sentence of more than 40 words goes alone", () => {
  const text = `${sentence(1)} ${sentence(2, 60)} ${sentence(3)} ${"tail ".repeat(10)}`;
  const early = at(100, (planner, now) => planner.answerText("a", text, now));
  const said = texts(play([...answer({ text, deltas: 0, duration: 30_000 }), ...early]));
  assert.deepEqual(said.slice(1, 4), [sentence(1), sentence(2, 60), sentence(3)]);
});

test("what the end finds unsaid is one message of up to 40 words", () => {
  const said = texts(play(answer({ text: story(30), deltas: 5, duration: 2_000 })));
  assert.deepEqual(said, ["Generating", story(5), "Complete, 240"]);
});

test("a first unsaid sentence that is longer is cut at 40 words, and marked as cut", () => {
  const said = texts(play(answer({ text: sentence(0, 90), deltas: 5, duration: 2_000 })));
  assert.equal(wordsOf(said[1]), 40);
  assert.match(said[1], /word…$/);
});

test("quiet says the start and the end only", () => {
  const happenings = [...answer({ text: story(40), deltas: 100, duration: 60_000 }), ...at(20_000, (p) => p.answerActivity("a", "Searching"))];
  assert.deepEqual(texts(play(happenings, { verbosity: "quiet" })), ["Generating", "Complete, 320"]);
});

test("full says the whole text once, at the end", () => {
  const text = `# Title\n\n${story(40)}\n\n\`\`\`\nx\n\`\`\`\n`;
  const said = texts(play(answer({ text, deltas: 100, duration: 9_000 }), { verbosity: "full" }));
  assert.deepEqual(said, ["Generating", spokenText(text, words), "Complete, 322"]);
});

test("code and tables are named, not read", () => {
  const text = "Code:\n```\nlet x = 1;\nlet y = 2;\n```\n| a |\n|---|\n| b |\n\nDone.";
  assert.deepEqual(texts(play(answer({ text, deltas: 50, duration: 4_000 })))[1], "Code: code, 2 lines. table, 1 rows. Done.");
});

test("silence is told after 10 s, then every 15 s, and not in the time between", () => {
  const happenings = answer({ text: "x.", deltas: 0, duration: 41_000 });
  const times = messages(play(happenings)).filter(({ text }) => text.startsWith("Still")).map(({ time }) => time);
  assert.deepEqual(times, [10_000, 25_000, 40_000]);
});

test("silence is told no more often than the interval", () => {
  const happenings = answer({ text: "x.", deltas: 0, duration: 95_000 });
  const times = messages(play(happenings, { interval: 30 })).filter(({ text }) => text.startsWith("Still")).map(({ time }) => time);
  assert.equal(times.length, 3);
  assert.ok(times[0] >= 30_000 && times[1] - times[0] >= 30_000);
});

test("a sign of work without text is told once, in place of a note on the silence", () => {
  const work = (time) => [time, (planner) => planner.answerActivity("a", "Searching")];
  const written = messages(play([...answer({ text: "x.", deltas: 0, duration: 19_000 }), work(1_000), work(9_000)]));
  assert.deepEqual(written.map(({ text }) => text), ["Generating", "Searching", "x.", "Complete, 1"]);
  assert.ok(written[1].time >= 5_000);
});

test("a stopped answer says so once and reads no more", () => {
  const said = texts(play(answer({ text: story(4), duration: 2_000, ...ends("cancelled", "You stopped it.") })));
  assert.deepEqual(said, ["Generating", "You stopped it. Kept, 32"]);
});

test("an answer that was stopped before its first word has nothing to count", () => {
  const said = texts(play(answer({ text: "", duration: 2_000, ...ends("cancelled", "You stopped it.") })));
  assert.deepEqual(said, ["Generating", "You stopped it."]);
});

test("an answer that was cut short says so, after what was unsaid", () => {
  const said = texts(play(answer({ text: story(2), duration: 2_000, ...ends("completed", "Cut short.") })));
  assert.deepEqual(said, ["Generating", story(2), "Cut short. Kept, 16"]);
});

test("a failed answer is an alert, once, and never in the status", () => {
  const written = messages(play(answer({ text: story(4), duration: 2_000, ...ends("failed", "It failed.") })));
  assert.deepEqual(written.map(({ region, text }) => [region, text]), [["status", "Generating"], ["alert", "It failed."]]);
  assert.ok(written[1].time - 2_000 < 10);
});

test("an end is told once, whatever comes after it", () => {
  const happenings = [...answer({ text: "x.", duration: 1_000 })];
  happenings.push([1_200, (planner, now) => planner.answerEnded("a", { state: "failed", note: "It failed.", text: "x." }, now)]);
  happenings.push([1_300, (planner, now) => planner.answerStarted("a", now)], [1_400, (planner, now) => planner.answerText("a", "x. y", now)]);
  assert.deepEqual(texts(play(happenings)), ["Generating", "x.", "Complete, 1"]);
});

test("an alert empties the queue and leaves the space of two messages", () => {
  const happenings = at(0, (planner, now) => ["one", "two", "three"].forEach((text) => planner.say(text, now)));
  happenings.push([100, (planner) => planner.warn("Not sent.")]);
  const written = messages(play(happenings));
  assert.deepEqual(written.map(({ region, text }) => [region, text]), [["status", "one"], ["alert", "Not sent."]]);
  assert.ok(written[1].time - written[0].time >= 500);
});

test("two alerts are said one after the other, and the same one is not doubled while it waits", () => {
  const happenings = at(0, (planner) => ["Not sent.", "Lost.", "Lost."].forEach((text) => planner.warn(text)));
  assert.deepEqual(texts(play(happenings)), ["Not sent.", "Lost."]);
});

test("an alert about something else does not stop the progress of an answer", () => {
  const happenings = [...answer({ text: story(10), deltas: 20, duration: 12_000 }), [3_000, (planner) => planner.warn("Not sent.")]];
  const said = texts(play(happenings));
  assert.equal(said[1], "Not sent.");
  assert.equal(said.slice(2, -1).join(" "), story(10));
});

test("messages are at least 500 ms apart, over both regions, and no region is emptied under a message", () => {
  const happenings = at(0, (planner, now) => ["a", "b", "c"].forEach((text) => planner.say(text, now)));
  happenings.push([1_600, (planner) => planner.warn("d")]);
  const written = play(happenings);
  assert.deepEqual(texts(written), ["a", "b", "c", "d"]);
  messages(written).reduce((before, after) => (assert.ok(after.time - before.time >= 500), after));
  assert.deepEqual(written.filter(({ text }) => text === ""), [
    { time: 4_002, region: "status", text: "" },
    { time: 4_600, region: "alert", text: "" },
  ]);
});

test("a repeated text is made to differ, also when the region was emptied in between", () => {
  const happenings = [0, 10_000, 20_000].flatMap((time) => at(time, (planner, now) => planner.say("Copied", now)));
  assert.deepEqual(texts(play(happenings)), ["Copied", "Copied\u00a0", "Copied"]);
});

test("nothing is said within 250 ms of a focus change, and that delays 1 s at most", () => {
  const once = messages(play([...at(1_000, (planner, now) => planner.say("Copied", now)), focus(900)]));
  assert.deepEqual(once.map(({ time }) => time), [1_150]);
  const moving = Array.from({ length: 40 }, (_, index) => focus(900 + index * 100));
  const held = messages(play([...at(1_000, (planner) => planner.warn("Not sent.")), ...moving]));
  assert.deepEqual(held.map(({ time }) => time), [2_000]);
});

test("an old focus change does not shorten the wait of a later message", () => {
  const happenings = [focus(0), ...at(100, (planner, now) => planner.say("a", now)), focus(5_000), ...at(5_100, (planner, now) => planner.say("b", now))];
  assert.deepEqual(messages(play(happenings)).map(({ time }) => time), [250, 5_250]);
});

test("the end note comes within 1 s even behind other messages: what waits shares a turn", () => {
  const copied = at(2_900, (planner, now) => ["Copied", "Renamed"].forEach((text) => planner.say(text, now)));
  const written = messages(play([...answer({ text: "x.", duration: 3_000 }), ...copied]));
  assert.deepEqual(written.map(({ text }) => text), ["Generating", "Copied", "Renamed. x.", "Complete, 1"]);
  assert.ok(written[3].time - 3_000 <= 1_000);
});

test("an answer that ends at once still has its start, its text and its end", () => {
  for (const duration of [0.5, 20]) {
    const written = messages(play(answer({ text: "forty two", deltas: 1, duration })));
    assert.deepEqual(written.map(({ text }) => text), ["Generating", "forty two", "Complete, 2"]);
    assert.ok(written[2].time <= 1_002);
  }
});

test("a second answer's start does not swallow the first one's end note", () => {
  const first = answer({ text: "one.", deltas: 1, duration: 4_000 });
  const second = answer({ id: "b", text: "two.", deltas: 1, start: 4_050, duration: 4_000 });
  assert.deepEqual(texts(play([...first, ...second])), ["Generating", "one.", "Complete, 1", "Generating", "two.", "Complete, 1"]);
});

test("what stood there when an answer was joined is not read, nor the sentence that it broke off in", () => {
  const happenings = [[0, (planner, now) => planner.answerJoined("a", "Alpha one. Beta t", now)]];
  happenings.push([500, (planner, now) => planner.answerText("a", "Alpha one. Beta two. Gamma three. Del", now)]);
  const end = { state: "completed", note: "", text: "Alpha one. Beta two. Gamma three. Delta four." };
  happenings.push([7_000, (planner, now) => planner.answerEnded("a", end, now)]);
  assert.deepEqual(texts(play(happenings)), ["Generating", "Gamma three.", "Delta four.", "Complete, 8"]);
});

test("a text that was healed goes on where reading had come to", () => {
  const happenings = [[0, (planner, now) => planner.answerStarted("a", now)]];
  happenings.push([100, (planner, now) => planner.answerText("a", "Alpha one. Beta tw", now)]);
  happenings.push([6_000, (planner, now) => planner.answerText("a", "Alpha one. Beta two. Gamma three. ", now)]);
  happenings.push([14_000, (planner, now) => planner.answerEnded("a", { state: "completed", note: "", text: "Alpha 1ne. Beta two. Gamma three. Delta." }, now)]);
  assert.deepEqual(texts(play(happenings)), ["Generating", "Alpha one.", "Beta two. Gamma three.", "Delta.", "Complete, 7"]);
});

test("a disconnected answer is an alert, stays silent, and goes on when it is heard again", () => {
  const happenings = [[0, (planner, now) => planner.answerStarted("a", now)]];
  happenings.push([100, (planner, now) => planner.answerText("a", "One. Two", now)]);
  happenings.push([1_000, (planner, now) => planner.answerEnded("a", { state: "disconnected", note: "Lost.", text: "One. Two" }, now)]);
  happenings.push([60_000, (planner, now) => planner.answerText("a", "One. Two. Three. ", now)]);
  happenings.push([61_000, (planner, now) => planner.answerEnded("a", { state: "completed", note: "", text: "One. Two. Three. " }, now)]);
  assert.deepEqual(texts(play(happenings)), ["Generating", "Lost.", "One. Two. Three.", "Complete, 3"]);
});

const line = (...times) => times.map((time, index) => [time, (planner, now) => (index % 2 ? planner.connectionBack(now) : planner.connectionLost(now))]);

test("a loss of the line is told when it lasts over 2 s, and so is its end", () => {
  assert.deepEqual(texts(play(line(0, 1_900, 5_000, 6_000))), []);
  const written = messages(play(line(0, 4_000)));
  assert.deepEqual(written.map(({ time, text }) => [time, text]), [[2_000, "Line lost"], [4_000, "Line back"]]);
});

test("losses are told once in 15 s", () => {
  const written = messages(play(line(0, 3_000, 4_000, 8_000, 9_000, 30_000)));
  assert.deepEqual(written.map(({ time, text }) => [time, text]), [
    [2_000, "Line lost"],
    [3_000, "Line back"],
    [17_000, "Line lost"],
    [30_000, "Line back"],
  ]);
});

test("a loss that ends before it was said is not told at all", () => {
  const happenings = [...at(1_990, (planner, now) => planner.say("Copied", now)), ...line(0, 2_300)];
  assert.deepEqual(texts(play(happenings)), ["Copied"]);
});

test("while the line is lost nothing claims that the model still works", () => {
  const happenings = [...answer({ text: "x.", deltas: 0, duration: 40_000 }), ...line(3_000, 20_000)];
  const still = messages(play(happenings)).filter(({ text }) => text.startsWith("Still"));
  assert.deepEqual(still.map(({ time }) => time), [30_000]);
});

test("the planner asks for nothing when there is nothing to say", () => {
  assert.deepEqual(play([]), []);
  assert.deepEqual(play([...at(0, () => {}), focus(10)]), []);
});

// From here on: many answers, each held to every rule.

const interval = (options) => (options.interval ?? 5) * 1_000;

function check({ written, text, start, duration, options }) {
  const said = messages(written);
  const middle = said.slice(1, -1);
  assert.equal(said[0].text, "Generating");
  assert.equal(said.at(-1).text, `Complete, ${wordsOf(text)}`);
  assert.ok(said.length <= 2 + Math.floor(duration / interval(options)) + 1, `${said.length} messages in ${duration} ms`);
  // Two spaces of 501 ms, and the timers of `play` may come late.
  assert.ok(said.at(-1).time <= start + duration + 1_030, "the end note is late");
  said.reduce((before, after) => (assert.ok(after.time - before.time >= 500), after));
  middle
    .filter(({ time }) => time < start + duration)
    .reduce((before, after) => (assert.ok(after.time - before.time >= interval(options)), after), { time: said[0].time });
  checkText(middle.map((message) => message.text), text);
}

/** Whole sentences from the beginning, none twice, none skipped; the end leaves unsaid only what 40 words could not hold. */
function checkText(middle, text) {
  const sentences = text.split(/(?<=\.) /);
  const read = middle.join(" ");
  const count = read === "" ? 0 : read.split(/(?<=\.) /).length;
  assert.equal(read, sentences.slice(0, count).join(" "));
  for (const message of middle) assert.ok(wordsOf(message) <= 40);
  if (count < sentences.length) assert.ok(wordsOf(middle.at(-1)) + wordsOf(sentences[count]) > 40, "text was left unsaid");
}

test("every rule holds for any duration, interval, pace and number of deltas", () => {
  const random = seeded(3);
  for (let round = 0; round < 600; round += 1) {
    const duration = 1_100 + Math.floor(random() * 60_000);
    const deltas = 10 + Math.floor(random() * 490);
    const options = { interval: 3 + Math.floor(random() * 28), late: () => Math.floor(random() * 12) };
    const text = story(1 + Math.floor(random() * 50), 4 + Math.floor(random() * 30));
    const start = Math.floor(random() * 10_000);
    const written = play(answer({ text, deltas, start, duration }), options);
        check({ written, text, start, duration, options });
  }
});

test("10 and 500 deltas of the same text are told with the same bound", () => {
  const text = story(60);
  for (const duration of [1_200, 4_900, 12_000, 33_000]) {
    for (const deltas of [10, 500]) {
      const written = play(answer({ text, deltas, duration }));
      check({ written, text, start: 0, duration, options: {} });
    }
  }
});

test("the bound, the space and the last word hold while the focus moves about", () => {
  const random = seeded(4);
  for (let round = 0; round < 200; round += 1) {
    const duration = 1_100 + Math.floor(random() * 20_000);
    const text = story(1 + Math.floor(random() * 30));
    const moves = Array.from({ length: 30 }, () => focus(Math.floor(random() * (duration + 2_000))));
    const said = messages(play([...answer({ text, deltas: 50, duration }), ...moves]));
    assert.ok(said.length <= 3 + Math.floor(duration / 5_000));
    assert.ok(said[0].text.startsWith("Generating") && said[0].time <= 1_000);
    assert.ok(said.at(-1).text.endsWith(`Complete, ${wordsOf(text)}`) && said.at(-1).time <= duration + 1_050, `${said.at(-1).time - duration}`);
    said.reduce((before, after) => (assert.ok(after.time - before.time >= 500), after));
    const read = said.map((message) => message.text.replace(/^Generating ?\.? ?|\.? ?Complete, \d+$/g, "")).filter((part) => part !== "");
    checkText(read.map((part) => (part.endsWith(".") ? part : `${part}.`)), text);
  }
});

test("nothing is written more often because the text comes in more pieces", () => {
  const counts = [10, 100, 500].map((deltas) => play(answer({ text: story(60), deltas, duration: 20_500 })).length);
  assert.deepEqual(new Set(counts).size, 1);
});

test("a delta costs no more when the answer is long", () => {
  const cost = (length) => {
    let text = "A sentence of six short words. ".repeat(length / 31);
    const happenings = [[0, (planner, now) => planner.answerJoined("a", text, now)]];
    for (let time = 1; time <= 20_000; time += 1) happenings.push([time, (planner, now) => planner.answerText("a", (text += "x. "), now)]);
    happenings.push([20_001, (planner, now) => planner.answerEnded("a", { state: "cancelled", note: "Stopped.", text }, now)]);
    const round = () => {
      const started = process.cpuUsage().user;
      play(happenings);
      return process.cpuUsage().user - started;
    };
    return Math.min(round(), round(), round()); // what else the machine does only ever adds
  };
  cost(4_096);
  assert.ok(cost(1_048_576) < 4 * cost(4_096), "1 MiB costs more per delta than 4 KiB");
});
