/** One question and its answer, from Send to the end: it asks once, follows, stops and resumes. */

import { Problem } from "../core/problem.js";
import { newReading } from "../core/reader.js";
import { standingOf } from "../core/standing.js";
import { isEnded } from "../core/states.js";
import { words } from "../core/words.js";

/** @typedef {import("../core/events.js").AnswerEvent} AnswerEvent */
/** @typedef {import("../core/question.js").Question} Question */
/** @typedef {import("../core/reader.js").Reading} Reading */
/** @typedef {import("../core/reader.js").Sight} Sight */
/** @typedef {AsyncIterable<AnswerEvent> | import("../core/reader.js").Message} Opened what a question brings */
/** @typedef {import("./announcer.js").Announcer} Announcer */
/** @typedef {import("./answer_article.js").AnswerArticle} AnswerArticle */
/** @typedef {import("./transcript.js").QuestionArticle} QuestionArticle */
/** @typedef {import("./transcript.js").Transcript} Transcript */

/**
 * @typedef {object} Follower reads one answer over any number of connections
 * @property {Reading} reading
 * @property {(open: (signal: AbortSignal) => Promise<Opened>, signal: AbortSignal) => Promise<void>} follow `open` asks
 * @property {(signal: AbortSignal) => Promise<void>} resume
 * @property {(signal: AbortSignal) => Promise<void>} resumeNow as `resume`, but a first try that fails is told at once
 * @property {() => void} tryNow ends a wait for the next try
 * @property {(signal: AbortSignal) => Promise<void>} goOn
 */

/**
 * @typedef {object} Line what a turn needs of the network
 * @property {(signal: AbortSignal) => Promise<string>} openConversation the conversation's id; made when there is none yet
 * @property {(conversationId: string, question: Question, signal: AbortSignal) => Promise<Opened>} ask
 * @property {(question: Question, signal: AbortSignal) => Promise<Opened>} regenerate
 * @property {(messageId: string) => Promise<void>} cancel
 * @property {(messageId: string, sight: Sight) => void} tell what was seen of an answer; never fails
 * @property {(reading: Reading, onChange: (reading: Reading, event: AnswerEvent | null) => void,
 *   hooks: { onLost: (wait: number) => void, onBack: () => void }) => Follower} follower
 */

/**
 * @typedef {object} Host what a turn tells the page
 * @property {(turn: Turn) => void} onChange after every change, in the same task
 * @property {() => void} onAccepted the question and its answer exist
 * @property {(question: Question, problem: Problem) => void} onRefused nothing of the question stands on the page any more
 * @property {(problem: Problem) => void} onStopLost
 * @property {(wait: number) => void} onReconnecting the line is lost, and tried again after so many ms
 * @property {(problem: Problem) => void} onLost and it is tried no longer
 * @property {() => void} onBack
 */

/** How long Stop waits for the server to say which answer it is, ms; then the question counts as not sent. */
const NAMELESS_STOP = 5000;

export class Turn {
  #line;
  #transcript;
  #announcer;
  #host;
  /** @type {Follower} */
  #follower;
  /** @type {AbortController} ends the present connection */
  #connection = new AbortController();
  /** @type {"sending" | "following" | "lost" | "ended" | "refused"} */
  #phase = "sending";
  /** @type {Question | null} */
  #question = null;
  /** @type {QuestionArticle | null} */
  #questionArticle = null;
  /** @type {AnswerArticle | null} */
  #article = null;
  #stop = { isAsked: false, isSent: false };
  #stopped = new Latch();
  #isAskedToResume = false;
  #isTriedQuietly = false;
  /** @type {number | null} by performance.now(); null for an answer that was not asked for here */
  #sentAt = null;
  /** @type {number | null} ms */
  #firstVisible = null;
  #reconnects = 0;
  #isTold = false;

  /**
   * @param {{ line: Line, transcript: Transcript, announcer: Announcer, host: Host }} collaborators
   * @param {Reading} [reading] where to begin with an answer that exists
   */
  constructor({ line, transcript, announcer, host }, reading = newReading()) {
    this.#line = line;
    this.#transcript = transcript;
    this.#announcer = announcer;
    this.#host = host;
    const hooks = { onLost: (/** @type {number} */ wait) => this.#reconnecting(wait), onBack: () => this.#back() };
    this.#follower = line.follower(reading, (changed, event) => this.#changed(changed, event), hooks);
  }

  /** An answer is being written, or may be: a new question would be refused, and the button means Stop. */
  get isRunning() {
    return this.isGrowing && !this.#stop.isAsked;
  }

  /** Something may still be written, stopped or not. */
  get isGrowing() {
    return this.#phase === "sending" || this.#phase === "following";
  }

  /** Nothing can come any more. */
  get isOver() {
    return this.#phase === "ended" || this.#phase === "refused";
  }

  /** The answer that a further one was asked for, "" when this is a question of its own. */
  get renews() {
    return this.#question?.renews ?? "";
  }

  /** @returns {Reading} */
  get reading() {
    return this.#follower.reading;
  }

  /** Resolves when the server has this turn's cancel mark, or when there is nothing to stop any more. */
  get stopped() {
    return this.#stop.isAsked ? this.#stopped.opened : Promise.resolve();
  }

  /**
   * Sends a question; it is asked once, whatever happens to the line.
   * @param {Question} question
   * @param {Promise<unknown>} clear resolves when nothing on the page is being stopped any more
   */
  async ask(question, clear) {
    this.#sentAt = performance.now();
    this.#question = question;
    this.#questionArticle = this.#transcript.addQuestion(question.text);
    this.#questionArticle.sending(question.requestId);
    this.#host.onChange(this);
    await this.#run(async (signal) => {
      await clear;
      const conversationId = await this.#line.openConversation(signal);
      const parentId = question.parentId ?? this.#transcript.lastAnswerId;
      const sent = (this.#question = { ...question, parentId });
      await this.#follower.follow((line) => this.#line.ask(conversationId, sent, line), signal);
    });
  }

  /**
   * Sends what asks for a further answer to a question on the page; the old one stands there until the new one exists.
   * @param {Question} question
   * @param {Promise<unknown>} clear as for `ask`
   */
  async renew(question, clear) {
    this.#question = question;
    this.#host.onChange(this);
    await this.#run(async (signal) => {
      await clear;
      await this.#follower.follow((line) => this.#line.regenerate(question, line), signal);
    });
  }

  /** Follows an answer that was already running when the page opened. @param {AnswerArticle} article */
  async join(article) {
    this.#phase = "following";
    this.#adopt(article);
    this.#announcer.joined(this.#name, this.reading.text);
    article.draw();
    // Fetched first: a page that was written while the answer grew holds more text than its number says.
    await this.#run((signal) => this.#follower.resume(signal));
  }

  /** The page goes away, perhaps to come back as it is: its line is let go, which is no loss to be told of. */
  leave() {
    this.#tell();
    this.#connection.abort();
  }

  /** The page is back: from the browser's store of left pages, or from being frozen. */
  async comeBack() {
    if (!this.#connection.signal.aborted) return; // nothing was let go
    if (this.#phase === "sending") this.#refuse(new Problem({ code: "connection_lost" }));
    else if (this.#phase === "following") await this.#run((signal) => this.#follower.resume(signal));
  }

  /** Asks the server to stop; what has come stays. */
  stop() {
    if (!this.isRunning) return;
    this.#stop.isAsked = true;
    this.#stopped = new Latch();
    this.#article?.stopping(true);
    this.#host.onChange(this);
    if (this.reading.messageId !== "") void this.#cancel();
    else setTimeout(() => this.#giveUpNameless(), NAMELESS_STOP);
  }

  /** Goes on after a line that was given up. */
  async resume() {
    if (this.#phase !== "lost") return;
    this.#phase = "following";
    this.#isAskedToResume = true;
    this.#article?.resuming();
    await this.#run((signal) => this.#follower.resumeNow(signal));
  }

  /** The network, or the person, is back: whatever waits for its next try waits no longer. */
  tryNow() {
    if (this.#phase !== "lost") return this.#follower.tryNow();
    this.#isTriedQuietly = true;
    void this.resume();
  }

  /** Its name for the announcer: known from the first moment. */
  get #name() {
    return this.#question?.requestId || this.reading.requestId || this.reading.messageId;
  }

  /** @param {AnswerArticle} article */
  #adopt(article) {
    this.#article = article;
    article.onDrawn = () => this.#drawn();
    article.onResume(() => void this.resume());
  }

  /** The page shows what is known, in this task. */
  #drawn() {
    if (this.#sentAt !== null && this.reading.text !== "") this.#firstVisible ??= performance.now() - this.#sentAt;
    this.#host.onChange(this);
    if (this.#phase === "ended") this.#tell();
  }

  /** What was seen of the answer goes to the server's figures, once there is something to tell. */
  #tell() {
    const { messageId, state, repeats, holes, mismatches } = this.reading;
    if (this.#isTold || messageId === "" || (this.#firstVisible === null && !isEnded(state))) return;
    this.#isTold = true;
    this.#line.tell(messageId, {
      firstVisible: this.#firstVisible,
      repeats,
      holes,
      mismatches,
      reconnects: this.#reconnects,
    });
  }

  /** @param {(signal: AbortSignal) => Promise<void>} step one connection, to the end or to its loss */
  async #run(step) {
    this.#connection.abort(); // one at most
    const connection = (this.#connection = new AbortController());
    try {
      await step(connection.signal);
    } catch (error) {
      if (connection.signal.aborted) return; // let go on purpose
      if (!(error instanceof Problem)) throw error;
      if (this.reading.messageId === "") this.#refuse(error);
      else this.#lose(error);
    }
  }

  /** @param {Reading} reading @param {AnswerEvent | null} event */
  #changed(reading, event) {
    if (reading.messageId === "") return;
    const isFocusLost = this.#article === null && this.#accept(reading);
    if (isEnded(reading.state)) this.#phase = "ended";
    this.#article?.show(reading, event);
    if (isFocusLost) this.#article?.focus();
    this.#announce(reading);
    if (isEnded(reading.state)) this.#stopped.open();
    else if (this.#stop.isAsked && !this.#stop.isSent) void this.#cancel();
  }

  /** @param {Reading} reading @returns {boolean} whether the focus was in an old version, which left the page */
  #accept(reading) {
    this.#phase = "following";
    this.#questionArticle?.accepted(reading.questionId);
    const { edits = "", renews = "" } = this.#question ?? {};
    const question = this.#questionArticle?.element ?? this.#transcript.questionOf(renews);
    const { article, isFocusLost } = this.#transcript.addAnswer(reading, question, edits || renews);
    this.#adopt(article);
    this.#announcer.answerStarted(this.#name);
    this.#host.onAccepted();
    return isFocusLost;
  }

  /** @param {Reading} reading */
  #announce(reading) {
    const { state, text, activity } = reading;
    if (isEnded(state)) {
      this.#announcer.answerEnded(this.#name, { state, text, note: standingOf(reading).note });
      const proposed = reading.actions.filter((action) => action.state === "proposed");
      if (proposed.length > 0) this.#announcer.say(words.actionsProposed(proposed.map(({ description }) => description)));
    } else if (activity === "") this.#announcer.answerText(this.#name, text);
    else this.#announcer.answerActivity(this.#name, activity);
  }

  async #cancel() {
    this.#stop.isSent = true;
    // The own stream first: what the server sends from here on is read once, after the last number.
    this.#connection.abort();
    try {
      await this.#line.cancel(this.reading.messageId);
    } catch (error) {
      this.#stop = { isAsked: false, isSent: false };
      if (this.#phase !== "ended") this.#host.onStopLost(Problem.from(error));
    }
    this.#stopped.open();
    this.#article?.stopping(this.#stop.isAsked);
    if (this.#phase === "following") await this.#run((signal) => this.#follower.goOn(signal));
  }

  /** @param {number} wait ms */
  #reconnecting(wait) {
    this.#isAskedToResume = false;
    this.#article?.reconnecting();
    this.#announcer.connectionLost();
    this.#host.onReconnecting(wait);
  }

  #back() {
    this.#reconnects++;
    // Who asked for it hears that it worked; else only a long loss is told, and with it its end.
    if (this.#isAskedToResume) this.#announcer.say(words.resumed);
    else this.#announcer.connectionBack();
    this.#isAskedToResume = this.#isTriedQuietly = false;
    this.#host.onBack();
  }

  #giveUpNameless() {
    if (this.#phase !== "sending") return;
    this.#connection.abort();
    this.#refuse(new Problem({ code: "connection_lost" }));
  }

  /** @param {Problem} problem */
  #refuse(problem) {
    this.#phase = "refused";
    this.#questionArticle?.remove();
    this.#stopped.open();
    if (this.#question !== null) this.#host.onRefused(this.#question, problem);
    this.#host.onChange(this);
  }

  /** @param {Problem} problem */
  #lose(problem) {
    const { note, step } = standingOf(this.reading, problem.code);
    this.#phase = step === "" ? "ended" : "lost";
    this.#stop = { isAsked: false, isSent: false };
    this.#stopped.open();
    this.#article?.disconnect(problem.code);
    const isKnown = this.#isTriedQuietly && !problem.isFinal;
    this.#isTriedQuietly = false;
    if (isKnown) return; // it was told when the line was given up, and is as it was
    this.#announcer.answerEnded(this.#name, { state: "disconnected", text: this.reading.text, note });
    this.#host.onLost(problem);
  }
}

/** A promise that is opened from outside, once. */
class Latch {
  open = () => {};
  /** @type {Promise<void>} */
  opened = new Promise((resolve) => (this.open = resolve));
}
