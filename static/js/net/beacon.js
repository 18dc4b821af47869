/** Tells the server what the page saw of an answer, for its figures; nobody waits for it, and nobody misses it. */

/** @typedef {import("../core/reader.js").Sight} Sight */

/** ms, the most that the server takes. */
const LONGEST = 3_600_000;

/**
 * @param {string} messageId
 * @param {Sight} sight
 */
export function tell(messageId, { firstVisible, ...counts }) {
  const seen = Object.entries(counts).filter(([, count]) => count > 0);
  if (firstVisible !== null) seen.push(["first_visible_ms", Math.min(Math.max(1, Math.round(firstVisible)), LONGEST)]);
  if (seen.length === 0) return;
  const body = new Blob([JSON.stringify(Object.fromEntries(seen))], { type: "application/json" });
  // A beacon leaves even when its page goes.
  navigator.sendBeacon?.(`/api/v1/messages/${encodeURIComponent(messageId)}/seen`, body);
}
