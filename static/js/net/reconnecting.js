/** Follows one answer to its end over as many connections as that takes; it asks the model nothing and shows nothing. */

import { Patience } from "../core/patience.js";
import { Problem } from "../core/problem.js";

/** @typedef {import("../core/events.js").AnswerEvent} AnswerEvent */
/** @typedef {import("./follower.js").Follower} Follower */

/**
 * @typedef {object} Hooks
 * @property {() => void} onLost the line is lost, and tried again
 * @property {() => void} onBack something new has come over a new line
 */

/** ms for which a line must have held, since something first came over it, to count as a good one. */
const HELD = 10_000;

export class ReconnectingFollower {
  #follower;
  #hooks;
  #isLost = false;
  /** @type {number | null} when this try brought something first */
  #heardAt = null;
  #tryNow = () => {};

  /** @param {Follower} follower @param {Hooks} hooks */
  constructor(follower, hooks) {
    this.#follower = follower;
    this.#hooks = hooks;
  }

  get reading() {
    return this.#follower.reading;
  }

  /**
   * @param {AsyncIterable<AnswerEvent>} events the connection that is open already
   * @param {AbortSignal} signal
   * @throws {Problem} when the answer is not known yet, cannot be followed any more, or no line came back in time
   */
  follow(events, signal) {
    return this.#persist(() => this.#follower.follow(events, signal), signal);
  }

  /** As `resume`, because somebody asked for it: a first try that fails is told at once. @param {AbortSignal} signal */
  resumeNow(signal) {
    return this.#persist(() => this.#follower.resume(signal), signal, true);
  }

  /** Fetches the newest text, then follows after it. @param {AbortSignal} signal @throws {Problem} as `follow` */
  resume(signal) {
    return this.#persist(() => this.#follower.resume(signal), signal);
  }

  /** Follows after the last number, without fetching. @param {AbortSignal} signal @throws {Problem} as `follow` */
  goOn(signal) {
    return this.#persist(() => this.#follower.goOn(signal), signal);
  }

  /** Ends a wait for the next try: the network, or the person, is back. */
  tryNow() {
    this.#tryNow();
  }

  /** Something has come: a loss that is told is over. */
  progressed() {
    this.#heardAt ??= performance.now();
    if (!this.#isLost) return;
    this.#isLost = false;
    this.#hooks.onBack();
  }

  /** @param {() => Promise<void>} step @param {AbortSignal} signal @param {boolean} isAsked */
  async #persist(step, signal, isAsked = false) {
    let patience = null;
    for (let next = step; ; next = () => this.#follower.resume(signal)) {
      const seq = this.reading.seq;
      this.#heardAt = null;
      try {
        return await next();
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
        this.#hooks.onLost();
        await this.#pause(wait, signal);
      }
    }
  }

  /** @param {Problem} error */
  #givenUp(error) {
    this.#isLost = true;
    return error;
  }

  /** @param {number} wait ms @param {AbortSignal} signal */
  async #pause(wait, signal) {
    const waited = new AbortController();
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, wait);
      this.#tryNow = () => (clearTimeout(timer), resolve(undefined));
      signal.addEventListener("abort", this.#tryNow, { signal: waited.signal });
    });
    waited.abort();
    this.#tryNow = () => {};
    signal.throwIfAborted();
  }
}
