/** The conversation on the page: which turn runs, what the button means, where a refused question goes. */

import { RequestIds } from "../core/question.js";
import { isEnded } from "../core/states.js";
import { words } from "../core/words.js";
import { leaveVersion } from "./frame.js";
import { Turn } from "./turn.js";

/** @typedef {import("../core/problem.js").Problem} Problem */
/** @typedef {import("../core/question.js").Question} Question */

/**
 * @typedef {object} Parts
 * @property {import("./transcript.js").Transcript} transcript
 * @property {import("./announcer.js").Announcer} announcer
 * @property {import("./frame.js").PageTitle} pageTitle
 * @property {import("./frame.js").ConnectionStrip} strip
 * @property {HTMLElement} heading the conversation's title
 * @property {HTMLElement} welcome shown while there is no question
 * @property {HTMLAnchorElement} lastAnswer leads from the composer to the newest answer
 */

export class Chat {
  #parts;
  #line;
  #requestIds;
  /** @type {Turn[]} those that have not come to an end that the page knows */
  #turns = [];
  #isRefusalOfRunning = false;
  /** @type {import("./composer.js").Composer} */
  #composer;
  /** @type {import("./send_button.js").SendButton} */
  #button;

  /**
   * @param {Parts} parts
   * @param {import("./turn.js").Line & { conversationTitle: () => Promise<string> }} line
   * @param {() => string} newRequestId
   * @param {object} controls made by the caller, who gives them this object's methods
   * @param {(chat: Chat) => import("./composer.js").Composer} controls.composer
   * @param {(chat: Chat) => import("./send_button.js").SendButton} controls.button
   */
  constructor(parts, line, newRequestId, { composer, button }) {
    this.#parts = parts;
    this.#line = line;
    this.#requestIds = new RequestIds(newRequestId);
    this.#composer = composer(this);
    this.#button = button(this);
  }

  start() {
    const { transcript } = this.#parts;
    this.#composer.start();
    this.#button.start();
    const adopted = transcript.adopt();
    transcript.start();
    for (const { article, reading } of adopted) {
      if (!isEnded(reading.state)) void this.#turn(reading).join(article);
    }
    this.refresh();
  }

  stop() {
    this.#parts.transcript.stop();
    this.#composer.stop();
    this.#button.stop();
  }

  leave() {
    for (const turn of this.#turns) turn.leave();
  }

  comeBack() {
    for (const turn of [...this.#turns]) void turn.comeBack();
  }

  /** Every lost line is tried again at once. */
  tryNow() {
    for (const turn of [...this.#turns]) turn.tryNow();
  }

  /** @param {string} text @param {boolean} isDraft it stands in the composer */
  send(text, isDraft) {
    if (this.#isRunning) return text.trim() === "" ? undefined : this.#refuseWhileRunning(words.answerRunning);
    if (isDraft && this.#composer.objection !== "") return this.object(this.#composer.objection);
    const { model, edits } = this.#composer;
    const question = this.#requestIds.number(text, model, isDraft ? { edits } : {});
    if (question.edits) question.parentId ??= this.#parts.transcript.parentOf(question.edits);
    this.#composer.forgetRefusal();
    if (isDraft) this.#composer.sent();
    this.#parts.welcome.hidden = true;
    const clear = Promise.all(this.#turns.map((turn) => turn.stopped));
    void this.#turn().ask(question, clear);
  }

  /** Asks for a further answer to the same question. @param {string} renews the old answer's id */
  renew(renews) {
    if (this.#turns.some((turn) => turn.isRunning && turn.renews === renews)) return; // a double click
    if (this.#isRunning) return this.#refuseWhileRunning(words.answerRunning);
    this.#composer.forgetRefusal();
    const clear = Promise.all(this.#turns.map((turn) => turn.stopped));
    void this.#turn().renew(this.#requestIds.number("", this.#composer.model, { renews }), clear);
  }

  /** The question goes to the composer; what is asked there stands beside it then. @param {HTMLElement | null} question */
  edit(question) {
    if (question === null) return;
    this.#composer.edit(Reflect.get(question, "text"), question.id);
    this.#parts.announcer.say(words.editing);
  }

  /** Stops what runs. */
  stopAnswer() {
    for (const turn of this.#turns) turn.stop();
  }

  /** There is nothing to send; said politely. @param {string} objection */
  object(objection) {
    this.#parts.announcer.say(objection);
  }

  /** The button, the title and the way to the newest answer, as they follow from the turns and the composer. */
  refresh() {
    const { transcript, lastAnswer } = this.#parts;
    this.#button.meaning = this.#isRunning ? "stop" : "send";
    this.#button.objection = this.#composer.objection;
    const last = transcript.lastAnswerId;
    lastAnswer.hidden = last === "";
    lastAnswer.setAttribute("href", `#heading-${last}`); // relative: the page's address changes with its first question
  }

  get #isRunning() {
    return this.#turns.some((turn) => turn.isRunning);
  }

  /** @param {import("../core/reader.js").Reading} [reading] */
  #turn(reading) {
    const { transcript, announcer } = this.#parts;
    const host = {
      onChange: (/** @type {Turn} */ changed) => this.#changed(changed),
      onAccepted: () => this.#accepted(),
      onRefused: (/** @type {Question} */ question, /** @type {Problem} */ problem) => this.#giveBack(question, problem),
      onStopLost: (/** @type {Problem} */ problem) => this.#refuseWhileRunning(`${words.stopLost} ${problem.sentence}`),
      onReconnecting: (/** @type {number} */ wait) => this.#parts.strip.lost(wait),
      onLost: (/** @type {Problem} */ problem) => (problem.isFinal ? this.#parts.strip.over() : this.#parts.strip.gone()),
      onBack: () => this.#parts.strip.back(),
    };
    const turn = new Turn({ line: this.#line, transcript, announcer, host }, reading);
    this.#turns.push(turn);
    return turn;
  }

  /** @param {Turn} changed */
  #changed(changed) {
    const { pageTitle } = this.#parts;
    if (changed.isOver) this.#turns = this.#turns.filter((turn) => turn !== changed);
    if (this.#turns.some((turn) => turn.isGrowing)) pageTitle.writing();
    else pageTitle.ended(changed.reading.state === "completed");
    if (!this.#isRunning && this.#isRefusalOfRunning) {
      this.#isRefusalOfRunning = false;
      this.#composer.forgetRefusal(); // what stood in the way is gone
    }
    this.refresh();
  }

  /** @param {string} sentence true only as long as an answer is being written */
  #refuseWhileRunning(sentence) {
    this.#isRefusalOfRunning = true;
    this.#refuse(sentence);
  }

  /** @param {Question} question @param {Problem} problem */
  #giveBack(question, problem) {
    const { transcript, welcome } = this.#parts;
    // Without a reply of the server nobody knows whether the question arrived.
    if (problem.status === 0) this.#requestIds.undelivered(question);
    welcome.hidden = !transcript.isEmpty;
    if (question.edits) this.#composer.edit(question.text, question.edits);
    else if (!question.renews) this.#composer.giveBack(question.text);
    // What runs may be an answer whose line was given up: followed again, it can be stopped here.
    if (problem.code === "conversation_busy") this.tryNow();
    if (this.#isRunning) this.#refuseWhileRunning(problem.sentence);
    else this.#refuse(problem.sentence);
  }

  #accepted() {
    leaveVersion();
    void this.#nameConversation();
  }

  /** A conversation gets its title from its first question; the page asks for it once. */
  async #nameConversation() {
    const { heading, pageTitle } = this.#parts;
    if (heading.textContent !== words.untitled) return;
    const title = await this.#line.conversationTitle().catch(() => "");
    if (title === "") return;
    heading.textContent = title;
    pageTitle.plain = words.pageTitle(title);
  }

  /** Shown beside the composer, and said at once. @param {string} sentence */
  #refuse(sentence) {
    this.#composer.refuse(sentence);
    this.#parts.announcer.warn(sentence);
  }
}
