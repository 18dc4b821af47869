/** @file The event-stream format of WHATWG HTML §9.2.6, bytes in, frames out: the twin of webapp/core/sse.py, which can also write. No connection. */

export const MAX_EVENT_BYTES = 16 * 1024 * 1024;

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const BOM = [0xef, 0xbb, 0xbf];
const DATA = [...new TextEncoder().encode("data:")];
// Only ever given whole lines: no UTF-8 sequence spans a line end, so that nothing need be kept between calls.
const UTF_8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * One dispatched event; `id` is the last event ID in force at its dispatch.
 *
 * @typedef {{ event: string, data: string, id: string }} Frame
 */

/** A stream that cannot be read as server-sent events. */
export class SseError extends Error {
  /** @override */
  name = "SseError";
}

/** An event, or a line that does not end, passed the decoder's limit. */
export class EventTooLarge extends SseError {
  /** @override */
  name = "EventTooLarge";

  /**
   * @param {Frame[]} frames the events that were complete before it in the same piece
   * @param {number} limit the bytes allowed
   */
  constructor(frames, limit) {
    super(`an event of the stream is larger than ${limit} bytes`);
    this.frames = frames;
    this.limit = limit;
  }
}

/** The bytes of a line that has not ended yet; room is doubled, so that one-byte pieces cost linear time. */
class GrowingLine {
  #room = new Uint8Array(0);
  length = 0;

  /** @param {Uint8Array} bytes */
  add(bytes) {
    const length = this.length + bytes.length;
    if (length > this.#room.length) {
      const room = new Uint8Array(Math.max(length, 2 * this.#room.length));
      room.set(this.#room.subarray(0, this.length));
      this.#room = room;
    }
    this.#room.set(bytes, this.length);
    this.length = length;
  }

  /** @returns {Uint8Array} a view that is good until the next `add` */
  get bytes() {
    return this.#room.subarray(0, this.length);
  }

  clear() {
    this.length = 0;
  }
}

/**
 * Turns the pieces of one stream, wherever the network cut them, into its frames. `limit` counts the bytes of an event's
 * data, and of any other single line. Time is linear in the bytes fed, whatever the size of the pieces.
 */
export class FrameDecoder {
  /** The ID to resume from. */
  lastEventId = "";
  /** @type {number | null} The reconnection time that the stream asked for, in milliseconds; more than 15 digits are ignored. */
  retry = null;

  #limit;
  #atStart = true;
  #afterCr = false;
  #failed = false;
  #rest = new GrowingLine();
  #event = "";
  #id = "";
  /** @type {string[]} */
  #data = [];
  /** Bytes for data still to come, an LF for each line counted, the last one too. */
  #room;

  /** @param {{ limit?: number }} [options] */
  constructor({ limit = MAX_EVENT_BYTES } = {}) {
    this.#limit = limit;
    this.#room = limit + 1;
  }

  /**
   * Give the frames that `piece` completes, in order. An event that no blank line has ended is never given.
   *
   * @param {Uint8Array} piece
   * @returns {Frame[]}
   * @throws {EventTooLarge} as soon as an event passes the limit, and then at every call
   */
  feed(piece) {
    if (this.#failed) throw new EventTooLarge([], this.#limit);
    if (this.#atStart) piece = this.#afterBom(piece);
    /** @type {Frame[]} */
    const frames = [];
    let start = 0;
    // A CR may be half of a CRLF whose LF was still travelling: the line ended at the CR, the LF is no second end.
    if (this.#afterCr && piece.length > 0) {
      this.#afterCr = false;
      if (piece[0] === LF) start = 1;
    }
    for (let end = start; end < piece.length; end += 1) {
      const byte = piece[end];
      if (byte !== LF && byte !== CR) continue;
      this.#endLine(piece.subarray(start, end), frames);
      if (byte === CR) {
        if (end + 1 === piece.length) this.#afterCr = true;
        else if (piece[end + 1] === LF) end += 1;
      }
      start = end + 1;
    }
    if (start < piece.length) this.#rest.add(piece.subarray(start));
    if (this.#rest.length >= this.#room && this.#isRestTooLarge()) this.#refuse(frames);
    return frames;
  }

  /**
   * Drop one byte order mark at the start of the stream; hold back what may still become one.
   *
   * @param {Uint8Array} piece
   */
  #afterBom(piece) {
    this.#rest.add(piece);
    const seen = this.#rest.bytes.slice();
    const isBom = BOM.every((byte, index) => index >= seen.length || seen[index] === byte);
    if (isBom && seen.length < BOM.length) return new Uint8Array(0);
    this.#atStart = false;
    this.#rest.clear();
    return isBom ? seen.subarray(BOM.length) : seen;
  }

  /**
   * @param {Uint8Array} tail the line's bytes in this piece
   * @param {Frame[]} frames
   */
  #endLine(tail, frames) {
    let line = tail;
    if (this.#rest.length > 0) {
      this.#rest.add(tail);
      line = this.#rest.bytes;
      this.#rest.clear();
    }
    if (line.length > 0) this.#take(line, frames);
    else this.#dispatch(frames);
  }

  /**
   * @param {Uint8Array} line
   * @param {Frame[]} frames
   */
  #take(line, frames) {
    const text = UTF_8.decode(line);
    const colon = text.indexOf(":");
    const name = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? "" : text.slice(colon + (text[colon + 1] === " " ? 2 : 1));
    if (name === "data") {
      this.#data.push(value);
      this.#room -= line.length - (text.length - value.length) + 1;
      if (this.#room < 0) this.#refuse(frames);
    } else if (line.length > this.#limit) {
      this.#refuse(frames);
    } else if (name === "id") {
      if (!value.includes("\0")) this.#id = value;
    } else if (name === "event") {
      this.#event = value;
    } else if (name === "retry" && /^[0-9]{1,15}$/.test(value)) {
      this.retry = Number(value);
    }
  }

  /** @param {Frame[]} frames */
  #dispatch(frames) {
    this.lastEventId = this.#id;
    if (this.#data.length > 0) {
      frames.push({ event: this.#event || "message", data: this.#data.join("\n"), id: this.#id });
      this.#data = [];
      this.#room = this.#limit + 1;
    }
    this.#event = "";
  }

  #isRestTooLarge() {
    // Exactly what its line would be refused for at its end: the cuts decide when, never whether.
    const line = this.#rest.bytes;
    if (!DATA.every((byte, index) => line[index] === byte)) return line.length > this.#limit;
    return line.length - DATA.length - (line[DATA.length] === SPACE ? 1 : 0) >= this.#room;
  }

  /**
   * @param {Frame[]} frames
   * @returns {never}
   */
  #refuse(frames) {
    this.#failed = true;
    throw new EventTooLarge(frames, this.#limit);
  }
}
