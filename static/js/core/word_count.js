/** Counts words as a person would, in any script; it does not say which words a text should be counted by. */

// Scripts that put no blank between words.
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

const wordSegmenter = new Intl.Segmenter(undefined, { granularity: "word" });

/** How many words a text has: marks and signs alone are none. Work is linear. @param {string} text @returns {number} */
export function countWords(text) {
  return wordEnds(text).length;
}

/** The text up to the end of its word number `limit`, the whole text when it has no more. @param {string} text @param {number} limit @returns {string} */
export function firstWords(text, limit) {
  const ends = wordEnds(text);
  return ends.length > limit ? text.slice(0, ends[limit - 1]) : text;
}

/** Where each word ends. @param {string} text @returns {number[]} */
function wordEnds(text) {
  /** @type {number[]} */
  const ends = [];
  for (const { 0: token, index } of text.matchAll(/\S+/g)) {
    if (UNSPACED.test(token)) ends.push(...segmentEnds(token, index));
    else if (LETTER_OR_DIGIT.test(token)) ends.push(index + token.length);
  }
  return ends;
}

/** @param {string} token @param {number} offset @returns {number[]} */
function segmentEnds(token, offset) {
  /** @type {number[]} */
  const ends = [];
  for (const { segment, index, isWordLike } of wordSegmenter.segment(token)) {
    if (isWordLike) ends.push(offset + index + segment.length);
  }
  return ends;
}
