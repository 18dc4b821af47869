/** The native dialect, read: a frame in, a typed event out. It keeps no state and judges no order. */

import { Problem } from "./problem.js";

/** @typedef {{ event: string, data: string, id: string }} Frame */
/** @typedef {import("./states.js").State} State */

/**
 * @typedef {{ id: string, name: string, description: string, arguments: Record<string, unknown>, state: string,
 *   result: { text?: string, url?: string } | null }} Action what an answer proposes, as the API gives it
 */

/**
 * @typedef {{ name: "accepted", seq: number, conversationId: string, messageId: string, questionId: string,
 *   requestId: string, model: string }} Accepted
 * @typedef {{ name: "delta", seq: number, text: string }} Delta
 * @typedef {{ name: "activity", seq: number, kind: string, label: string }} Activity
 * @typedef {{ name: "snapshot", seq: number, state: State, text: string, messageId: string, conversationId: string,
 *   questionId: string, model: string, activity: string }} Snapshot
 * @typedef {{ name: "answer", seq: number, text: string, finishReason: string, actions: Action[] }} Answer
 * @typedef {{ name: "cancelled", seq: number, text: string, by: string }} Cancelled
 * @typedef {{ name: "error", seq: number, text: string, problem: Problem }} Failure
 * @typedef {{ name: "unknown", seq: number, event: string }} Unknown `seq` is 0 when the frame has no number
 * @typedef {Answer | Cancelled | Failure} End
 * @typedef {Accepted | Delta | Activity | Snapshot | End | Unknown} AnswerEvent
 */

/** The members of one event's data, each taken with its type or refused. */
class Members {
  #members;

  /** @param {string} data */
  constructor(data) {
    this.#members = parseObject(data);
  }

  /** @param {string} name @param {string} [otherwise] for a member that may be absent */
  text(name, otherwise) {
    const value = this.#members[name] ?? otherwise;
    if (typeof value !== "string") throw malformed();
    return value;
  }

  /** @param {string} name @returns {unknown} */
  any(name) {
    return this.#members[name];
  }

  get seq() {
    const value = this.#members.seq;
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) throw malformed();
    return value;
  }

  get problem() {
    const problem = Problem.fromDocument(this.#members);
    if (problem === null) throw malformed();
    return problem;
  }
}

/** @type {Readonly<Record<string, (members: Members) => AnswerEvent>>} */
const READERS = {
  accepted: (m) => ({
    name: "accepted",
    seq: m.seq,
    conversationId: m.text("conversation_id"),
    messageId: m.text("message_id"),
    questionId: m.text("question_id"),
    requestId: m.text("request_id"),
    model: m.text("model"),
  }),
  delta: (m) => ({ name: "delta", seq: m.seq, text: m.text("text") }),
  activity: (m) => ({ name: "activity", seq: m.seq, kind: m.text("kind"), label: m.text("label", "") }),
  snapshot: (m) => ({
    name: "snapshot",
    seq: m.seq,
    state: m.text("state") === "accepted" ? "accepted" : "running", // a snapshot never covers an end
    text: m.text("text"),
    messageId: m.text("message_id"),
    conversationId: m.text("conversation_id"),
    questionId: m.text("question_id", ""),
    model: m.text("model", ""),
    activity: m.text("activity", ""),
  }),
  answer: (m) => ({
    name: "answer",
    seq: m.seq,
    text: m.text("text"),
    finishReason: m.text("finish_reason", "stop"),
    actions: actionsOf(m.any("actions")),
  }),
  cancelled: (m) => ({ name: "cancelled", seq: m.seq, text: m.text("text"), by: m.text("by", "user") }),
  error: (m) => ({ name: "error", seq: m.seq, text: m.text("text"), problem: m.problem }),
};

/**
 * The event that a frame tells. An event of a name that is not known is `unknown`, and its data is never parsed.
 * @param {Frame} frame
 * @returns {AnswerEvent}
 * @throws {Problem} `stream_incomplete` when a known event's data is no JSON object or lacks a member
 */
export function readEvent(frame) {
  if (!Object.hasOwn(READERS, frame.event)) {
    return { name: "unknown", seq: /^[0-9]{1,15}$/.test(frame.id) ? Number(frame.id) : 0, event: frame.event };
  }
  return READERS[frame.event](new Members(frame.data));
}

/** @param {AnswerEvent} event @returns {event is End} */
export function isEnd(event) {
  return event.name === "answer" || event.name === "cancelled" || event.name === "error";
}

/**
 * The actions of an answer; what is none is left out.
 * @param {unknown} actions as the API gives them
 * @returns {Action[]}
 */
export function actionsOf(actions) {
  if (!Array.isArray(actions)) return [];
  return actions.filter((action) => typeof action?.id === "string" && typeof action.state === "string");
}

/** @param {string} data @returns {Record<string, unknown>} */
function parseObject(data) {
  let value;
  try {
    value = JSON.parse(data);
  } catch {
    throw malformed();
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw malformed();
  return value;
}

function malformed() {
  return new Problem({ code: "stream_incomplete" });
}
