/** The text of one message on the page: it only ever grows at its end, so that a reader's selection stays. */

/** Characters after which a block ends at its next line break: the browser lays out the last block alone when text comes. */
const BLOCK = 2000;
/** Characters after which a node ends at its next blank, for lines that do not end: the browser shapes the last node alone. */
const NODE = 4000;

/**
 * Shows a text as text nodes; `textContent` of the root is the exact text at every moment.
 * It stands in blocks, each but the last with a line break at its end, which as a block's last character shows nothing.
 */
export class GrowingText {
  #root;
  #shown = "";
  /** @type {Element | null} the block that takes what comes next; the root is the first one */
  #block = null;
  #blockLength = 0;
  /** @type {Text | null} its last node, while that is open */
  #node = null;

  /** @param {HTMLElement} root empty, or holding what `text` says */
  constructor(root, text = "") {
    this.#root = root;
    this.#shown = text;
    // HTML turned CR into LF and NUL into U+FFFD on the way; the exact text replaces what came out otherwise.
    if (root.textContent !== text) this.#replace(text);
    else this.#takeOver();
  }

  get text() {
    return this.#shown;
  }

  /** @param {string} text usually what is shown and more */
  show(text) {
    if (text === this.#shown) return;
    if (text.startsWith(this.#shown)) this.#append(text.slice(this.#shown.length));
    else this.#replace(text);
    this.#shown = text;
  }

  /** What the server wrote is one block, which goes on growing. */
  #takeOver() {
    if (this.#shown === "") return;
    this.#block = this.#root;
    this.#blockLength = this.#shown.length;
  }

  /** @param {string} text */
  #replace(text) {
    this.#root.replaceChildren();
    this.#block = this.#node = null;
    this.#append(text);
  }

  /** @param {string} text */
  #append(text) {
    // A line without any blank ends its node where a piece ends, so that no character is ever cut in two.
    if (this.#node !== null && this.#node.length > 2 * NODE) this.#node = null;
    for (let rest = text; rest !== ""; ) {
      const block = (this.#block ??= this.#newBlock());
      const node = (this.#node ??= block.appendChild(document.createTextNode("")));
      const lineEnd = endOf("\n", rest, BLOCK - this.#blockLength);
      const end = Math.min(lineEnd, endOf(" ", rest, NODE - node.length), rest.length);
      node.appendData(rest.slice(0, end));
      rest = rest.slice(end);
      this.#blockLength += end;
      if (end === lineEnd) this.#block = null;
      if (rest !== "" || end === lineEnd) this.#node = null;
    }
  }

  #newBlock() {
    this.#blockLength = 0;
    if (this.#root.firstChild === null) return this.#root;
    return this.#root.appendChild(document.createElement("div"));
  }
}

/** Where the first `sign` at or after `from` ends, Infinity when there is none. @param {string} sign @param {string} text @param {number} from */
function endOf(sign, text, from) {
  const index = text.indexOf(sign, from);
  return index === -1 ? Infinity : index + 1;
}
