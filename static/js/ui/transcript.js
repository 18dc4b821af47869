/** The questions and answers on the page, in order, and the end of them kept in view for a reader who is there. */

import { newReading } from "../core/reader.js";
import { words } from "../core/words.js";
import { AnswerArticle } from "./answer_article.js";
import { GrowingText } from "./growing_text.js";
import { nameArticle, part } from "./parts.js";

/** @typedef {import("../core/reader.js").Reading} Reading */
/** @typedef {import("../core/states.js").State} State */

/** How far from the end still counts as being there, CSS px: less than any wheel step, more than rounding. */
const NEAR = 4;

export class Transcript {
  #root;
  #templates;
  #labelOf;
  #onSay;
  #actions;
  #onEdit;
  #end = new EndKeeper();
  /** @type {AbortController | null} */
  #running = null;

  /**
   * @param {HTMLElement} root
   * @param {object} given
   * @param {Record<"question" | "answer" | "versions", HTMLTemplateElement>} given.templates
   * @param {(model: string) => string} given.labelOf a model's label by its id
   * @param {(sentence: string, isUrgent: boolean) => void} given.onSay
   * @param {import("./answer_article.js").Actions} given.actions
   * @param {(question: HTMLElement) => void} given.onEdit
   */
  constructor(root, { templates, labelOf, onSay, actions, onEdit }) {
    this.#root = root;
    this.#templates = templates;
    this.#labelOf = labelOf;
    this.#onSay = onSay;
    this.#actions = actions;
    this.#onEdit = onEdit;
  }

  get isEmpty() {
    return this.#root.querySelector("article") === null;
  }

  /** The newest answer's id, "" for none: what a new question follows. */
  get lastAnswerId() {
    const answers = this.#root.querySelectorAll('article[data-role="assistant"]');
    return /** @type {HTMLElement | undefined} */ (answers[answers.length - 1])?.dataset.messageId ?? "";
  }

  start() {
    this.#end.start();
    this.#running = new AbortController();
    this.#root.addEventListener("submit", (event) => this.#submit(event), { signal: this.#running.signal });
    // A page that opens as usual opens at its newest text; a reload, or a place named in the address, is the browser's.
    const [opened] = performance.getEntriesByType("navigation");
    const isOpened = opened instanceof PerformanceNavigationTiming && opened.type === "navigate";
    if (isOpened && location.hash === "" && !this.isEmpty) this.#end.go();
  }

  stop() {
    this.#end.stop();
    this.#running?.abort();
    this.#running = null;
  }

  /**
   * Takes over what the server wrote.
   * @returns {{ article: AnswerArticle, reading: Reading }[]} the answers, oldest first
   */
  adopt() {
    const adopted = [];
    for (const element of /** @type {NodeListOf<HTMLElement>} */ (this.#root.querySelectorAll("article"))) {
      const text = JSON.parse(part(element, "source").textContent ?? '""');
      if (element.dataset.role === "user") new QuestionArticle(element, text);
      else adopted.push(this.#adoptAnswer(element, text));
    }
    return adopted;
  }

  /** @param {string} text */
  addQuestion(text) {
    const article = new QuestionArticle(clone(this.#templates.question), text);
    this.#root.append(article.element);
    this.#end.go();
    return article;
  }

  /**
   * The answer to a question, which is another version of the old question or has a further version of the old answer:
   * the old one and all that stood below it leave the page.
   * @param {Reading} reading
   * @param {HTMLElement} question another one may stand below it already
   * @param {string} oldId "" for none
   * @returns {{ article: AnswerArticle, isFocusLost: boolean }} whether the focus was in what left
   */
  addAnswer(reading, question, oldId) {
    const old = document.getElementById(oldId);
    const focused = document.activeElement;
    for (let next = /** @type {Element | null} */ (old); next !== null && next !== question; ) {
      const leaving = next;
      next = leaving.nextElementSibling;
      leaving.remove();
    }
    const element = clone(this.#templates.answer);
    nameArticle(element, reading.messageId);
    const article = this.#answer(element, reading, this.#labelOf(reading.model));
    question.after(element);
    if (old !== null) this.#showVersions(old, old.dataset.role === "user" ? question : element, reading.conversationId);
    return { article, isFocusLost: focused !== null && !focused.isConnected };
  }

  /** The question that stands above an answer. @param {string} answerId */
  questionOf(answerId) {
    return /** @type {HTMLElement} */ (document.getElementById(answerId)?.previousElementSibling);
  }

  /** The answer that a question on the page follows, "" for none. @param {string} questionId */
  parentOf(questionId) {
    return /** @type {HTMLElement | null} */ (document.getElementById(questionId)?.previousElementSibling)?.dataset.messageId ?? "";
  }

  /** The last question that the server has, or null. */
  get lastQuestion() {
    const questions = this.#root.querySelectorAll('article[data-role="user"][id]');
    return /** @type {HTMLElement | null} */ (questions[questions.length - 1] ?? null);
  }

  /** @param {HTMLElement} old @param {HTMLElement} version the newest @param {string} conversationId */
  #showVersions(old, version, conversationId) {
    const versions = [...(part(old, "versions").dataset.versions ?? old.id).split(" "), version.id];
    const before = versions[versions.length - 2];
    const address = `/c/${conversationId}`;
    const group = part(version, "versions");
    group.replaceChildren(document.importNode(this.#templates.versions.content, true));
    const previous = part(group, "previous");
    version.dataset.version = String(versions.length);
    group.dataset.versions = versions.join(" ");
    part(group, "version-place").textContent = words.versionPlace(versions.length);
    previous.setAttribute("href", `${address}?at=${before}#heading-${before}`);
    previous.removeAttribute("role");
    previous.removeAttribute("aria-disabled");
    part(group, "compare").setAttribute("href", `${address}/compare?left=${before}&right=${version.id}`);
    group.hidden = false;
  }

  /** @param {SubmitEvent} event */
  #submit(event) {
    const form = /** @type {HTMLFormElement} */ (event.target);
    const question = /** @type {HTMLElement | null} */ (form.closest("article.question"));
    if (question === null) return;
    event.preventDefault();
    this.#onEdit(question);
  }

  /** @param {HTMLElement} element @param {string} text */
  #adoptAnswer(element, text) {
    const { messageId = "", requestId = "", seq, finish = "", code, label = "" } = element.dataset;
    const state = /** @type {State} */ (element.dataset.state);
    const reading = newReading({ messageId, requestId, state, text, seq: Number(seq), finishReason: finish });
    return { article: this.#answer(element, reading, label), reading };
  }

  /** @param {HTMLElement} element @param {Reading} reading @param {string} label */
  #answer(element, reading, label) {
    const others = [...this.#root.querySelectorAll('article[data-role="assistant"]')];
    const number = (others.includes(element) ? others.indexOf(element) : others.length) + 1;
    return new AnswerArticle(element, { reading, label, number, onSay: this.#onSay, actions: this.#actions });
  }
}

/** Keeps the end of the page in view while the reader is there: any scrolling up ends it, coming back to the end begins it. */
class EndKeeper {
  #page = document.documentElement;
  #isKeeping = false;
  #top = 0;
  #sizes = new ResizeObserver(() => this.#isKeeping && this.go());
  /** @type {AbortController | null} */
  #running = null;

  start() {
    this.#running = new AbortController();
    this.#top = this.#page.scrollTop;
    this.#isKeeping = this.#isAtEnd();
    document.addEventListener("scroll", () => this.#scrolled(), { signal: this.#running.signal, passive: true });
    this.#sizes.observe(document.body); // text, notes and the field alike make the page longer
  }

  stop() {
    this.#running?.abort();
    this.#running = null;
    this.#sizes.disconnect();
  }

  go() {
    this.#isKeeping = true;
    this.#page.scrollTop = this.#page.scrollHeight;
    this.#top = this.#page.scrollTop;
  }

  #scrolled() {
    const top = this.#page.scrollTop;
    if (this.#isAtEnd()) this.#isKeeping = true;
    else if (top < this.#top) this.#isKeeping = false;
    this.#top = top;
  }

  #isAtEnd() {
    const { scrollTop, clientHeight, scrollHeight } = this.#page;
    return scrollTop + clientHeight >= scrollHeight - NEAR;
  }
}

/** One question on the page; it cannot change once it was accepted. */
export class QuestionArticle {
  #text;
  #standing;

  /**
   * @param {HTMLElement} element cloned empty from the template, or the server's
   * @param {string} text
   */
  constructor(element, text) {
    this.element = element;
    this.#text = new GrowingText(part(element, "text"), text);
    this.#standing = part(element, "standing");
    Object.defineProperty(element, "text", { get: () => this.#text.text, configurable: true });
  }

  /** @param {string} requestId */
  sending(requestId) {
    this.element.dataset.requestId = requestId;
    this.element.dataset.state = "sending";
    this.#standing.textContent = words.ends.sending.label;
    this.#standing.hidden = false;
  }

  /** @param {string} questionId */
  accepted(questionId) {
    if (questionId !== "") nameArticle(this.element, questionId);
    this.element.dataset.state = "completed";
    this.#standing.hidden = true;
  }

  remove() {
    this.element.remove();
  }
}

/** @param {HTMLTemplateElement} template */
function clone(template) {
  const fragment = /** @type {DocumentFragment} */ (document.importNode(template.content, true));
  return /** @type {HTMLElement} */ (fragment.firstElementChild);
}
