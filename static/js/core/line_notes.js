/** Which losses of the connection are worth a note: only long ones, and not one after the other; it says nothing itself. */

const WORTH_TELLING = 2_000;
const PAIR_EVERY = 15_000;

/** Times are milliseconds of one clock. */
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
    return Math.max(this.#lostAt + WORTH_TELLING, this.#saidAt + PAIR_EVERY);
  }

  tell() {
    this.#isTold = true;
  }

  /** The note was heard: the next pair is counted from here. @param {number} now */
  said(now) {
    this.#saidAt = now;
  }
}
