/** Decides what is said aloud, and when: a pure planner that is told the time; the voice itself is elsewhere. */

import { AnswerVoice } from "./answer_voice.js";
import { joinSpoken } from "./spoken.js";
import { LineNotes, SpeakingTurns } from "./speaking_turns.js";

/** @typedef {import("./answer_voice.js").Verbosity} Verbosity */
/** @typedef {import("./speaking_turns.js").Change} Change */

/**
 * @typedef {object} OwnWords
 * @property {string} generating
 * @property {string} stillWorking
 * @property {(count: number) => string} complete a whole answer, its number of words and the key that leads to it
 * @property {(count: number) => string} kept what is there of an answer with another end, and the key that leads to it
 * @property {string} connectionLost
 * @property {string} connectionBack
 */
/** @typedef {OwnWords & import("./spoken.js").NamingWords} AloudWords */

/**
 * @typedef {object} AnswerEnd
 * @property {"completed" | "cancelled" | "failed" | "disconnected"} state
 * @property {string} text the exact text
 * @property {string} note the sentence that the page shows of this end; "" for a plain completed one
 */

/**
 * @typedef {object} Waiting one polite message
 * @property {string} text
 * @property {number} deadline ms; a message whose turn would come later is said together with the one before
 * @property {string} [kind]
 * @property {(now: number) => void} [onSaid]
 */

// Said at once as a rule; only behind other messages may it take longer than a second.
const START_WITHIN = 1_500;
const END_WITHIN = 1_000;
const NOTE_WITHIN = 2_000;
// A little above the promised interval, for the same reason as the space between two messages.
const INTERVAL_MARGIN = 5;

/**
 * Times are milliseconds of one clock that never goes back. Tell it what happens, then ask `next` at once and again when it
 * says. Whatever the number of deltas, an answer that takes `duration` has at most `3 + floor(duration / interval)` messages:
 * start, progress, what was left unsaid, end. Connection notes, alerts and `say` are not counted among them.
 */
export class AnnouncementPlanner {
  #words;
  #verbosity;
  #interval;
  #turns = new SpeakingTurns();
  #line = new LineNotes();
  /** @type {Map<string, AnswerVoice | null>} by answer; null once it has ended */
  #voices = new Map();
  /** @type {string[]} */
  #alerts = [];
  /** @type {Waiting[]} */
  #waiting = [];

  /** @param {{ words: AloudWords, verbosity?: Verbosity, interval?: number }} options `interval` in seconds, 3 to 30 */
  constructor({ words, verbosity = "sentences", interval = 5 }) {
    this.#words = words;
    this.#verbosity = verbosity;
    this.#interval = Math.min(30, Math.max(3, interval || 5)) * 1_000 + INTERVAL_MARGIN;
  }

  /** @param {string} id @param {number} now */
  answerStarted(id, now) {
    this.answerJoined(id, "", now);
  }

  /** @param {string} id @param {string} text what is there already, and is not read out @param {number} now */
  answerJoined(id, text, now) {
    if (this.#voices.has(id)) return;
    const options = { words: this.#words, verbosity: this.#verbosity, interval: this.#interval, text };
    const voice = new AnswerVoice(options, now);
    this.#voices.set(id, voice);
    this.#waiting.push({ text: this.#words.generating, deadline: now + START_WITHIN, onSaid: (time) => voice.begin(time) });
  }

  /** @param {string} id @param {string} text the whole text so far @param {number} now */
  answerText(id, text, now) {
    this.#voices.get(id)?.hear(text, now);
  }

  /** @param {string} id @param {string} label */
  answerActivity(id, label) {
    this.#voices.get(id)?.work(label);
  }

  /** @param {string} id @param {AnswerEnd} end @param {number} now */
  answerEnded(id, end, now) {
    const voice = this.#voices.get(id);
    if (!voice) return;
    if (end.state === "disconnected") {
      voice.pause();
      this.#line.back(); // what is given up is told as such: no note of a loss comes after it
    } else this.#voices.set(id, null);
    if (end.state === "failed" || end.state === "disconnected") this.warn(end.note);
    else this.#sayEnd(voice, end, now);
  }

  /** @param {string} text @param {number} now */
  say(text, now) {
    if (this.#waiting.some((waiting) => waiting.text === text)) return;
    this.#waiting.push({ text, deadline: now + NOTE_WITHIN });
  }

  /** @param {string} text */
  warn(text) {
    this.#waiting = [];
    if (!this.#alerts.includes(text)) this.#alerts.push(text);
  }

  /** @param {number} now */
  connectionLost(now) {
    this.#line.lost(now);
  }

  /** @param {number} now */
  connectionBack(now) {
    for (const voice of this.#voices.values()) voice?.forgetSilence(now);
    const unsaid = this.#waiting.findIndex(({ kind }) => kind === "lost");
    if (unsaid >= 0) this.#waiting.splice(unsaid, 1);
    if (this.#line.back() && unsaid < 0) this.say(this.#words.connectionBack, now);
  }

  /** @param {number} now */
  focusMoved(now) {
    this.#turns.focusMoved(now);
  }

  /**
   * What is to be written into the regions now ("" empties one), and when to ask again (null: when something happens).
   * @param {number} now
   * @returns {{ changes: Change[], wakeAt: number | null }}
   */
  next(now) {
    if (this.#line.dueAt <= now) this.#tellLoss(now);
    const message = this.#allowedAt(now) <= now ? this.#take(now) : null;
    const changes = message ? [message, ...this.#turns.emptied(now)] : this.#turns.emptied(now);
    // Progress that is due and had no turn waits for one.
    const laterProgress = this.#progressAt > now ? this.#progressAt : Infinity;
    const wakeAt = Math.min(this.#allowedAt(now), laterProgress, this.#line.dueAt, this.#turns.emptyAt);
    return { changes, wakeAt: wakeAt === Infinity ? null : wakeAt };
  }

  /** @param {AnswerVoice} voice @param {AnswerEnd} end @param {number} now */
  #sayEnd(voice, { state, text, note }, now) {
    const rest = voice.rest(text);
    // Who stops an answer has heard enough of it.
    if (state === "completed" && rest !== "") this.#waiting.push({ text: rest, deadline: Infinity });
    const count = voice.wordCount;
    const kept = count > 0 ? this.#words.kept(count) : "";
    const endNote = note === "" ? this.#words.complete(count) : joinSpoken([note, kept]);
    this.#waiting.push({ text: endNote, deadline: now + END_WITHIN });
  }

  /** @param {number} now */
  #tellLoss(now) {
    this.#line.tell();
    const note = { text: this.#words.connectionLost, deadline: now + NOTE_WITHIN, kind: "lost" };
    this.#waiting.push({ ...note, onSaid: (time) => this.#line.said(time) });
  }

  /** When what waits may be said, Infinity when nothing waits. @param {number} now */
  #allowedAt(now) {
    if (this.#alerts.length === 0 && this.#waiting.length === 0 && this.#progressAt > now) {
      this.#turns.release();
      return Infinity;
    }
    return this.#turns.allowedAt(now, Math.min(Infinity, ...this.#waiting.map(({ deadline }) => deadline)));
  }

  get #progressAt() {
    return Math.min(Infinity, ...[...this.#voices.values()].map((voice) => voice?.dueAt(!this.#line.isLost) ?? Infinity));
  }

  /** @param {number} now @returns {Change | null} */
  #take(now) {
    const alert = this.#alerts.shift();
    if (alert !== undefined) return this.#turns.say("alert", alert, now);
    const text = this.#waiting.length > 0 ? this.#takeWaiting(now) : this.#takeProgress(now);
    return text === null ? null : this.#turns.say("status", text, now);
  }

  /** @param {number} now @returns {string} */
  #takeWaiting(now) {
    const count = this.#turns.together(this.#waiting.map(({ deadline }) => deadline), now);
    const said = this.#waiting.splice(0, count);
    for (const { onSaid } of said) onSaid?.(now);
    return joinSpoken(said.map(({ text }) => text));
  }

  /** @param {number} now @returns {string | null} */
  #takeProgress(now) {
    for (const voice of this.#voices.values()) {
      const message = voice && voice.dueAt(!this.#line.isLost) <= now ? voice.progress(now, !this.#line.isLost) : null;
      if (message !== null) return message;
    }
    return null;
  }
}
