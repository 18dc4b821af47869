/** Whether a text can be sent as a question, and under which request id; it sends nothing. */

import { words } from "./words.js";

const encoder = new TextEncoder();

/**
 * Why `text` cannot be sent, in one sentence, or "" when it can.
 * @param {string} text
 * @param {number} limit bytes of UTF-8
 */
export function objection(text, limit) {
  if (text.trim() === "") return words.blankQuestion;
  // A UTF-16 unit takes at most three bytes, so a short text needs no counting at each key.
  if (text.length * 3 <= limit) return "";
  const over = encoder.encode(text).length - limit;
  return over > 0 ? words.longQuestion(over, limit) : "";
}

/**
 * @typedef {object} Question
 * @property {string} text
 * @property {string} model
 * @property {string} requestId
 * @property {string} [parentId] of the answer it follows, "" for none; absent until it is sent
 * @property {string} [edits] id of the question that it stands instead of
 * @property {string} [renews] id of the answer whose question is to be answered anew; `text` is "" then
 */

/** Gives a question that was sent without an answer from the server its old request id when it is sent again. */
export class RequestIds {
  #make;
  /** @type {Question | null} */
  #undelivered = null;

  /** @param {() => string} make a new request id */
  constructor(make) {
    this.#make = make;
  }

  /**
   * @param {string} text
   * @param {string} model
   * @param {{ edits?: string, renews?: string }} [instead]
   * @returns {Question}
   */
  number(text, model, { edits = "", renews = "" } = {}) {
    const last = this.#undelivered;
    this.#undelivered = null;
    // Whether the first sending reached the server is not known: as it was, it can only join its own answer.
    if (last?.text === text && last.model === model && last.edits === edits && last.renews === renews) return last;
    return { text, model, edits, renews, requestId: this.#make() };
  }

  /** @param {Question} question nobody knows whether it arrived */
  undelivered(question) {
    this.#undelivered = question;
  }
}
