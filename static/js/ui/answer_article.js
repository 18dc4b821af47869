/** One answer on the page: text, marks, heading, note and buttons; what it shows is decided by the reading it is given. */

import { reconnectingStandingOf, standingOf } from "../core/standing.js";
import { isEnded } from "../core/states.js";
import { words } from "../core/words.js";
import { CopyButton } from "./copy_button.js";
import { GrowingText } from "./growing_text.js";
import { nameArticle, part, setIcon } from "./parts.js";

/** @typedef {import("../core/events.js").AnswerEvent} AnswerEvent */
/** @typedef {import("../core/reader.js").Reading} Reading */

/**
 * @typedef {object} Actions what shows the actions of answers
 * @property {() => void} expect one is being prepared
 * @property {(place: HTMLElement, reading: Reading) => void} show once for each answer; the place may hold the server's cards
 */

/** Browsers tell assistive technology of every change: more of them than this drown the announcements. */
const REDRAW_EVERY = 150;

/** @type {Readonly<Record<string, string>>} by state, then by finish reason */
const ICONS = {
  accepted: "pen",
  running: "pen",
  completed: "check",
  length: "cut",
  content_filter: "cut",
  cancelled: "stop",
  failed: "alert",
  disconnected: "unplugged",
};

export class AnswerArticle {
  #reading;
  #text;
  #label;
  #lost = ""; // code of the problem by which the line was lost
  #isStopping = false;
  #isResuming = false;
  #isReconnecting = false;
  #shownState = "";
  /** @type {AnswerEvent[]} events whose effect the page does not show yet */
  #untold = [];
  #drawnAt = -Infinity;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #parts;
  #copy;
  #actions;
  #areActionsShown = false;

  /**
   * @param {HTMLElement} element cloned empty from the template, or the server's
   * @param {object} given
   * @param {Reading} given.reading what the element stands for
   * @param {string} given.label the model's
   * @param {number} given.number counted from 1, in the name of the copy button
   * @param {(sentence: string, isUrgent: boolean) => void} given.onSay
   * @param {Actions} given.actions
   */
  constructor(element, { reading, label, number, onSay, actions }) {
    this.element = element;
    this.#reading = reading;
    this.#label = label;
    this.#parts = {
      heading: part(element, "heading"),
      note: part(element, "note"),
      noteText: part(element, "note-text"),
      actions: part(element, "actions"),
      steps: { resume: part(element, "resume"), retry: part(element, "retry"), continue: part(element, "continue") },
      again: part(element, "again"),
      standing: part(element, "standing"),
      standingText: part(element, "standing-text"),
    };
    this.#text = new GrowingText(part(element, "text"), reading.text);
    this.#copy = new CopyButton(element, number, () => this.#text.text, onSay);
    this.#copy.hidden = !isEnded(reading.state) || reading.text === "";
    element.querySelector('[data-part="stop-form"]')?.remove(); // the one Send/Stop button does that from now on
    this.#actions = actions;
    if (this.#parts.actions.childElementCount > 0) this.#showActions();
    Object.defineProperty(element, "text", { get: () => this.#text.text, configurable: true });
  }

  /** The page's other parts change in the same task as this article. @type {() => void} */
  onDrawn = () => {};

  /** @param {() => void} listener */
  onResume(listener) {
    this.#parts.steps.resume.addEventListener("click", listener);
  }

  focus() {
    this.#parts.heading.focus();
  }

  /** @param {Reading} reading @param {AnswerEvent | null} event what changed it, null for a fetched message */
  show(reading, event) {
    this.#reading = reading;
    this.#lost = "";
    this.#isResuming = false;
    this.#isReconnecting = false;
    if (event !== null) this.#untold.push(event);
    if (event?.name === "activity" && event.kind === "preparing_action") this.#actions.expect();
    const wait = this.#drawnAt + REDRAW_EVERY - performance.now();
    if (wait <= 0 || isEnded(reading.state)) this.draw();
    else this.#timer ??= setTimeout(() => this.draw(), wait);
  }

  /** The line is lost: the text stays, and the page says that it does not know how the answer goes on. @param {string} code */
  disconnect(code) {
    this.#lost = code;
    this.#isResuming = false;
    this.#isReconnecting = false;
    this.draw();
  }

  /** The line is lost, and the page tries again by itself. */
  reconnecting() {
    this.#isReconnecting = true;
    this.#lost = "";
    this.draw();
  }

  resuming() {
    this.#isResuming = true;
    this.draw();
  }

  /** @param {boolean} isStopping */
  stopping(isStopping) {
    this.#isStopping = isStopping;
    this.draw();
  }

  /** Everything that is known, at once and in this task. */
  draw() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#drawnAt = performance.now();
    const standing = this.#isReconnecting ? reconnectingStandingOf(this.#reading) : standingOf(this.#reading, this.#lost);
    this.#drawAs(standing);
    this.onDrawn();
    this.#tell(standing.state);
  }

  /** @param {import("../core/standing.js").Standing} standing */
  #drawAs(standing) {
    const isGrowing = this.#isReconnecting || standing.state === "accepted" || standing.state === "running";
    this.#text.show(this.#reading.text);
    this.#mark(standing);
    this.#drawEnd(standing, isGrowing);
    if (isGrowing) setAria(this.element, "aria-busy", "true");
    else this.element.removeAttribute("aria-busy");
  }

  /** @param {import("../core/standing.js").Standing} standing */
  #mark({ state, code }) {
    const { messageId, requestId, seq, finishReason } = this.#reading;
    if (this.element.dataset.messageId !== messageId) nameArticle(this.element, messageId);
    const marks = { requestId, state, code, finish: finishReason, seq: String(seq), label: this.#label };
    for (const [name, value] of Object.entries(marks)) setMark(this.element, name, value);
  }

  /** @param {import("../core/standing.js").Standing} standing @param {boolean} isGrowing */
  #drawEnd({ state, heading, label, note, step }, isGrowing) {
    const { heading: headingElement, note: noteElement, noteText, steps, again, standing, standingText } = this.#parts;
    setText(headingElement, heading === "" ? this.#label : `${this.#label} — ${heading}`);
    const icon = ICONS[this.#reading.finishReason] ?? ICONS[state];
    setText(standingText, isGrowing && this.#isStopping ? words.stopping : label);
    setIcon(standing, icon);
    for (const [name, button] of Object.entries(steps)) {
      if (name !== step && button === document.activeElement) headingElement.focus(); // the button goes
      button.hidden = name !== step;
    }
    noteElement.hidden = note === "";
    setText(noteText, note);
    setIcon(noteElement, icon);
    if (this.#isResuming) setAria(steps.resume, "aria-disabled", "true");
    else steps.resume.removeAttribute("aria-disabled");
    again.hidden = state !== "completed";
    this.#copy.hidden = isGrowing || this.#text.text === "";
    if (this.#reading.actions.length > 0) this.#showActions();
  }

  #showActions() {
    if (!this.#areActionsShown) this.#actions.show(this.#parts.actions, this.#reading);
    this.#areActionsShown = true;
  }

  /** @param {string} state */
  #tell(state) {
    const { messageId, seq } = this.#reading;
    for (const event of this.#untold.splice(0)) {
      this.#dispatch("motamot:event", { message_id: messageId, seq: event.seq, event: event.name });
    }
    if (state === this.#shownState) return;
    this.#shownState = state;
    this.#dispatch("motamot:state", { message_id: messageId, seq, state });
  }

  /** @param {string} type @param {object} detail */
  #dispatch(type, detail) {
    this.element.dispatchEvent(new CustomEvent(type, { bubbles: true, detail }));
  }
}

/** Leaves what is equal alone: each change of the page is told to assistive technology. @param {Element} element @param {string} text */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @param {Element} element @param {string} name @param {string} value */
function setAria(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** @param {HTMLElement} element @param {string} name @param {string} value */
function setMark(element, name, value) {
  if (element.dataset[name] !== value) element.dataset[name] = value;
}
