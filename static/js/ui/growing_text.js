/** The text of one message on the page: it only ever grows at its end, so that a reader's selection stays. */

/** Shows a text as text nodes; `textContent` of the root is the exact text at every moment. */
export class GrowingText {
  #root;
  #shown = "";
  /** @type {Text | null} */
  #node = null;

  /** @param {HTMLElement} root empty, or holding what `text` says */
  constructor(root, text = "") {
    this.#root = root;
    this.#shown = text;
    // HTML turned CR into LF and NUL into U+FFFD on the way; the exact text replaces what came out otherwise.
    if (root.textContent !== text) this.#replace(text);
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

  /** @param {string} piece */
  #append(piece) {
    if (this.#node?.isConnected) this.#node.appendData(piece);
    else this.#root.append((this.#node = document.createTextNode(piece)));
  }

  /** @param {string} text */
  #replace(text) {
    this.#node = document.createTextNode(text);
    this.#root.replaceChildren(this.#node);
  }
}
