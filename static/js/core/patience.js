/** When to try a lost line again, and when to give up; it knows no timer and no network. Times are milliseconds of one clock. */

/** The first try comes at once, the others ever later. */
const FIRST = 250;
const LONGEST = 8000;
/** Trying on for longer would drain a phone for a network that is not there. */
const LIMIT = 120_000;

/** One loss of the line, from its first moment. */
export class Patience {
  #lostAt;
  #random;
  #tries = 0;

  /**
   * @param {number} now
   * @param {() => number} random from 0 to 1: readers that lost a server together do not all come back together
   */
  constructor(now, random) {
    this.#lostAt = now;
    this.#random = random;
  }

  /** Something has come: the limit counts from now, the waits stay as long as they have grown. @param {number} now */
  renew(now) {
    this.#lostAt = now;
  }

  /**
   * How long to wait before the next try.
   * @param {number} now
   * @param {number} [atLeast] what the server asked for
   * @returns {number | null} null: give up
   */
  next(now, atLeast = 0) {
    if (now - this.#lostAt >= LIMIT || atLeast >= LIMIT) return null;
    const most = Math.min(FIRST * 2 ** this.#tries, LONGEST);
    this.#tries += 1;
    return Math.max(atLeast, most * (0.5 + this.#random() / 2));
  }
}
