/** Which event may follow in which state, as one table; `webapp/core/states.py` is its twin and the same vectors check both. */

/** @typedef {"accepted" | "running" | "completed" | "cancelled" | "failed"} State */

/** @type {Readonly<Record<string, State>>} */
const ENDS = { answer: "completed", cancelled: "cancelled", error: "failed" };

/** @type {Readonly<Record<State, Readonly<Record<string, State>>>>} state → name of the event → next state */
export const TRANSITIONS = {
  // There is no event for running: it begins with the first event after `accepted`.
  accepted: { delta: "running", activity: "running", ...ENDS },
  running: { delta: "running", activity: "running", ...ENDS },
  completed: {}, // nothing follows an end
  cancelled: {},
  failed: {},
};

/**
 * The state after an event, or null where the table has no such move.
 * @param {State} state
 * @param {string} event its name on the wire
 * @returns {State | null}
 */
export function advance(state, event) {
  const moves = TRANSITIONS[state];
  return Object.hasOwn(moves, event) ? moves[event] : null;
}

/** @param {State} state @returns {state is "completed" | "cancelled" | "failed"} */
export function isEnded(state) {
  return state === "completed" || state === "cancelled" || state === "failed";
}
