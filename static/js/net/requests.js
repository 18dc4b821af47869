/** One HTTP request, and its reply read as JSON or as events, or as the problem that it is; it knows no address of the API. */

import { readEvent } from "../core/events.js";
import { Problem } from "../core/problem.js";
import { EventTooLarge, FrameDecoder } from "../core/sse.js";
import { words } from "../core/words.js";

/** @typedef {import("../core/events.js").AnswerEvent} AnswerEvent */

/** ms without a byte after which a line counts as dead: the server writes at least every 10 s. */
const SILENCE = 25_000;
const LOOK_EVERY = 5_000;

/** @type {Readonly<Record<number, string>>} for replies that carry no problem document, such as a proxy's */
export const CODES = {
  400: "bad_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  413: "too_large",
  429: "rate_limited",
  500: "internal",
  502: "connection_lost",
  503: "busy",
  504: "connection_lost",
};

/**
 * The reply to a request, when its status is 2xx.
 * @param {string} url
 * @param {RequestInit} init
 * @param {number} [within] ms until its headers must be here: a network may swallow a request without a word
 * @returns {Promise<Response>}
 * @throws {Problem} for a refusal or a lost connection; an abort stays what `fetch` makes of it
 */
export async function send(url, init, within = Infinity) {
  const inTime = new AbortController();
  const timer = within === Infinity ? undefined : setTimeout(() => inTime.abort(), within);
  const stop = () => inTime.abort();
  init.signal?.addEventListener("abort", stop);
  let response;
  try {
    init.signal?.throwIfAborted();
    response = await fetch(url, { credentials: "same-origin", cache: "no-store", ...init, signal: inTime.signal });
  } catch (error) {
    init.signal?.removeEventListener("abort", stop);
    throw init.signal?.aborted ? error : Problem.from(error);
  } finally {
    clearTimeout(timer);
  }
  if (response.ok) return response;
  throw await refusal(response);
}

/**
 * @param {Response} response
 * @returns {Promise<unknown>} the parsed JSON of its body
 */
export async function json(response) {
  if (!/\bjson\b/i.test(response.headers.get("content-type") ?? "")) throw notOurs();
  try {
    return await response.json();
  } catch {
    throw notOurs();
  }
}

/**
 * @param {Response} response
 * @param {AbortSignal} signal the one its request was made with
 * @returns {AsyncGenerator<AnswerEvent, void, void>} ends where the stream ends, with or without an end event
 * @throws {Problem} when the reply is no event stream, breaks off or holds what is no event
 */
export async function* eventsOf(response, signal) {
  const type = response.headers.get("content-type") ?? "";
  if (!/^text\/event-stream\s*(;|$)/i.test(type) || response.body === null) throw notOurs();
  const decoder = new FrameDecoder();
  const reader = response.body.getReader();
  let heardAt = performance.now();
  // A cancelled reader comes to its end at once, as that of a line that was closed does.
  const watch = setInterval(() => performance.now() - heardAt > SILENCE && void reader.cancel().catch(() => {}), LOOK_EVERY);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heardAt = performance.now();
      for (const frame of framesOf(decoder, value)) yield readEvent(frame);
    }
  } catch (error) {
    throw signal.aborted ? error : Problem.from(error);
  } finally {
    clearInterval(watch);
    // Lets the connection go when the caller stops early; a body that already failed has nothing to let go.
    reader.cancel().catch(() => {});
  }
}

/**
 * What is whole before an event that is too large comes before the failure: the text of an answer is shown as far as it goes.
 * @param {FrameDecoder} decoder
 * @param {Uint8Array} piece
 */
function* framesOf(decoder, piece) {
  try {
    yield* decoder.feed(piece);
  } catch (error) {
    if (error instanceof EventTooLarge) yield* error.frames;
    throw error;
  }
}

/** The reply is 2xx, but not one that Motamot makes: a login page, a proxy's page, nothing at all. */
export function notOurs() {
  return new Problem({ code: "stream_incomplete", detail: words.unreadableReply });
}

/** @param {Response} response */
async function refusal(response) {
  const document = await json(response).catch(() => null);
  const retryAfter = msOf(response.headers.get("retry-after"));
  return Problem.fromDocument(document, response.status, retryAfter) ?? unexplained(response.status, retryAfter);
}

/** @param {number} status @param {number} retryAfter */
function unexplained(status, retryAfter) {
  const code = CODES[status] ?? (status < 500 ? "bad_request" : "connection_lost");
  return new Problem({ code, status, retryAfter, detail: code === "connection_lost" ? words.unreadableReply : undefined });
}

/** Seconds or a date (RFC 9110, section 10.2.3) as ms from now; 0 for anything else. @param {string | null} retryAfter */
function msOf(retryAfter) {
  if (retryAfter === null) return 0;
  const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
  return Math.max(0, wait || 0);
}
