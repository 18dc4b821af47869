/** The one button that means Send or Stop: when a press on it counts, and what it is called; it sends nothing itself. */

import { words } from "../core/words.js";
import { find, setIcon } from "./parts.js";

/** @typedef {"send" | "stop"} Meaning */

export class SendButton {
  #button;
  #label;
  #reason;
  #gate = new PressGate();
  /** @type {Meaning} */
  #meaning = "send";
  #objection = "";
  #onStop;
  #onObjection;
  /** @type {AbortController | null} */
  #running = null;

  /**
   * @param {HTMLButtonElement} button of type `submit`, so that it works before the script
   * @param {object} given
   * @param {HTMLElement} given.reason describes the button: why it does nothing now
   * @param {() => void} given.onStop
   * @param {(objection: string) => void} given.onObjection it was pressed although there is nothing to send
   */
  constructor(button, { reason, onStop, onObjection }) {
    this.#button = button;
    this.#label = find(button, "span");
    this.#reason = reason;
    this.#onStop = onStop;
    this.#onObjection = onObjection;
  }

  start() {
    this.#running = new AbortController();
    const { signal } = this.#running;
    this.#button.addEventListener("pointerdown", () => this.#gate.began(performance.now()), { signal });
    this.#button.addEventListener("keydown", (event) => this.#keyDown(event), { signal });
    this.#button.addEventListener("click", (event) => this.#click(event), { signal });
  }

  stop() {
    this.#running?.abort();
    this.#running = null;
  }

  /** @param {Meaning} meaning */
  set meaning(meaning) {
    if (meaning === this.#meaning) return;
    this.#meaning = meaning;
    this.#gate.meaningChanged(performance.now());
    // The same element keeps the focus; only while it means Send does a press submit the form.
    this.#button.type = meaning === "stop" ? "button" : "submit";
    this.#button.dataset.meaning = meaning;
    this.#label.textContent = meaning === "stop" ? words.stop : words.send;
    setIcon(this.#button, meaning);
    this.#drawObjection();
  }

  /** Why there is nothing to send, "" when there is. @param {string} objection */
  set objection(objection) {
    if (objection === this.#objection) return;
    this.#objection = objection;
    this.#drawObjection();
  }

  /** It is never `disabled`: that would throw the focus away. */
  #drawObjection() {
    const objection = this.#meaning === "send" ? this.#objection : "";
    if (objection === "") this.#button.removeAttribute("aria-disabled");
    else this.#button.setAttribute("aria-disabled", "true");
    this.#reason.textContent = objection;
  }

  /** @param {KeyboardEvent} event */
  #keyDown(event) {
    if (event.key !== "Enter" && event.key !== " ") return;
    this.#gate.began(performance.now(), event.repeat);
    if (event.repeat && event.key === "Enter") event.preventDefault(); // each repeat would be a click
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const acts = this.#gate.acts(performance.now());
    const isSend = this.#meaning === "send";
    if (isSend && acts && this.#objection === "") return; // the form is submitted
    event.preventDefault();
    if (!acts) return;
    if (isSend) this.#onObjection(this.#objection);
    else this.#onStop();
  }
}

/** When a press may act: never when it began too near to a change of meaning. Times are ms of one clock, given by the caller. */
export class PressGate {
  static SETTLED_AFTER = 400;
  #meaningSince = -Infinity;
  /** @type {number | null} */
  #began = null;
  #isRepeat = false;

  /** The button means something else from now on. @param {number} now */
  meaningChanged(now) {
    this.#meaningSince = now;
  }

  /** A finger, a mouse button or a key went down. @param {number} now @param {boolean} [isRepeat] of a held key */
  began(now, isRepeat = false) {
    this.#isRepeat = isRepeat;
    if (!isRepeat) this.#began = now;
  }

  /**
   * The press became a click: may it act? A click without a beginning (assistive technology, script) begins now.
   * @param {number} now
   */
  acts(now) {
    const began = this.#began ?? now;
    const isRepeat = this.#isRepeat;
    this.#began = null;
    this.#isRepeat = false;
    return !isRepeat && began - this.#meaningSince >= PressGate.SETTLED_AFTER;
  }
}
