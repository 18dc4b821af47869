/** @file Reads a vector of the kind `sse` with the page's decoder. */

import { FrameDecoder, MAX_EVENT_BYTES, SseError } from "../../static/js/core/sse.js";

/** What comes of the pieces, in the words of vectors/sse.json. */
export function read(pieces, { limit = MAX_EVENT_BYTES }) {
  const decoder = new FrameDecoder({ limit });
  const frames = [];
  let error = null;
  try {
    for (const piece of pieces) frames.push(...decoder.feed(piece));
  } catch (thrown) {
    if (!(thrown instanceof SseError)) throw thrown;
    frames.push(...thrown.frames);
    error = thrown.name;
  }
  return {
    frames: frames.map(({ event, data, id }) => [event, data, id]),
    last_event_id: decoder.lastEventId,
    retry: decoder.retry,
    error,
  };
}
