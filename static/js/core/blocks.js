/** Blocks of a Markdown text that are named instead of read, while they grow: code between fences, and tables. */

// A fence may also stand in a list or a quotation (CommonMark 0.31.2, §4.5).
const FENCE = /^[ \t>]*(?<marks>`{3,}(?=[^`]*$)|~{3,})/;
const ROW = /^[ \t>]*\|/;
const NO_ROW = /^[ \t>]*[^ \t>|]/;
// GFM 0.29, §4.10.
const DELIMITER_ROW = /^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** @param {string} line a whole line */
export const opensFence = (line) => FENCE.test(line);

/** @param {string} line its first characters are enough */
export const isTableRow = (line) => ROW.test(line);

/**
 * What a whole block is, or null for prose.
 * @param {string} text
 * @returns {{ kind: "code" | "table", size: number } | null} `size`: lines between the fences, or rows under the header
 */
export function describeBlock(text) {
  const lines = text.replace(/^(?:[ \t\r]*\n)+/, "").trimEnd().split("\n");
  const fence = FENCE.exec(lines[0])?.groups?.marks;
  if (fence) return { kind: "code", size: lines.slice(1).filter((line) => !closesFence(fence, line)).length };
  const isTable = lines.length > 1 && isTableRow(lines[0]) && DELIMITER_ROW.test(lines[1].trimEnd());
  return isTable ? { kind: "table", size: lines.length - 2 } : null;
}

/** @param {string} fence the marks that opened the block @param {string} line */
function closesFence(fence, line) {
  const marks = line.replace(/^[ \t>]+/, "").trimEnd();
  return marks.length >= fence.length && marks === fence[0].repeat(marks.length);
}

/** A block as it grows. Work is linear in the text, however it is cut. */
export class GrowingBlock {
  #wholeLines = "";
  #line = "";
  #isRow = false;
  #fence = "";

  get text() {
    return this.#wholeLines + this.#line;
  }

  /**
   * Take what belongs to the block.
   * @param {string} text the first time it begins with the block's own first line
   * @returns {string | null} what follows the block, or null while it goes on
   */
  take(text) {
    let start = 0;
    while (start < text.length) {
      const newline = text.indexOf("\n", start);
      const stop = newline < 0 ? text.length : newline + 1;
      this.#line += text.slice(start, stop);
      start = stop;
      if (this.#isForeign()) return this.#giveBack() + text.slice(start);
      if (newline >= 0 && this.#endLine()) return text.slice(start);
    }
    return null;
  }

  /** Whether the open line shows that a table is over. A long row is looked at once: joining it each time would be quadratic. */
  #isForeign() {
    if (this.#isRow || this.#isCode()) return false;
    this.#isRow = isTableRow(this.#line);
    return NO_ROW.test(this.#line);
  }

  #isCode() {
    return this.#fence !== "" || (this.#wholeLines === "" && !isTableRow(this.#line));
  }

  #giveBack() {
    const line = this.#line;
    this.#line = "";
    return line;
  }

  /** @returns {boolean} whether this line is the block's last */
  #endLine() {
    const line = this.#giveBack();
    const isFirst = this.#wholeLines === "";
    this.#wholeLines += line;
    this.#isRow = false;
    if (isFirst) this.#fence = FENCE.exec(line.trimEnd())?.groups?.marks ?? "";
    return !isFirst && this.#fence !== "" && closesFence(this.#fence, line);
  }
}
