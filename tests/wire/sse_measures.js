/** @file Measures the page's decoder and prints what it found as JSON: `sse_measures.js seconds LENGTH LINE | limit`. */

import { FrameDecoder, MAX_EVENT_BYTES } from "../../static/js/core/sse.js";

const encoder = new TextEncoder();

/** The CPU seconds for an event fed byte by byte, and for one three times as long; each the least of five. */
function seconds(length, line) {
  const once = (size) => {
    const event = encoder.encode(`data: ${line.repeat(size / line.length)}\n\n`);
    const decoder = new FrameDecoder();
    const start = process.cpuUsage().user;
    for (let at = 0; at < event.length; at += 1) decoder.feed(event.subarray(at, at + 1));
    return (process.cpuUsage().user - start) / 1e6;
  };
  const least = (size) => Math.min(...Array.from({ length: 5 }, () => once(size)));
  least(length); // the engine compiles what it finds busy
  return [least(length), least(3 * length)];
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
console.log(JSON.stringify(name === "seconds" ? seconds(Number(length), line) : limit()));
