/** @file Measures the page's decoder and prints what it found as JSON: `sse_measures.js growth LENGTH LINE | limit`. */

import { FrameDecoder, MAX_EVENT_BYTES } from "../../static/js/core/sse.js";

const encoder = new TextEncoder();

/**
 * How many times the CPU time of an event fed byte by byte one takes that is three times as long: the least of seven rounds.
 * Both are measured in each round, so that a slow while of the machine strikes both.
 */
function growth(length, line) {
  const once = (size) => {
    const event = encoder.encode(`data: ${line.repeat(size / line.length)}\n\n`);
    const decoder = new FrameDecoder();
    const start = process.cpuUsage().user;
    for (let at = 0; at < event.length; at += 1) decoder.feed(event.subarray(at, at + 1));
    return process.cpuUsage().user - start;
  };
  for (let round = 0; round < 3; round += 1) once(length); // the engine compiles what it finds busy
  return Math.min(...Array.from({ length: 7 }, () => once(3 * length) / once(length)));
}

/** The length of the largest event that is given, and what one byte more ends with. */
function limit() {
  const text = "x".repeat(MAX_EVENT_BYTES);
  const [frame] = new FrameDecoder().feed(encoder.encode(`data: ${text}\n\n`));
  try {
    new FrameDecoder().feed(encoder.encode(`data: ${text}x`));
  } catch (error) {
    return [frame.data.length, error.name];
  }
  return [frame.data.length, null];
}

const [name, length, line] = process.argv.slice(2);
console.log(JSON.stringify(name === "growth" ? growth(Number(length), line) : limit()));
