/** A clock without time: runs a planner through what happens and records every message, as the announcer would write it. */

import { AnnouncementPlanner } from "../../../../static/js/core/announcements.js";

/** The words of these tests: short, so that a message is seen to be one. */
export const words = {
  generating: "Generating",
  stillWorking: "Still working",
  complete: (count) => `Complete, ${count}`,
  kept: (count) => `Kept, ${count}`,
  connectionLost: "Line lost",
  connectionBack: "Line back",
  code: (lines) => `code, ${lines} lines`,
  table: (rows) => `table, ${rows} rows`,
  link: "link",
  image: "image",
};

/**
 * @param {[number, (planner: AnnouncementPlanner, now: number) => void][]} happenings at which ms what happens
 * @param {{ verbosity?: string, interval?: number, late?: () => number }} [options] `late`: by how many ms a timer comes late
 * @returns {{ time: number, region: string, text: string }[]} everything written, "" for an emptied region
 */
export function play(happenings, { late = () => 0, ...options } = {}) {
  const planner = new AnnouncementPlanner({ words, ...options });
  const queue = [...happenings].sort(([a], [b]) => a - b);
  const written = [];
  let wake = Infinity;
  while (queue.length > 0 || wake < Infinity) {
    const now = Math.min(queue[0]?.[0] ?? Infinity, wake);
    while (queue[0]?.[0] === now) queue.shift()[1](planner, now);
    const { changes, wakeAt } = planner.next(now);
    written.push(...changes.map((change) => ({ time: now, ...change })));
    if (wakeAt !== null && wakeAt <= now) throw new Error(`the planner asks for ${wakeAt} at ${now}`);
    wake = wakeAt === null ? Infinity : wakeAt + late();
  }
  return written;
}

/** Only what a person hears. */
export const messages = (written) => written.filter(({ text }) => text !== "");

/** Only the words. */
export const texts = (written) => messages(written).map(({ text }) => text);

/** An answer from its start to its end. */
export function answer({ id = "a", text, deltas = 10, start = 0, duration, end = {} }) {
  const happenings = [[start, (planner, now) => planner.answerStarted(id, now)]];
  for (let number = 1; number <= deltas; number += 1) {
    const soFar = text.slice(0, Math.round((text.length * number) / deltas));
    happenings.push([start + (duration * number) / (deltas + 1), (planner, now) => planner.answerText(id, soFar, now)]);
  }
  happenings.push([start + duration, (planner, now) => planner.answerEnded(id, { state: "completed", note: "", text, ...end }, now)]);
  return happenings;
}

/** A generator of numbers from 0 to 1 that gives the same ones for the same seed (mulberry32). */
export function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
