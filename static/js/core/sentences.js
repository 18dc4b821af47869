/** Cuts a growing text into whole sentences, losing nothing; it does not judge what is worth saying, or when. */

import { GrowingBlock, isTableRow, opensFence } from "./blocks.js";

const WESTERN_END = /[.!?…।॥۔؟։።။]/;
const IDEOGRAPHIC_END = /[。！？｡]/;
// What may stand between a sentence's end and the blank after it. A mark that combines belongs to the character before it.
const CLOSING = /["'”’»›)\]}*_~`」』）】〉》〕\u00a0\u202f\u200d]|\p{M}|\p{Emoji_Modifier}/u;
const BLANK = /[ \t\r\n\u3000]/;
// A full stop after these ends no sentence. A miss does no harm: the next piece is said after this one.
const ABBREVIATION = /(?:^|[\s("'“«[])(?:\p{L}|(?:\p{L}\.)+\p{L}|cf|vs|ca|approx|Mr|Mrs|Ms|Mme|Dr|Prof|St|Nr|Fig|pp|bzw|incl)\.$/u;
const LONGEST_ABBREVIATION = 12;

const BLANK_LINE = /^[ \t\r>]*$/;
const MARKED_LINE = /^[ \t>]*(?:[-*+•]|\d{1,9}[.)]|#{1,6})[ \t]/;
const UNDECIDED_LINE = /^[ \t>]*(?:[-*+•]|\d{1,9}[.)]?|#{1,6}|`{1,2}|~{1,2}|`{3,}[^`]*|~{3,}.*)?$/;
const LONGEST_LINE_START = 100;

/** A text without any end is cut here (UTF-16 units): at a blank, else between two characters as people see them. */
const LONGEST_PIECE = 1_000;
// A single "character" longer than this (letters with thousands of accents) is cut between two code points.
const LONGEST_CHARACTER = 16_000;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/**
 * Give it a text in any pieces: the sentences do not depend on where those were cut, and joined they are the text.
 * A list item, a heading, a paragraph, a whole code block and a whole table count as sentences. Work is linear.
 */
export class SentenceCutter {
  #open = "";
  #scanned = 0;
  #limit = LONGEST_PIECE;
  #lineStart = 0;
  /** @type {"start" | "text" | "marked"} */ #line = "start";
  /** @type {"" | "western" | "ideographic"} */ #end = "";
  /** @type {GrowingBlock | null} */ #block = null;
  /** @type {string[]} */ #sentences = [];

  /** The sentences that `text` completes. @param {string} text @returns {string[]} */
  feed(text) {
    let rest = text;
    while (rest !== "") rest = this.#block ? this.#feedBlock(this.#block, rest) : this.#feedProse(rest);
    return this.#sentences.splice(0);
  }

  /** What is left when nothing more will come: at most one piece. @returns {string[]} */
  end() {
    if (this.#line === "start" && opensFence(this.#open.slice(this.#lineStart))) this.#cut(this.#lineStart);
    const left = (this.#block?.text ?? "") + this.#open;
    if (left !== "") this.#sentences.push(left);
    this.#block = null;
    this.#restart();
    return this.#sentences.splice(0);
  }

  /** @param {GrowingBlock} block @param {string} text @returns {string} what is still to be fed */
  #feedBlock(block, text) {
    const rest = block.take(text);
    if (rest === null) return "";
    this.#sentences.push(block.text);
    this.#block = null;
    return rest;
  }

  /** @param {string} text @returns {string} what is still to be fed */
  #feedProse(text) {
    this.#open += text;
    while (this.#scanned < this.#open.length) {
      const character = characterAt(this.#open, this.#scanned);
      if (character === null) break;
      if (this.#step(character)) return this.#startBlock();
      if (this.#scanned >= this.#limit) this.#cutByForce();
    }
    return "";
  }

  /** @param {string} character @returns {boolean} whether the open line begins a block */
  #step(character) {
    const start = this.#scanned;
    this.#scanned += character.length;
    if (this.#line === "start") return this.#judgeLine(character);
    this.#judgeSentence(character, start);
    if (character === "\n") this.#endLine();
    return false;
  }

  /** A line's first characters say what it is. @param {string} character @returns {boolean} as `#step` */
  #judgeLine(character) {
    const line = this.#open.slice(this.#lineStart, this.#scanned);
    if (isTableRow(line)) return true;
    if (MARKED_LINE.test(line)) {
      this.#cut(this.#lineStart);
      this.#line = "marked";
    } else if (character === "\n") {
      if (opensFence(line)) return true;
      this.#line = BLANK_LINE.test(line.trimEnd()) ? "marked" : "text";
      this.#endLine();
    } else if (line.length > LONGEST_LINE_START || !UNDECIDED_LINE.test(line)) {
      this.#line = "text";
      this.#judgeSentence(character, this.#scanned - character.length);
    }
    return false;
  }

  /** @param {string} character @param {number} start where it stands in the open text */
  #judgeSentence(character, start) {
    if (IDEOGRAPHIC_END.test(character)) {
      this.#end = "ideographic";
    } else if (WESTERN_END.test(character)) {
      this.#end ||= "western";
    } else if (this.#end !== "" && !CLOSING.test(character)) {
      const isEnd = this.#end === "ideographic" || (BLANK.test(character) && !this.#isAbbreviated(start));
      this.#end = "";
      // Before the blank, not after it: a mark that combines may follow a blank, and nothing parts those two.
      if (isEnd) this.#cut(start);
    }
  }

  /** @param {number} stop where the word ends in the open text */
  #isAbbreviated(stop) {
    return ABBREVIATION.test(this.#open.slice(Math.max(0, stop - LONGEST_ABBREVIATION), stop));
  }

  #endLine() {
    const isWhole = this.#line === "marked" && this.#open.slice(0, this.#scanned).trim() !== "";
    this.#line = "start";
    this.#end = "";
    this.#lineStart = this.#scanned;
    if (isWhole) this.#cut(this.#scanned);
  }

  #startBlock() {
    this.#cut(this.#lineStart);
    const rest = this.#open;
    this.#restart();
    this.#block = new GrowingBlock();
    return rest;
  }

  #cutByForce() {
    const piece = this.#open.slice(0, this.#scanned);
    const blank = Math.max(piece.lastIndexOf(" "), piece.lastIndexOf("\n"));
    const boundary = graphemes.segment(piece).containing(blank > 0 ? blank : piece.length - 1)?.index ?? 0;
    if (boundary > 0) this.#cut(boundary);
    else if (this.#limit < LONGEST_CHARACTER) this.#limit *= 2;
    else this.#cut(piece.length);
  }

  /** @param {number} index in the open text */
  #cut(index) {
    if (index <= 0) return;
    this.#sentences.push(this.#open.slice(0, index));
    this.#open = this.#open.slice(index);
    this.#scanned -= index;
    this.#lineStart = Math.max(0, this.#lineStart - index);
    this.#limit = LONGEST_PIECE;
  }

  #restart() {
    this.#open = "";
    this.#scanned = 0;
    this.#lineStart = 0;
    this.#limit = LONGEST_PIECE;
    this.#line = "start";
    this.#end = "";
  }
}

/** @param {string} text @param {number} index @returns {string | null} null while the other half of a pair is not there */
function characterAt(text, index) {
  const isHigh = (text.charCodeAt(index) & 0xfc00) === 0xd800;
  if (!isHigh) return text[index];
  if (index + 1 === text.length) return null;
  const isPair = (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
  return text.slice(index, index + (isPair ? 2 : 1));
}
