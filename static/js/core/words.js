/** Every English sentence that the page's script shows or says; it holds words only, no rule about when they are used. */

/** Leads to the newest answer from anywhere in the page, as `aria-keyshortcuts` names it. */
const JUMP_KEYS = "Alt+Shift+A";

/**
 * @typedef {object} ProblemWords
 * @property {string} detail what happened, one sentence
 * @property {string} nextStep what can safely be done now, one sentence
 * @property {boolean} retryable
 */

/** @type {Record<string, ProblemWords>} For what something else than Motamot answered, or nobody: Motamot's own words come before these. */
const problems = {
  bad_request: { detail: "The question could not be read.", nextStep: "Check the text, then send it again.", retryable: false },
  unauthorized: { detail: "This page is no longer signed in.", nextStep: "Reload the page, then send again.", retryable: false },
  forbidden: { detail: "This page may not do that.", nextStep: "Reload the page, then try again.", retryable: false },
  not_found: { detail: "This conversation does not exist, or it is not yours.", nextStep: "Start a new conversation.", retryable: false },
  too_large: { detail: "The question is too long.", nextStep: "Shorten it, then send it again.", retryable: false },
  rate_limited: { detail: "Too many questions in a short time.", nextStep: "Wait a minute, then send again.", retryable: true },
  busy: { detail: "The server has no room for another answer right now.", nextStep: "Wait a moment, then send again.", retryable: true },
  internal: { detail: "Something went wrong in the server.", nextStep: "Try again, or reload the page.", retryable: false },
  connection_lost: { detail: "The connection was lost.", nextStep: "Check the network, then try again.", retryable: true },
  stream_incomplete: { detail: "The reply broke off before its end.", nextStep: "Try again.", retryable: true },
};

/** @typedef {"" | "resume" | "retry" | "continue"} Step that a button in the note offers */

/** @type {Record<string, { heading: string, label: string, note: string, step: Step }>} How an answer stands, for its heading, the line below it and the note. */
const ends = {
  sending: { heading: "", label: "Sending", note: "", step: "" },
  accepted: { heading: "", label: "Waiting for the first word", note: "", step: "" },
  running: { heading: "", label: "Writing", note: "", step: "" },
  completed: { heading: "", label: "Complete", note: "", step: "" },
  length: { heading: "incomplete: cut short by the model’s limit", label: "Incomplete", note: "The answer was cut short by the model’s length limit.", step: "continue" },
  content_filter: { heading: "incomplete: cut by a safety filter", label: "Incomplete", note: "The answer was cut by a safety filter.", step: "" },
  empty: { heading: "no text", label: "No text", note: "The model gave no text.", step: "" },
  cancelled: { heading: "incomplete: stopped by you", label: "Stopped", note: "You stopped this answer.", step: "retry" },
  cancelled_empty: { heading: "stopped by you", label: "Stopped", note: "You stopped this answer before it began.", step: "retry" },
  owner_gone: { heading: "incomplete: stopped, nobody was waiting", label: "Stopped", note: "The answer was stopped because nobody was waiting for it.", step: "retry" },
  failed: { heading: "incomplete: failed", label: "Failed", note: "", step: "retry" },
  failed_empty: { heading: "failed", label: "Failed", note: "", step: "retry" },
  disconnected: {
    heading: "incomplete: connection lost",
    label: "Connection lost",
    note: "The connection was lost. The text so far is kept; resume to get the rest.",
    step: "resume",
  },
  signed_out: {
    heading: "incomplete: not signed in",
    label: "Not signed in",
    note: "This page is no longer signed in, so the answer is incomplete here. Sign in again or reload the page, then resume.",
    step: "resume",
  },
  gone: {
    heading: "incomplete: no longer there",
    label: "No longer there",
    note: "This answer was deleted, or it is not yours. What came of it stands here until you leave the page.",
    step: "",
  },
};

/** @type {Record<string, string>} How an action stands, by its state; the words of its result follow. */
const actions = {
  proposed: "The model proposes this. Nothing has been done yet.",
  confirmed: "Being carried out.",
  succeeded: "Done.",
  failed: "Failed.",
  declined: "Declined. Nothing was done.",
  expired: "Too old to be carried out. Nothing was done.",
};

/** What only a screen reader is told (WAI-ARIA 1.2, roles status and alert). */
const aloud = {
  generating: "Generating the answer",
  stillWorking: "Still working",
  /** @param {number} count */
  complete: (count) => `Answer complete, ${quantity(count, "word")}. ${JUMP_KEYS} goes to it.`,
  /** @param {number} count */
  kept: (count) => `${quantity(count, "word")} kept. ${JUMP_KEYS} goes to the answer.`,
  connectionLost: "Connection lost. Trying to connect again.",
  connectionBack: "Connection is back.",
  /** @param {number} lines */
  code: (lines) => `code, ${quantity(lines, "line")}`,
  /** @param {number} rows */
  table: (rows) => `table, ${quantity(rows, "row")}`,
  link: "link",
  image: "image",
};

/** @param {number} count @param {string} unit in the singular */
function quantity(count, unit) {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

export const words = {
  problems,
  ends,
  actions,
  aloud,
  /** @param {string} title of the conversation */
  pageTitle: (title) => `${title} · Motamot`,
  untitled: "New conversation",
  send: "Send",
  stop: "Stop",
  stopping: "Stopping",
  /** @param {number} number counted from 1 */
  copyAnswerNumber: (number) => ` answer ${number}`,
  copied: "Answer copied.",
  copiedShort: "Copied",
  copyFailed: "The answer could not be copied. Select its text and copy it with the keyboard.",
  blankQuestion: "Write a question first.",
  /** @param {number} over bytes above the limit @param {number} limit bytes */
  longQuestion: (over, limit) =>
    `The question is too long by ${over.toLocaleString("en")} ${over === 1 ? "byte" : "bytes"}; ${limit / 1024} KiB is the limit. Shorten it.`,
  /** @param {readonly string[]} names of actions */
  actionsRefused: (names) => `The model asked for ${names.join(", ")}. This action was not carried out.`,
  /** @param {readonly string[]} descriptions */
  actionsProposed: (descriptions) => `The model proposes: ${descriptions.join("; ")}.`,
  actionDeclining: "Being declined.",
  actionUnheard: "It is not known whether this reached the server. Try again: it is carried out once at most.",
  answerRunning: "An answer is still being written. Stop it or wait, then send again.",
  editing: "Editing the question. Escape cancels.",
  /** @param {number} count */
  versionPlace: (count) => `${count} of ${count}`,
  stopLost: "Stop did not reach the server, so the answer goes on.",
  unreadableReply: "Something other than Motamot answered.",
  /** @param {number} seconds until the next try, 0 while it is made */
  connectionLost: (seconds) =>
    `Connection lost. The answer will resume. ${seconds > 0 ? `Next try in ${seconds} s.` : "Connecting…"}`,
  late: "Still waiting for a way to the server. Too many tabs may be open, or the network is slow.",
  connectionGone: "Connection lost. The answer is incomplete until you resume it.",
  tryNow: "Try now",
  reconnecting: "Connecting again",
  resumed: "Resumed.",
  titleWriting: "Writing…",
  titleReady: "Answer ready",
  titleIncomplete: "Answer incomplete",
};
