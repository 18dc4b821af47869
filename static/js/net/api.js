/** The calls of the API that the page makes, one method each; what their answers mean is decided elsewhere. */

import { Problem } from "../core/problem.js";
import { eventsOf, json, notOurs, send } from "./requests.js";

/** @typedef {import("../core/events.js").AnswerEvent} AnswerEvent */
/** @typedef {import("../core/question.js").Question} Question */
/** @typedef {import("../core/reader.js").Message} Message */
/** @typedef {import("./follower.js").Opened} Opened */

const STREAM = { Accept: "text/event-stream" };
/** Asks for the answer as it is at once, which is mostly empty (RFC 7240, section 4.1). */
const AT_ONCE = { Accept: "application/json", Prefer: "respond-async" };
/** ms for the headers of what the server answers at once. */
const SOON = 15_000;
/** ms without a reply's headers after which the browser may be holding the request back: it opens few connections. */
const LATE = 3_000;
/** ms; the server answers within two seconds whether or not the answer has ended by then. */
const CANCEL_WITHIN = 5_000;
/** ms before a lost Stop is sent again. */
const CANCEL_AGAIN = [250, 500, 1_000];
const JSON_BODY = { "Content-Type": "application/json" };

/** Every method rejects with a Problem, or with the abort of its signal. */
export class Api {
  #root;
  #isStreaming;
  #onLate;
  #late = 0;

  /**
   * @param {string} root address without a trailing slash
   * @param {object} [given]
   * @param {boolean} [given.isStreaming] whether a question brings the events of its answer
   * @param {(isLate: boolean) => void} [given.onLate] a request waits for its reply for longer than any should, or no more
   */
  constructor(root = "/api/v1", { isStreaming = true, onLate = () => {} } = {}) {
    this.#root = root;
    this.#isStreaming = isStreaming;
    this.#onLate = onLate;
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<string>} the new conversation's id
   */
  async createConversation(signal) {
    return textOf(await this.#json("POST", "/conversations", signal, {}), "id");
  }

  /** @param {string} conversationId */
  async conversationTitle(conversationId) {
    return textOf(await this.#json("GET", `/conversations/${encodeURIComponent(conversationId)}`), "title");
  }

  /**
   * Asks; where answers stream, the events follow on the same reply.
   * @param {string} conversationId
   * @param {Question} question
   * @param {AbortSignal} signal
   * @returns {Promise<Opened>}
   */
  async ask(conversationId, { text, model, parentId, requestId }, signal) {
    const body = { text, request_id: requestId, ...(model && { model }), parent_id: parentId || null };
    return this.#open(`${this.#root}/conversations/${encodeURIComponent(conversationId)}/messages`, body, signal);
  }

  /**
   * Asks for a further answer to the same question.
   * @param {Question} question its member `renews` is the id of the old answer
   * @param {AbortSignal} signal
   * @returns {Promise<Opened>}
   */
  async regenerate({ renews = "", model, requestId }, signal) {
    const body = { request_id: requestId, ...(model && { model }) };
    return this.#open(`${this.#message(renews)}/regenerate`, body, signal);
  }

  /**
   * Follows an answer after an event's number.
   * @param {string} messageId
   * @param {number} after
   * @param {AbortSignal} signal
   * @returns {Promise<AsyncIterable<AnswerEvent> | null>} null when nothing comes after that number
   */
  async events(messageId, after, signal) {
    const response = await this.#send(`${this.#message(messageId)}/events?after=${after}`, { headers: STREAM, signal }, SOON);
    return response.status === 204 ? null : eventsOf(response, signal);
  }

  /**
   * @param {string} messageId
   * @param {AbortSignal} signal
   * @returns {Promise<Message>}
   */
  async message(messageId, signal) {
    return messageOf(await this.#json("GET", `/messages/${encodeURIComponent(messageId)}`, signal));
  }

  /**
   * Asks the server to stop an answer, again where the request is lost: a second one changes nothing. Resolves when the
   * mark is stored.
   * @param {string} messageId
   */
  async cancel(messageId) {
    for (const wait of [...CANCEL_AGAIN, null]) {
      try {
        return void (await this.#cancelOnce(messageId));
      } catch (error) {
        if (wait === null || Problem.from(error).isFinal) throw error;
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
  }

  /** @param {string} messageId */
  #cancelOnce(messageId) {
    // Kept alive: who presses Stop and leaves the page has stopped the answer.
    const init = { method: "POST", headers: JSON_BODY, body: "{}", keepalive: true };
    return this.#send(`${this.#message(messageId)}/cancel`, init, CANCEL_WITHIN);
  }

  /** @param {string} url @param {object} body @param {AbortSignal} signal @returns {Promise<Opened>} */
  async #open(url, body, signal) {
    const headers = { ...(this.#isStreaming ? STREAM : AT_ONCE), ...JSON_BODY };
    const response = await this.#send(url, { method: "POST", headers, body: JSON.stringify(body), signal });
    return this.#isStreaming ? eventsOf(response, signal) : messageOf(await json(response));
  }

  /** @param {string} messageId */
  #message(messageId) {
    return `${this.#root}/messages/${encodeURIComponent(messageId)}`;
  }

  /** @param {string} method @param {string} path @param {AbortSignal} [signal] @param {object} [body] */
  async #json(method, path, signal, body) {
    const headers = { Accept: "application/json", ...(body && JSON_BODY) };
    const init = { method, headers, signal, ...(body && { body: JSON.stringify(body) }) };
    const response = await this.#send(this.#root + path, init, method === "GET" ? SOON : undefined);
    return json(response);
  }

  /** @param {string} url @param {RequestInit} init @param {number} [within] */
  async #send(url, init, within) {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#onLate((this.#late += 1) > 0);
    }, LATE);
    try {
      return await send(url, init, within);
    } finally {
      clearTimeout(timer);
      if (isLate) this.#onLate((this.#late -= 1) > 0);
    }
  }
}

/** @param {unknown} value */
function messageOf(value) {
  textOf(value, "message_id");
  textOf(value, "text");
  return /** @type {Message} */ (value);
}

/** A text member of a reply. @param {unknown} value @param {string} name */
function textOf(value, name) {
  const member = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
  if (typeof member === "string") return member;
  throw notOurs();
}

/** A request id of 128 random bits. */
export function newRequestId() {
  // crypto.randomUUID is missing where the page is not a secure context, for instance in a home network.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `req_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
