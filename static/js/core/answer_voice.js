/** One answer as it is read aloud: what of it was said, and what may be said next; it does not say anything itself. */

import { SentenceCutter } from "./sentences.js";
import { countWords, firstWords, joinSpoken, spokenSentence } from "./spoken.js";

/** @typedef {import("./announcements.js").AloudWords} AloudWords */
/** @typedef {"quiet" | "sentences" | "full"} Verbosity */

/** Words of one message, as far as whole sentences allow it. */
const MESSAGE_WORDS = 40;
const SILENCE = 10_000;
const STILL_WORKING_AGAIN = 15_000;
/** How long a text without a whole sentence is left alone before it is looked at again. */
const SECOND_LOOK = 250;

/** Times are milliseconds of one clock. The text is looked at when something may be said, not with every delta. */
export class AnswerVoice {
  #words;
  #verbosity;
  #interval;
  #cutter = new SentenceCutter();
  /** @type {{ sentence: string, end: number }[]} whole sentences that are not said yet, and where in the text they end */
  #unsaid = [];
  #text = "";
  #cutText = "";
  #cutEnd = 0;
  /** Sentences that begin before this place were said, or stood there when the answer was joined. */
  #saidLength;
  #activity = "";
  #saidActivity = "";
  #lookedAt;
  #saidAt;
  #textAt;
  #stillWorkingAt = -Infinity;
  #isPaused = false;

  /** Words of the whole text so far, marks alone not counted. */
  wordCount = 0;

  /**
   * @param {object} options
   * @param {AloudWords} options.words
   * @param {Verbosity} options.verbosity
   * @param {number} options.interval ms
   * @param {string} options.text what is there already, and is not read out
   * @param {number} now
   */
  constructor({ words, verbosity, interval, text }, now) {
    this.#words = words;
    this.#verbosity = verbosity;
    this.#interval = interval;
    this.#text = text;
    this.#saidLength = text.length;
    this.#lookedAt = this.#saidAt = this.#textAt = now;
  }

  /** The start note was said: the intervals begin. @param {number} now */
  begin(now) {
    this.#lookedAt = this.#saidAt = now;
  }

  /** @param {string} text the whole text so far @param {number} now */
  hear(text, now) {
    this.#isPaused = false;
    this.#activity = "";
    if (text.length !== this.#text.length) this.#textAt = now;
    this.#text = text;
  }

  /** @param {string} label */
  work(label) {
    this.#isPaused = false;
    this.#activity = label;
  }

  /** Nothing is known of the answer until it is heard again. */
  pause() {
    this.#isPaused = true;
  }

  /** Silence is counted anew: the line was down, and nothing could come. @param {number} now */
  forgetSilence(now) {
    this.#textAt = now;
  }

  /** When `progress` is to be asked next, Infinity for never. @param {boolean} mayWork whether "still working" is known to be true */
  dueAt(mayWork) {
    if (this.#isPaused) return Infinity;
    const next = this.#saidAt + this.#interval;
    const mayRead = this.#verbosity === "sentences";
    const look = Math.max(next, this.#lookedAt + (mayRead ? SECOND_LOOK : this.#interval));
    const hasNews = this.#text.length !== this.#cutText.length;
    return Math.min(mayRead && this.#unsaid.length > 0 ? next : Infinity, hasNews ? look : Infinity, this.#workDueAt(mayWork));
  }

  /**
   * The next progress message, or null when there is nothing whole to say.
   * @param {number} now @param {boolean} mayWork @returns {string | null}
   */
  progress(now, mayWork) {
    this.#lookedAt = now;
    this.#look();
    const message = (this.#verbosity === "sentences" && this.#take()) || this.#workNote(now, mayWork);
    if (message) this.#saidAt = now;
    return message;
  }

  /** What the end finds unsaid: the whole of it (`full`), up to 40 words, or "". @param {string} text the exact text @returns {string} */
  rest(text) {
    this.#text = text;
    this.#look();
    this.#keep(this.#cutter.end());
    switch (this.#verbosity) {
      case "quiet":
        return "";
      case "full":
        return joinSpoken(this.#unsaid.map(({ sentence }) => spokenSentence(sentence, this.#words)));
      case "sentences":
        return shortened(this.#take());
    }
  }

  /** Cuts what is new; a text that does not go on from the one before is cut from its beginning. */
  #look() {
    if (!this.#text.startsWith(this.#cutText)) {
      this.#cutter = new SentenceCutter();
      this.#cutText = "";
      this.#cutEnd = this.wordCount = 0;
      this.#unsaid = [];
    }
    this.#keep(this.#cutter.feed(this.#text.slice(this.#cutText.length)));
    this.#cutText = this.#text;
  }

  /** @param {string[]} sentences */
  #keep(sentences) {
    for (const sentence of sentences) {
      const start = this.#cutEnd;
      this.#cutEnd += sentence.length;
      this.wordCount += countWords(sentence);
      if (start >= this.#saidLength) this.#unsaid.push({ sentence, end: this.#cutEnd });
    }
  }

  /** The next whole sentences, as many as one message takes; one that is longer goes alone. @returns {string} */
  #take() {
    /** @type {string[]} */
    const parts = [];
    let taken = 0;
    let words = 0;
    for (const { sentence, end } of this.#unsaid) {
      const spoken = spokenSentence(sentence, this.#words);
      const more = spoken === "" ? 0 : Math.max(1, countWords(spoken));
      if (words > 0 && words + more > MESSAGE_WORDS) break;
      taken += 1;
      words += more;
      parts.push(spoken);
      this.#saidLength = end;
    }
    this.#unsaid.splice(0, taken);
    return joinSpoken(parts);
  }

  /** @param {number} now @param {boolean} mayWork @returns {string | null} */
  #workNote(now, mayWork) {
    if (this.#workDueAt(mayWork) > now) return null;
    const label = this.#activity === this.#saidActivity ? "" : this.#activity;
    if (label !== "") this.#saidActivity = label;
    this.#stillWorkingAt = now;
    return label || this.#words.stillWorking;
  }

  /** @param {boolean} mayWork */
  #workDueAt(mayWork) {
    if (this.#verbosity === "quiet" || !mayWork) return Infinity;
    const next = this.#saidAt + this.#interval;
    if (this.#activity !== "" && this.#activity !== this.#saidActivity) return next;
    return Math.max(next, this.#textAt + SILENCE, this.#stillWorkingAt + Math.max(STILL_WORKING_AGAIN, this.#interval));
  }
}

/** @param {string} message @returns {string} up to 40 words; a cut is marked as one */
function shortened(message) {
  const start = firstWords(message, MESSAGE_WORDS);
  return start === message ? message : `${start}…`;
}
