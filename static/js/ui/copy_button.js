/** The button under an answer that copies its exact text, on plain http too. */

import { words } from "../core/words.js";
import { part } from "./parts.js";

/** How long the result stands beside the button, ms. */
const SHOWN_FOR = 3000;

export class CopyButton {
  #button;
  #result;
  #text;
  #source;
  #onSay;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {HTMLElement} article
   * @param {number} number of the answer, counted from 1
   * @param {() => string} source the exact text
   * @param {(sentence: string, isUrgent: boolean) => void} onSay
   */
  constructor(article, number, source, onSay) {
    this.#button = part(article, "copy");
    this.#result = part(article, "copy-result");
    this.#text = part(article, "text");
    this.#source = source;
    this.#onSay = onSay;
    part(article, "copy-number").textContent = words.copyAnswerNumber(number);
    this.#button.addEventListener("click", () => this.#copy());
  }

  /** @param {boolean} isHidden */
  set hidden(isHidden) {
    this.#button.hidden = isHidden;
  }

  async #copy() {
    const isCopied = await copyText(this.#source(), this.#text);
    this.#onSay(isCopied ? words.copied : words.copyFailed, !isCopied);
    this.#result.textContent = isCopied ? words.copiedShort : words.copyFailed;
    clearTimeout(this.#timer);
    // A failure stays: it tells what to do instead.
    if (isCopied) this.#timer = setTimeout(() => (this.#result.textContent = ""), SHOWN_FOR);
  }
}

/**
 * @param {string} text
 * @param {HTMLElement} shown where it stands on the page
 * @returns {Promise<boolean>} whether it is on the clipboard now
 */
async function copyText(text, shown) {
  try {
    // Absent where the page is no secure context, for instance in a home network.
    if (navigator.clipboard) return await navigator.clipboard.writeText(text).then(() => true);
  } catch {
    // Not allowed here: a selection may still be.
  }
  return copySelection(text, shown);
}

/** @param {string} text @param {HTMLElement} shown */
function copySelection(text, shown) {
  const selection = getSelection();
  if (selection === null) return false;
  const ranges = Array.from({ length: selection.rangeCount }, (_, index) => selection.getRangeAt(index));
  selection.selectAllChildren(shown);
  /** @param {ClipboardEvent} event */
  const give = (event) => {
    event.clipboardData?.setData("text/plain", text); // the exact text, not how the browser writes the selection
    event.preventDefault();
  };
  document.addEventListener("copy", give, { once: true, capture: true });
  const isCopied = document.execCommand("copy");
  document.removeEventListener("copy", give, { capture: true });
  selection.removeAllRanges();
  for (const range of ranges) selection.addRange(range);
  return isCopied;
}
