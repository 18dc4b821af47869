/** What went wrong, in words a person can read and a code a program can compare; it decides nothing. */

import { words } from "./words.js";

/**
 * @typedef {object} ProblemMembers
 * @property {string} code one of the codes of the API, or one of the client's own: `connection_lost`, `stream_incomplete`
 * @property {string} [detail] one sentence; the catalogue's when absent
 * @property {string} [nextStep] one sentence; the catalogue's when absent
 * @property {boolean} [retryable]
 * @property {number} [status] of the HTTP reply, 0 when there was none
 * @property {string} [instance] the number that the server's log has too
 * @property {number} [retryAfter] ms for which the server does not want to be asked again
 */

/** @type {readonly string[]} */
const FINAL = ["not_found", "unauthorized", "forbidden"];

/** A failure that is shown to a person. `detail` and `nextStep` are whole sentences without inner detail. */
export class Problem extends Error {
  /** @param {ProblemMembers} members */
  constructor({ code, detail, nextStep, retryable, status = 0, instance = "", retryAfter = 0 }) {
    const known = words.problems[code] ?? words.problems.internal;
    super(detail || known.detail);
    this.name = "Problem";
    this.code = code;
    this.detail = detail || known.detail;
    this.nextStep = nextStep || known.nextStep;
    this.retryable = retryable ?? known.retryable;
    this.status = status;
    this.instance = instance;
    this.retryAfter = retryAfter;
  }

  /** Whether another try of the same cannot change it. */
  get isFinal() {
    return FINAL.includes(this.code);
  }

  /** The two sentences together, as they are shown and said. */
  get sentence() {
    return `${this.detail} ${this.nextStep}`.trim();
  }

  /**
   * Any thrown thing as a problem: what is no problem yet is a lost connection, the only failure that arrives untyped.
   * @param {unknown} error
   */
  static from(error) {
    return error instanceof Problem ? error : new Problem({ code: "connection_lost" });
  }

  /**
   * The members of a problem document (RFC 9457), or null when `value` is none.
   * @param {unknown} value parsed JSON
   * @param {number} [status]
   * @param {number} [retryAfter] ms
   */
  static fromDocument(value, status = 0, retryAfter = 0) {
    if (typeof value !== "object" || value === null) return null;
    const { code, detail, next_step: nextStep, retryable, instance } = /** @type {Record<string, unknown>} */ (value);
    if (typeof code !== "string" || code === "") return null;
    return new Problem({
      code,
      detail: typeof detail === "string" ? detail : undefined,
      nextStep: typeof nextStep === "string" ? nextStep : undefined,
      retryable: typeof retryable === "boolean" ? retryable : undefined,
      instance: typeof instance === "string" ? instance : "",
      status,
      retryAfter,
    });
  }
}
