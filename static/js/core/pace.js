/** How an answer is followed: over a stream of its own, or by asking for its text now and then; it knows no tab and no timer. */

/** A browser opens six connections to a host (HTTP/1.1): what is left carries pages, questions and Stop. */
const MOST_STREAMS = 4;
/** ms between two questions for the newest text. */
const HIDDEN = 20_000;
const WITHOUT_STREAMS = 1_000;
const WITHOUT_PLACE = 2_000;

/**
 * @param {object} tab
 * @param {boolean} tab.isStreaming answers stream to this visitor
 * @param {boolean} tab.isHidden for so long that nobody waits for each word
 * @param {number} tab.place among the browser's tabs that follow answers, 0 for the one that began last
 * @returns {number | null} ms between two questions for the newest text; null: over a stream
 */
export function intervalOf({ isStreaming, isHidden, place }) {
  if (isHidden) return HIDDEN;
  if (!isStreaming) return WITHOUT_STREAMS;
  return place < MOST_STREAMS ? null : WITHOUT_PLACE;
}

/** ms after which a tab that tells nothing more counts as gone: it may have died without a word. */
const FORGOTTEN_AFTER = 12_000;

/** The tabs of one browser that follow answers, as one of them knows them. Times are ms of a clock that all of them have. */
export class Places {
  /** @type {Map<string, { since: number, heardAt: number }>} */
  #others = new Map();

  /**
   * Another tab tells since when it follows; null: no more.
   * @param {string} tab
   * @param {number | null} since
   * @param {number} now
   * @returns {boolean} whether it was not known: it may not know this one either
   */
  heard(tab, since, now) {
    const isNew = !this.#others.has(tab);
    if (since === null) this.#others.delete(tab);
    else this.#others.set(tab, { since, heardAt: now });
    return isNew && since !== null;
  }

  /** How many tabs began after `since`. @param {string} tab decides between two of one moment @param {number} since @param {number} now */
  placeOf(tab, since, now) {
    for (const [other, { heardAt }] of this.#others) if (now - heardAt > FORGOTTEN_AFTER) this.#others.delete(other);
    return [...this.#others].filter(([other, { since: theirs }]) => theirs > since || (theirs === since && other > tab)).length;
  }
}
