/** The text of one message on the page: it only ever grows at its end, so that a reader's selection stays. */

/** Characters after which a block ends at its next line break: the browser lays out the last block alone when text comes. */
const BLOCK = 2000;

/**
 * Shows a text as text nodes; `textContent` of the root is the exact text at every moment.
 * It stands in blocks, each but the last with a line break at its end, which as a block's last character shows nothing.
 */
export class GrowingText {
  #root;
  #shown = "";
  /** @type {Text | null} the node that takes what comes next */
  #open = null;

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
    this.#root.normalize();
    const { firstChild } = this.#root;
    if (firstChild instanceof Text) this.#open = firstChild;
  }

  /** @param {string} text */
  #replace(text) {
    this.#root.replaceChildren();
    this.#open = null;
    this.#append(text);
  }

  /** @param {string} text */
  #append(text) {
    for (let rest = text; rest !== ""; ) {
      const block = (this.#open ??= this.#newBlock());
      const lineBreak = rest.indexOf("\n", Math.max(0, BLOCK - block.length));
      const end = lineBreak === -1 ? rest.length : lineBreak + 1;
      block.appendData(rest.slice(0, end));
      rest = rest.slice(end);
      if (lineBreak !== -1) this.#open = null;
    }
  }

  #newBlock() {
    const node = document.createTextNode("");
    if (this.#root.firstChild === null) {
      this.#root.append(node);
    } else {
      const block = document.createElement("div");
      block.append(node);
      this.#root.append(block);
    }
    return node;
  }
}
