/** Follows one answer to its end over as many connections as that takes; it asks the model nothing and shows nothing. */

import { Patience } from "../core/patience.js";
import { Problem } from "../core/problem.js";
import { isEnded } from "../core/states.js";
import { pause } from "./follower.js";

/** @typedef {import("./follower.js").Follower} Follower */
/** @typedef {import("./follower.js").Opened} Opened */

/**
 * @typedef {object} Hooks
 * @property {(wait: number) => void} onLost the line is lost, and tried again after so many ms
 * @property {() => void} onBack something new has come over a new line
 * @property {(isFollowing: boolean) => void} onFollowing a line is wanted from now on, or no more
 */

/** ms for which a line must have held, since something first came over it, to count as a good one. */
const HELD = 10_000;

export class ReconnectingFollower {
  #follower;
  #hooks;
  #isLost = false;
  /** @type {number | null} when this try brought something first */
  #heardAt = null;
  /** @type {number | null} */
  #interval;
  /** @type {{ interval: number | null, abort: () => void }} the present try */
  #line = { interval: null, abort: () => {} };
  #tryNow = () => {};

  /**
   * @param {Follower} follower
   * @param {Hooks} hooks
   * @param {number | null} [interval] ms between two questions for the newest text; null: over a stream
   */
  constructor(follower, hooks, interval = null) {
    this.#follower = follower;
    this.#hooks = hooks;
    this.#interval = interval;
  }

  /** @param {number | null} interval as for the constructor; it counts at once */
  set interval(interval) {
    this.#interval = interval;
    this.#changeLine();
  }

  get reading() {
    return this.#follower.reading;
  }

  /**
   * @param {(line: AbortSignal) => Promise<Opened>} open asks, once
   * @param {AbortSignal} signal
   * @throws {Problem} when the answer is not known yet, cannot be followed any more, or no line came back in time
   */
  follow(open, signal) {
    return this.#persist(async (line) => {
      await this.#follower.begin(await open(line), line);
      if (!isEnded(this.reading.state)) await this.#resume(line);
    }, signal);
  }

  /** As `resume`, because somebody asked for it: a first try that fails is told at once. @param {AbortSignal} signal */
  resumeNow(signal) {
    return this.#persist((line) => this.#resume(line), signal, true);
  }

  /** Fetches the newest text, then follows after it. @param {AbortSignal} signal @throws {Problem} as `follow` */
  resume(signal) {
    return this.#persist((line) => this.#resume(line), signal);
  }

  /** Follows after the last number, without fetching. @param {AbortSignal} signal @throws {Problem} as `follow` */
  goOn(signal) {
    return this.#persist((line) => (this.#interval === null ? this.#follower.goOn(line) : this.#resume(line)), signal);
  }

  /** Ends a wait for the next try: the network, or the person, is back. */
  tryNow() {
    this.#tryNow();
  }

  /** Something has come: a loss that is told is over. */
  progressed() {
    this.#heardAt ??= performance.now();
    this.#changeLine();
    if (!this.#isLost) return;
    this.#isLost = false;
    this.#hooks.onBack();
  }

  /** @param {AbortSignal} line */
  #resume(line) {
    return this.#interval === null ? this.#follower.resume(line) : this.#follower.poll(this.#interval, line);
  }

  /** Ends a try that goes on in another way than is wanted; never the one that asks: nothing would ask again. */
  #changeLine() {
    if (this.reading.messageId !== "" && this.#line.interval !== this.#interval) this.#line.abort();
  }

  /** @param {(line: AbortSignal) => Promise<void>} step @param {AbortSignal} signal @param {boolean} [isAsked] */
  async #persist(step, signal, isAsked) {
    this.#hooks.onFollowing(true);
    try {
      await this.#tryOn(step, signal, isAsked);
    } finally {
      this.#hooks.onFollowing(false);
    }
  }

  /** @param {(line: AbortSignal) => Promise<void>} step @param {AbortSignal} signal @param {boolean} isAsked */
  async #tryOn(step, signal, isAsked = false) {
    let patience = null;
    for (let next = step; ; next = (line) => this.#resume(line)) {
      const seq = this.reading.seq;
      this.#heardAt = null;
      try {
        if (await this.#overLine(next, signal)) return;
      } catch (error) {
        if (signal.aborted || !(error instanceof Problem)) throw error;
        const now = performance.now();
        const held = this.#heardAt === null ? 0 : now - this.#heardAt;
        if (patience === null || held > HELD) patience = new Patience(now, Math.random);
        else if (this.reading.seq > seq) patience.renew(now);
        const isOver = (isAsked && this.#isLost) || this.reading.messageId === "" || error.isFinal;
        const wait = isOver ? null : patience.next(now, error.retryAfter);
        if (wait === null) throw this.#givenUp(error);
        this.#isLost = true;
        this.#hooks.onLost(wait);
        await pause(wait, signal, (goOn) => (this.#tryNow = goOn));
      }
    }
  }

  /**
   * @param {(line: AbortSignal) => Promise<void>} step
   * @param {AbortSignal} signal
   * @returns {Promise<boolean>} false: let go, to go on in another way
   */
  async #overLine(step, signal) {
    const line = new AbortController();
    const abort = () => line.abort();
    signal.throwIfAborted();
    signal.addEventListener("abort", abort);
    this.#line = { interval: this.#interval, abort };
    try {
      await step(line.signal);
      return true;
    } catch (error) {
      if (line.signal.aborted && !signal.aborted) return false;
      throw error;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** @param {Problem} error */
  #givenUp(error) {
    this.#isLost = true;
    return error;
  }
}
