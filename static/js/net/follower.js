/** Reads one answer to its end over one connection after another; it shows nothing and never asks the model. */

import { Problem } from "../core/problem.js";
import { apply, applyMessage } from "../core/reader.js";
import { isEnded } from "../core/states.js";

/** @typedef {import("../core/events.js").AnswerEvent} AnswerEvent */
/** @typedef {import("../core/reader.js").Message} Message */
/** @typedef {import("../core/reader.js").Reading} Reading */

/**
 * @typedef {object} Source what a follower needs of the API
 * @property {(messageId: string, after: number, signal: AbortSignal) => Promise<AsyncIterable<AnswerEvent> | null>} events
 * @property {(messageId: string, signal: AbortSignal) => Promise<Message>} message
 */

/** What a question brings: the events of its answer, or the answer as it is where nothing streams. @typedef {AsyncIterable<AnswerEvent> | Message} Opened */

/** Rounds of fetch and follow that may pass without a new event before the line counts as broken. */
const ROUNDS_WITHOUT_PROGRESS = 3;

export class Follower {
  #source;
  #onChange;
  #reading;

  /**
   * @param {Source} source
   * @param {Reading} reading where to begin
   * @param {(reading: Reading, event: AnswerEvent | null) => void} onChange called in the task in which the reading
   *   changed; `event` is null when the change came from a fetched message
   */
  constructor(source, reading, onChange) {
    this.#source = source;
    this.#reading = reading;
    this.#onChange = onChange;
  }

  get reading() {
    return this.#reading;
  }

  /** Reads what a question brought: to the end, or no further than it goes. @param {Opened} opened @param {AbortSignal} signal */
  async begin(opened, signal) {
    if (Symbol.asyncIterator in opened) await this.follow(opened, signal);
    else this.#take(opened);
  }

  /**
   * Follows to the end.
   * @param {AsyncIterable<AnswerEvent> | null} connection one that is open already; null: nothing more on this line
   * @param {AbortSignal} signal
   * @throws {Problem} when the line is lost; the reading keeps what has come, and a later call goes on from there
   */
  async follow(connection, signal) {
    let idle = 0;
    for (let events = connection; !(events && (await this.#read(events))); ) {
      const before = this.#reading.seq;
      await this.#fetch(signal);
      if (isEnded(this.#reading.state)) return;
      idle = this.#reading.seq > before ? 0 : idle + 1;
      if (idle >= ROUNDS_WITHOUT_PROGRESS) throw incomplete();
      events = await this.#source.events(this.#reading.messageId, this.#reading.seq, signal);
    }
  }

  /** Fetches the newest text, then follows after it. @param {AbortSignal} signal */
  async resume(signal) {
    await this.follow(null, signal);
  }

  /** Follows after the last number, without fetching. @param {AbortSignal} signal */
  async goOn(signal) {
    await this.follow(await this.#source.events(this.#reading.messageId, this.#reading.seq, signal), signal);
  }

  /** Fetches the newest text now and then, to the end. @param {number} interval ms @param {AbortSignal} signal */
  async poll(interval, signal) {
    for (await this.#fetch(signal); !isEnded(this.#reading.state); await this.#fetch(signal)) {
      await pause(interval, signal);
    }
  }

  /**
   * @param {AsyncIterable<AnswerEvent>} events
   * @returns {Promise<boolean>} true at the end of the answer, false at a hole
   */
  async #read(events) {
    let isFirst = true;
    for await (const event of events) {
      const { reading, outcome } = apply(this.#reading, event, isFirst);
      isFirst = false;
      this.#reading = reading;
      if (outcome === "hole") return false;
      if (outcome === "applied") this.#onChange(reading, event);
      if (isEnded(reading.state)) return true;
    }
    throw incomplete();
  }

  /** @param {AbortSignal} signal */
  async #fetch(signal) {
    if (this.#reading.messageId === "") throw incomplete();
    this.#take(await this.#source.message(this.#reading.messageId, signal));
  }

  /** @param {Message} message */
  #take(message) {
    this.#reading = applyMessage(this.#reading, message);
    this.#onChange(this.#reading, null);
  }
}

/**
 * @param {number} wait ms
 * @param {AbortSignal} signal
 * @param {(goOn: () => void) => void} [onWaiting] is given what ends the wait early
 */
export async function pause(wait, signal, onWaiting) {
  signal.throwIfAborted();
  const waited = new AbortController();
  await new Promise((resolve) => {
    const timer = setTimeout(resolve, wait);
    const goOn = () => (clearTimeout(timer), resolve(undefined));
    signal.addEventListener("abort", goOn, { signal: waited.signal });
    onWaiting?.(goOn);
  });
  waited.abort();
  signal.throwIfAborted();
}

function incomplete() {
  return new Problem({ code: "stream_incomplete" });
}
