/** The plain words of an answer, for a voice: which they are, and how many; what is shown, stored or copied never passes here. */

import { describeBlock } from "./blocks.js";
import { SentenceCutter } from "./sentences.js";

/**
 * @typedef {object} NamingWords what stands for things that are not read out
 * @property {(lines: number) => string} code
 * @property {(rows: number) => string} table rows under the header
 * @property {string} link for a bare address
 * @property {string} image for an image without a description
 */

// The lengths are bounded so that unclosed brackets do not make the work quadratic.
const TARGET = String.raw`\((?:[^()\s]|\([^()\s]{0,500}\)){0,2000}(?:\s+"[^"]{0,500}")?\)`;
const IMAGE = new RegExp(String.raw`!\[([^\]]{0,500})\]${TARGET}`, "g");
const LINK = new RegExp(String.raw`\[([^\]]{0,500})\](?:${TARGET}|\[[^\]]{0,500}\])`, "g");
// The rest of a link whose words held the end of a sentence.
const LINK_REST = new RegExp(String.raw`\]${TARGET}`, "g");
const ADDRESS = /<(?:https?|mailto):[^>\s]+>|\b(?:https?:\/\/|www\.)[^\s<>]*[^\s<>.,;:!?'"”’)\]}*_`]/gi;
const REFERENCE = /^[ \t]*\[[^\]]{1,500}\]:[ \t]*\S+.*$/gm;

const QUOTE_MARKS = /^[ \t]*(?:>[ \t]?)+/gm;
const RULE = /^[ \t]*([-*_=])(?:[ \t]*\1){2,}[ \t\r]*$/gm;
const HEADING_MARKS = /^[ \t]*#{1,6}[ \t]+|[ \t]+#+[ \t\r]*$/gm;
const BULLET = /^[ \t]*[-*+•][ \t]+(?:\[[ xX]\][ \t]+)?/gm;
const ROW_EDGES = /^[ \t]*\||\|[ \t\r]*$/gm;

const CODE_SPAN = /(`+[^`]*`+)/;
const STRONG = /\*\*(?=\S)([^*]{1,1000}?)(?<=[^\s\\])\*\*/g;
const OPENING_RUN = /(?<![\p{L}\p{N}\\*_~])(?:\*{2,3}|_{2,3}|~~)(?=[^\s*_~])/gu;
const CLOSING_RUN = /(?<=[^\s\\*_~])(?:\*{2,3}|_{2,3}|~~)(?![\p{L}\p{N}*_~])/gu;
const EMPHASIS = /(?<![\p{L}\p{N}\\*_])([*_])(?=[^\s*_])((?:(?!\1)[^]){1,1000}?)(?<=[^\s\\])\1(?![\p{L}\p{N}*_])/gu;
const ESCAPE = /\\([!-/:-@[-`{-~])/g;

// Scripts that put no blank between words.
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

const wordSegmenter = new Intl.Segmenter(undefined, { granularity: "word" });

/**
 * Plain words for one sentence of a `SentenceCutter`: no Markdown marks, no addresses; a code block or a table is named.
 * @param {string} sentence
 * @param {NamingWords} words
 * @returns {string} on one line, "" when nothing is left to say
 */
export function spokenSentence(sentence, words) {
  const block = describeBlock(sentence);
  if (block) return words[block.kind](block.size);
  return onOneLine(withoutInlineMarks(withoutAddresses(withoutLineMarks(sentence), words)));
}

/** Plain words for a whole text. @param {string} text @param {NamingWords} words @returns {string} */
export function spokenText(text, words) {
  const cutter = new SentenceCutter();
  const sentences = [...cutter.feed(text), ...cutter.end()];
  return joinSpoken(sentences.map((sentence) => spokenSentence(sentence, words)));
}

/**
 * One message of several: what ends without a mark (a heading, an item) gets a full stop, so that the voice pauses there.
 * @param {string[]} parts empty ones are left out
 * @returns {string}
 */
export function joinSpoken(parts) {
  const said = parts.filter((part) => part !== "");
  return said.map((part, index) => (index < said.length - 1 && /[\p{L}\p{N}]$/u.test(part) ? `${part}.` : part)).join(" ");
}

/** How many words a text has: marks and signs alone are none. Work is linear. @param {string} text @returns {number} */
export function countWords(text) {
  return wordEnds(text).length;
}

/** The text up to the end of its word number `limit`, the whole text when it has no more. @param {string} text @param {number} limit @returns {string} */
export function firstWords(text, limit) {
  const ends = wordEnds(text);
  return ends.length > limit ? text.slice(0, ends[limit - 1]) : text;
}

/** @param {string} text */
function withoutLineMarks(text) {
  const lines = text.replace(QUOTE_MARKS, "").replace(RULE, "").replace(REFERENCE, "");
  return lines.replace(HEADING_MARKS, "").replace(BULLET, "").replace(ROW_EDGES, "");
}

/** @param {string} text @param {NamingWords} words */
function withoutAddresses(text, words) {
  return text
    .replace(IMAGE, (_, description) => description || words.image)
    .replace(LINK, "$1")
    .replace(LINK_REST, "")
    .replace(ADDRESS, words.link);
}

/** Code spans lose their quotes only: what looks like a mark inside them is code. @param {string} text */
function withoutInlineMarks(text) {
  const parts = text.split(CODE_SPAN);
  return parts.map((part, index) => (index % 2 ? part.replaceAll("`", "") : withoutEmphasis(part))).join("");
}

/** @param {string} text */
function withoutEmphasis(text) {
  const plain = text.replace(STRONG, "$1").replace(OPENING_RUN, "").replace(CLOSING_RUN, "").replace(EMPHASIS, "$2");
  return plain.replaceAll("`", "").replace(ESCAPE, "$1");
}

/** @param {string} text */
function onOneLine(text) {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
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
