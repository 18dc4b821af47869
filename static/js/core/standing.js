/** How an answer stands, in words: for its heading, for the line below it and for the note under its text. */

import { words } from "./words.js";

/** @typedef {import("./reader.js").Reading} Reading */

/**
 * @typedef {object} Standing
 * @property {string} state for `data-state`; `disconnected` is the page's own
 * @property {string} code of the problem, else ""
 * @property {string} heading words that follow the model's label in the heading, "" for a plain end
 * @property {string} label the state in a word or two
 * @property {string} note a sentence for an end that is not plain, else ""
 * @property {import("./words.js").Step} step the next one, that a button in the note offers
 */

/**
 * @param {Reading} reading
 * @param {string} lost code of the problem by which the line was lost, so that the server's word is not known; else ""
 * @returns {Standing}
 */
export function standingOf(reading, lost = "") {
  if (lost !== "") return lostStanding(lost);
  switch (reading.state) {
    case "completed":
      return completedStanding(reading);
    case "cancelled":
      return standing(cancelledKind(reading), "cancelled");
    case "failed":
      return failedStanding(reading);
    case "accepted":
    case "running":
      return { ...standing(reading.state, reading.state), ...(reading.activity && { label: reading.activity }) };
  }
}

/** The line is lost, and tried again: the server's word is not known, and nothing has ended. @param {Reading} reading @returns {Standing} */
export function reconnectingStandingOf(reading) {
  return { ...standingOf(reading), state: "disconnected", label: words.reconnecting };
}

/** @param {string} code @returns {Standing} */
function lostStanding(code) {
  if (code === "not_found") return standing("gone", "disconnected", { code });
  const kind = code === "unauthorized" || code === "forbidden" ? "signed_out" : "disconnected";
  return standing(kind, "disconnected", { code });
}

/** @param {Reading} reading */
function completedKind({ finishReason, text, actions }) {
  if (finishReason === "length" || finishReason === "content_filter") return finishReason;
  return text === "" && actions.every(isRefused) ? "empty" : "completed";
}

/** Nobody can confirm it. @param {import("./events.js").Action} action */
function isRefused({ state }) {
  return state === "refused";
}

/** @param {Reading} reading @returns {Standing} */
function completedStanding(reading) {
  const plain = standing(completedKind(reading), "completed");
  const refused = reading.actions.filter(isRefused).map(({ name }) => name);
  return refused.length === 0 ? plain : { ...plain, note: `${plain.note} ${words.actionsRefused(refused)}`.trim() };
}

/** @param {Reading} reading */
function cancelledKind({ by, text }) {
  if (by === "owner_gone") return "owner_gone";
  return text === "" ? "cancelled_empty" : "cancelled";
}

/** @param {Reading} reading @returns {Standing} */
function failedStanding({ problem, text }) {
  const kind = text === "" ? "failed_empty" : "failed";
  const { code = "internal", sentence = words.problems.internal.detail } = problem ?? {};
  return standing(kind, "failed", { code, note: sentence });
}

/**
 * @param {string} kind a key of the catalogue
 * @param {string} state
 * @param {Partial<Standing>} [rest]
 * @returns {Standing}
 */
function standing(kind, state, rest = {}) {
  return { state, code: "", ...words.ends[kind], ...rest };
}
