/** What a page knows of one answer, and how each event changes it, by number only; it neither connects nor shows. */

import { actionsOf } from "./events.js";
import { Problem } from "./problem.js";
import { advance, isEnded } from "./states.js";

/** @typedef {import("./events.js").AnswerEvent} AnswerEvent */
/** @typedef {import("./events.js").End} End */
/** @typedef {import("./states.js").State} State */

/**
 * @typedef {object} Reading a frozen value; `text` is whole after every step
 * @property {string} messageId "" until it is known
 * @property {string} conversationId
 * @property {string} questionId
 * @property {string} requestId
 * @property {string} model
 * @property {State} state
 * @property {number} seq number of the last event applied, 0 for none
 * @property {string} text
 * @property {string} activity the last sign of work that came without text, else ""
 * @property {string} finishReason of a completed answer, else ""
 * @property {string} by who stopped a cancelled answer, else ""
 * @property {Problem | null} problem of a failed answer
 * @property {readonly import("./events.js").Action[]} actions of a completed answer, as they stood when it was read
 * @property {number} repeats events that came again and were ignored
 * @property {number} holes times that events were missing
 * @property {number} mismatches ends (or fetched messages) whose text was not the joined one
 */

/** @typedef {"applied" | "repeat" | "hole"} Outcome */

/**
 * @typedef {object} Sight what a page saw of an answer, for the figures
 * @property {number | null} firstVisible ms from Send to the first text on the page; null without either
 * @property {number} repeats
 * @property {number} holes
 * @property {number} mismatches
 * @property {number} reconnects times that a lost line was back
 */

/** @type {Reading} */
const UNREAD = Object.freeze({
  messageId: "",
  conversationId: "",
  questionId: "",
  requestId: "",
  model: "",
  state: "accepted",
  seq: 0,
  text: "",
  activity: "",
  finishReason: "",
  by: "",
  problem: null,
  actions: [],
  repeats: 0,
  holes: 0,
  mismatches: 0,
});

/** @param {Partial<Reading>} [known] @returns {Reading} */
export function newReading(known = {}) {
  return Object.freeze({ ...UNREAD, ...known });
}

/**
 * The reading after one event.
 * @param {Reading} reading
 * @param {AnswerEvent} event
 * @param {boolean} isFirst whether it is the first event of its connection
 * @returns {{ reading: Reading, outcome: Outcome }} `hole`: an event is missing; close, fetch the message, follow after it
 */
export function apply(reading, event, isFirst) {
  if (isEnded(reading.state)) return repeat(reading);
  switch (event.name) {
    case "answer":
    case "cancelled":
    case "error":
      return applied(ended(reading, event));
    case "snapshot":
      // The first event of a connection says where it begins, even when that is behind what is shown.
      return isFirst || event.seq > reading.seq ? applied(replaced(reading, event)) : repeat(reading);
    default:
      return numbered(reading, event);
  }
}

/**
 * The reading after `GET messages/{id}`: the log's newest text, or the end.
 * @param {Reading} reading
 * @param {Message} message
 * @returns {Reading}
 */
export function applyMessage(reading, message) {
  if (isEnded(reading.state)) return reading;
  return change(reading, {
    messageId: message.message_id,
    conversationId: message.conversation_id,
    questionId: message.question_id ?? "",
    requestId: message.request_id ?? "",
    model: message.model ?? "",
    state: message.state,
    seq: message.seq,
    text: message.text,
    activity: "",
    finishReason: message.finish_reason ?? "",
    by: message.by ?? "",
    problem: message.state === "failed" ? problemOf(message.error) : null,
    actions: actionsOf(message.actions),
  });
}

/**
 * @typedef {object} Message as the API gives it; the members that the page reads
 * @property {string} message_id
 * @property {string} conversation_id
 * @property {string | null} [question_id]
 * @property {string | null} [request_id]
 * @property {string | null} [model]
 * @property {State} state
 * @property {number} seq
 * @property {string} text
 * @property {string | null} [finish_reason]
 * @property {string | null} [by]
 * @property {unknown} [error]
 * @property {unknown} [actions]
 */

/** @param {unknown} error the members of a problem */
function problemOf(error) {
  return Problem.fromDocument(error) ?? new Problem({ code: "internal" });
}

/** @param {Reading} reading @param {Exclude<AnswerEvent, End | { name: "snapshot" }>} event */
function numbered(reading, event) {
  if (event.name === "unknown" && event.seq === 0) return applied(reading);
  if (event.seq <= reading.seq) return repeat(reading);
  if (event.seq > reading.seq + 1) return hole(reading);
  const state = advance(reading.state, event.name) ?? reading.state;
  switch (event.name) {
    case "accepted": {
      const { conversationId, messageId, questionId, requestId, model, seq } = event;
      return applied(change(reading, { conversationId, messageId, questionId, requestId, model, seq }));
    }
    case "delta":
      // Engines join strings lazily, so adding to a long text costs what the piece costs.
      return applied(change(reading, { state, seq: event.seq, text: reading.text + event.text, activity: "" }));
    case "activity":
      return applied(change(reading, { state, seq: event.seq, activity: event.label }));
    default:
      return applied(change(reading, { seq: event.seq }));
  }
}

/** @param {Reading} reading @param {End} event */
function ended(reading, event) {
  return change(reading, {
    state: advance(reading.state, event.name) ?? reading.state,
    seq: Math.max(reading.seq, event.seq),
    text: event.text,
    activity: "",
    finishReason: event.name === "answer" ? event.finishReason : "",
    by: event.name === "cancelled" ? event.by : "",
    problem: event.name === "error" ? event.problem : null,
    actions: event.name === "answer" ? event.actions : [],
    mismatches: reading.mismatches + (event.text === reading.text ? 0 : 1),
  });
}

/** @param {Reading} reading @param {import("./events.js").Snapshot} event */
function replaced(reading, event) {
  const { seq, state, text, messageId, conversationId, activity } = event;
  const questionId = event.questionId || reading.questionId;
  const model = event.model || reading.model;
  return change(reading, { seq, state, text, messageId, conversationId, questionId, model, activity });
}

/** @param {Reading} reading @param {Partial<Reading>} changes @returns {Reading} */
function change(reading, changes) {
  return Object.freeze({ ...reading, ...changes });
}

/** @param {Reading} reading @returns {{ reading: Reading, outcome: Outcome }} */
function applied(reading) {
  return { reading, outcome: "applied" };
}

/** @param {Reading} reading @returns {{ reading: Reading, outcome: Outcome }} */
function repeat(reading) {
  return { reading: change(reading, { repeats: reading.repeats + 1 }), outcome: "repeat" };
}

/** @param {Reading} reading @returns {{ reading: Reading, outcome: Outcome }} */
function hole(reading) {
  return { reading: change(reading, { holes: reading.holes + 1 }), outcome: "hole" };
}
