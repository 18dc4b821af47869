/** The keys that lead to the newest answer from anywhere in the page; where that is, the link itself knows. */

export class JumpKey {
  #link;
  /** @type {AbortController | null} */
  #running = null;

  /** @param {HTMLAnchorElement} link hidden while there is no answer */
  constructor(link) {
    this.#link = link;
  }

  start() {
    this.#running = new AbortController();
    document.addEventListener("keydown", (event) => this.#keyDown(event), { signal: this.#running.signal });
  }

  stop() {
    this.#running?.abort();
    this.#running = null;
  }

  /** @param {KeyboardEvent} event */
  #keyDown(event) {
    const isJump = event.altKey && event.shiftKey && !event.ctrlKey && !event.metaKey && isLetterA(event);
    if (!isJump || this.#link.hidden) return;
    event.preventDefault();
    if (!event.repeat) this.#link.click();
  }
}

/** With Alt a keyboard may type another sign; then the place of the key counts. @param {KeyboardEvent} event */
function isLetterA({ key, code }) {
  return key.toLowerCase() === "a" || (code === "KeyA" && !/^[a-z]$/i.test(key));
}
