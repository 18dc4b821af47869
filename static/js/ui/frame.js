/** The page's frame around the conversation: the tab's title, the strip under the bar, the keys to the newest answer; it says nothing aloud. */

import { words } from "../core/words.js";

/** ms of loss before it shows: shorter ones are nobody's business. */
const SHOWN_AFTER = 2000;
/** ms for which "Resumed" stands. */
const RESUMED_FOR = 3000;

/** That an answer is being written, and, until somebody looks at the tab, that it is there. */
export class PageTitle {
  #plain;
  #prefix = "";
  /** @type {AbortController | null} */
  #running = null;

  /** @param {string} plain the title without any state */
  constructor(plain) {
    this.#plain = plain;
  }

  start() {
    this.#running = new AbortController();
    const { signal } = this.#running;
    document.addEventListener("visibilitychange", () => this.#looked(), { signal });
    window.addEventListener("focus", () => this.#looked(), { signal });
  }

  stop() {
    this.#running?.abort();
    this.#running = null;
  }

  /** @param {string} plain */
  set plain(plain) {
    this.#plain = plain;
    this.#set(this.#prefix);
  }

  writing() {
    this.#set(words.titleWriting);
  }

  /** @param {boolean} isComplete */
  ended(isComplete) {
    this.#set(isLookedAt() ? "" : isComplete ? words.titleReady : words.titleIncomplete);
  }

  #looked() {
    if (this.#prefix !== words.titleWriting && isLookedAt()) this.#set("");
  }

  /** @param {string} prefix */
  #set(prefix) {
    this.#prefix = prefix;
    const title = prefix === "" ? this.#plain : `${prefix} · ${this.#plain}`;
    if (document.title !== title) document.title = title;
  }
}

/** The slim strip of a lost connection, for the eye; it is no live region. */
export class ConnectionStrip {
  #element;
  #text = document.createElement("span");
  #tryNow = document.createElement("button");
  #onFocusLost;
  /** @type {number | null} since when, ms */
  #lostAt = null;
  #triedAt = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {HTMLElement} element
   * @param {object} given
   * @param {() => void} given.onTryNow
   * @param {() => void} given.onFocusLost the button that had the focus goes: it must not fall to the page's beginning
   */
  constructor(element, { onTryNow, onFocusLost }) {
    this.#element = element;
    this.#onFocusLost = onFocusLost;
    this.#tryNow.type = "button";
    this.#tryNow.className = "button";
    this.#tryNow.textContent = words.tryNow;
    this.#tryNow.addEventListener("click", () => {
      this.#triedAt = 0;
      this.#count();
      onTryNow();
    });
    element.replaceChildren(this.#text, " ", this.#tryNow);
  }

  stop() {
    clearTimeout(this.#timer);
  }

  /** The line is lost, and tried again. @param {number} wait ms until then */
  lost(wait) {
    const now = performance.now();
    this.#triedAt = now + wait;
    this.#lostAt ??= now;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#count(), Math.max(0, this.#lostAt + SHOWN_AFTER - now));
  }

  #count() {
    clearTimeout(this.#timer);
    const seconds = Math.ceil((this.#triedAt - performance.now()) / 1000);
    this.#show(words.connectionLost(Math.max(0, seconds)), "lost");
    if (seconds > 0) this.#timer = setTimeout(() => this.#count(), 1000);
  }

  /** A request does not get through, or does again; a lost line is told before that. @param {boolean} isLate */
  late(isLate) {
    if (this.#lostAt !== null) return;
    clearTimeout(this.#timer);
    if (isLate) this.#show(words.late, "late");
    else if (this.#element.dataset.kind === "late") this.#hide();
  }

  /** Nothing is tried any more. */
  gone() {
    clearTimeout(this.#timer);
    this.#show(words.connectionGone, "gone");
  }

  /** Nothing of it concerns the line any more. */
  over() {
    this.#lostAt = null;
    clearTimeout(this.#timer);
    this.#hide();
  }

  back() {
    this.#lostAt = null;
    clearTimeout(this.#timer);
    if (this.#element.hidden || this.#element.dataset.kind === "late") return; // the loss was too short to be told
    this.#show(words.resumed, "back");
    this.#timer = setTimeout(() => this.#hide(), RESUMED_FOR);
  }

  #hide() {
    if (document.activeElement === this.#tryNow) this.#onFocusLost();
    this.#element.hidden = true;
  }

  /** @param {string} text @param {string} kind */
  #show(text, kind) {
    this.#element.dataset.kind = kind;
    if (this.#text.textContent !== text) this.#text.textContent = text;
    if (kind !== "lost" && document.activeElement === this.#tryNow) this.#onFocusLost();
    this.#tryNow.hidden = kind !== "lost";
    this.#element.hidden = false;
  }
}

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

/** A page that was opened at an older version goes on from it: from then on its address leads to the newest. */
export function leaveVersion() {
  const query = new URLSearchParams(location.search);
  if (!query.has("at") && !query.has("edit")) return;
  query.delete("at");
  query.delete("edit");
  history.replaceState(null, "", `${location.pathname}${query.size > 0 ? "?" : ""}${query}`);
}

function isLookedAt() {
  return document.visibilityState === "visible" && document.hasFocus();
}

/** With Alt a keyboard may type another sign; then the place of the key counts. @param {KeyboardEvent} event */
function isLetterA({ key, code }) {
  return key.toLowerCase() === "a" || (code === "KeyA" && !/^[a-z]$/i.test(key));
}
