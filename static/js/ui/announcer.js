/** Speaks for the page: writes what the planner decides into the two live regions; it decides nothing and draws nothing else. */

import { AnnouncementPlanner } from "../core/announcements.js";

/** @typedef {import("../core/announcements.js").AloudWords} AloudWords */
/** @typedef {import("../core/announcements.js").AnswerEnd} AnswerEnd */
/** @typedef {import("../core/announcements.js").Verbosity} Verbosity */

/**
 * Both regions stand in the first HTML, rendered and empty, and stay the same nodes: a region that appears together with
 * its text is not announced. Nothing else in the page is a live region, and nothing else writes into these two.
 *
 * Call the methods when the page's own state changes, in the same task; what is said, and when, follows by itself.
 * An `id` is any string that names one answer for as long as the page lives (the request id is known from the first moment).
 */
export class Announcer {
  /** @type {{ status: HTMLElement, alert: HTMLElement }} */ #regions;
  /** @type {AnnouncementPlanner} */ #planner;
  /** @type {AbortController | null} */ #running = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  #wakesAt = Infinity;

  /**
   * @param {object} options
   * @param {HTMLElement} options.status the element with `role="status"`
   * @param {HTMLElement} options.alert the element with `role="alert"`
   * @param {AloudWords} options.words the sentences to say
   * @param {Verbosity} [options.verbosity] default `sentences`
   * @param {number} [options.interval] seconds between two progress messages, 3 to 30, default 5
   */
  constructor({ status, alert, words, verbosity, interval }) {
    this.#regions = { status, alert };
    this.#planner = new AnnouncementPlanner({ words, verbosity, interval });
  }

  start() {
    this.#running = new AbortController();
    const { signal } = this.#running;
    document.addEventListener("focusin", () => this.#plan((now) => this.#planner.focusMoved(now)), { signal });
    this.#wakeAt(performance.now());
  }

  stop() {
    this.#running?.abort();
    this.#running = null;
    clearTimeout(this.#timer);
    this.#wakesAt = Infinity;
  }

  /** A question has left (the start note follows within 1 s). A second call for the same id changes nothing.
   * @param {string} id */
  answerStarted(id) {
    this.#plan((now) => this.#planner.answerStarted(id, now));
  }

  /** An answer that was already running when this page opened or met it: the text that stood there is not read out.
   * @param {string} id @param {string} text what stands there already */
  joined(id, text) {
    this.#plan((now) => this.#planner.answerJoined(id, text, now));
  }

  /** The answer's whole text so far, after any event (delta, snapshot, healing). Costs nothing that grows with the text.
   * @param {string} id @param {string} text */
  answerText(id, text) {
    this.#plan((now) => this.#planner.answerText(id, text, now));
  }

  /** A sign of work without text. @param {string} id @param {string} label such as "Searching" */
  answerActivity(id, label) {
    this.#plan(() => this.#planner.answerActivity(id, label));
  }

  /** Call it in the task that shows the end; the end note (an alert for `failed` and `disconnected`) follows within 1 s.
   * After `disconnected` the same id may go on with `answerText` and end once more.
   * @param {string} id @param {AnswerEnd} end */
  answerEnded(id, end) {
    this.#plan((now) => this.#planner.answerEnded(id, end, now));
  }

  /** One polite sentence: copied, draft kept, … @param {string} text */
  say(text) {
    this.#plan((now) => this.#planner.say(text, now));
  }

  /** One urgent sentence (send refused, gave up, …), said once; what waited to be said politely is dropped. @param {string} text */
  warn(text) {
    this.#plan(() => this.#planner.warn(text));
  }

  /** The line is down and is being tried again; told only when it lasts over 2 s. */
  connectionLost() {
    this.#plan((now) => this.#planner.connectionLost(now));
  }

  connectionBack() {
    this.#plan((now) => this.#planner.connectionBack(now));
  }

  /** @param {(now: number) => void} tell */
  #plan(tell) {
    const now = performance.now();
    tell(now);
    this.#wakeAt(now);
  }

  /** Speaking has a task of its own, so that two messages are as far apart for an observer as they are for the planner.
   * @param {number} time ms */
  #wakeAt(time) {
    // A timer that is already near enough stays: a flood of calls could push it away for ever.
    if (!this.#running || this.#wakesAt <= time) return;
    clearTimeout(this.#timer);
    this.#wakesAt = time;
    this.#timer = setTimeout(() => this.#speak(), Math.max(0, Math.ceil(time - performance.now())));
  }

  #speak() {
    this.#wakesAt = Infinity;
    const { changes, wakeAt } = this.#planner.next(performance.now());
    for (const { region, text } of changes) this.#regions[region].textContent = text;
    if (wakeAt !== null) this.#wakeAt(wakeAt);
  }
}
