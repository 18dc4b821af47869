/** When something may be said: turns in the two regions, and losses of the line that are worth one; it knows times, not what is said. */

/** @typedef {"status" | "alert"} Region */
/** @typedef {{ region: Region, text: string }} Change */

// Two messages are promised to be 500 ms apart; an observer's clock is read a moment later than ours.
const SPACE = 501;
const FOCUS_QUIET = 250;
const LONGEST_HOLD = 1_000;
const SHOWN = 3_000;
// A deadline of one second is two spaces, to the millisecond: so much later is a timer that came late, no reason to join messages.
const LATE_TIMER = 50;

const LOSS_WORTH_TELLING = 2_000;
const PAIR_EVERY = 15_000;

/** Times are milliseconds of one clock. */
export class SpeakingTurns {
  #saidAt = -Infinity;
  #focusAt = -Infinity;
  /** @type {number | null} since when only the moving focus keeps a message waiting */
  #heldSince = null;
  #lastText = "";
  /** @type {Map<Region, number>} when each filled region is to be emptied */
  #emptyAt = new Map();

  /** A screen reader is telling of the newly focused element. @param {number} now */
  focusMoved(now) {
    this.#focusAt = now;
  }

  /**
   * When a message that waits may be said: `now`, or later.
   * @param {number} now
   * @param {number} deadline no waiting for the focus beyond it
   */
  allowedAt(now, deadline) {
    const spaced = this.#saidAt + SPACE;
    if (now < spaced) return spaced;
    if (now >= this.#focusAt + FOCUS_QUIET) return now;
    this.#heldSince ??= now;
    return Math.max(now, Math.min(this.#focusAt + FOCUS_QUIET, this.#heldSince + LONGEST_HOLD, deadline));
  }

  /** Nothing waits any more. */
  release() {
    this.#heldSince = null;
  }

  /**
   * How many of the waiting messages are to be said in one, so that each of the others can still have a turn in time.
   * @param {number[]} deadlines of those that wait, in order
   * @param {number} now
   * @returns {number} at least 1
   */
  together(deadlines, now) {
    const needed = deadlines.map((deadline, index) => index + 1 - Math.max(0, Math.floor((deadline + LATE_TIMER - now) / SPACE)));
    return Math.max(1, ...needed);
  }

  /** @param {Region} region @param {string} text @param {number} now @returns {Change} */
  say(region, text, now) {
    // A screen reader drops a text that is equal to the last one, even when the region was empty in between.
    this.#lastText = text === this.#lastText ? `${text}\u00a0` : text;
    this.#saidAt = now;
    this.#heldSince = null;
    this.#emptyAt.set(region, now + SHOWN);
    return { region, text: this.#lastText };
  }

  /** @param {number} now @returns {Change[]} the regions whose message has stood long enough */
  emptied(now) {
    const over = [...this.#emptyAt].filter(([, time]) => time <= now).map(([region]) => region);
    for (const region of over) this.#emptyAt.delete(region);
    return over.map((region) => ({ region, text: "" }));
  }

  /** When a region is to be emptied next. */
  get emptyAt() {
    return Math.min(Infinity, ...this.#emptyAt.values());
  }
}

/** Only long losses of the connection are told, and not one right after the other. Times are milliseconds of one clock. */
export class LineNotes {
  /** @type {number | null} */
  #lostAt = null;
  #isTold = false;
  #saidAt = -Infinity;

  get isLost() {
    return this.#lostAt !== null;
  }

  /** @param {number} now */
  lost(now) {
    this.#lostAt ??= now;
  }

  /** @returns {boolean} whether the loss was told, so that its end is to be told too */
  back() {
    const wasTold = this.#isTold;
    this.#lostAt = null;
    this.#isTold = false;
    return wasTold;
  }

  /** When the loss is to be told, Infinity for never. */
  get dueAt() {
    if (this.#lostAt === null || this.#isTold) return Infinity;
    return Math.max(this.#lostAt + LOSS_WORTH_TELLING, this.#saidAt + PAIR_EVERY);
  }

  tell() {
    this.#isTold = true;
  }

  /** The note was heard: the next pair is counted from here. @param {number} now */
  said(now) {
    this.#saidAt = now;
  }
}
