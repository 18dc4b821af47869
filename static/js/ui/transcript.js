/** The questions and answers on the page, in order; it keeps the newest in view for a reader who is at the end. */

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
  #answers = 0;

  /**
   * @param {HTMLElement} root
   * @param {object} given
   * @param {{ question: HTMLTemplateElement, answer: HTMLTemplateElement }} given.templates
   * @param {(model: string) => string} given.labelOf a model's label by its id
   * @param {(sentence: string, isUrgent: boolean) => void} given.onSay
   */
  constructor(root, { templates, labelOf, onSay }) {
    this.#root = root;
    this.#templates = templates;
    this.#labelOf = labelOf;
    this.#onSay = onSay;
  }

  get isEmpty() {
    return this.#root.querySelector("article") === null;
  }

  /** The newest answer's id, "" for none: what a new question follows. */
  get lastAnswerId() {
    const answers = this.#root.querySelectorAll('article[data-role="assistant"]');
    return /** @type {HTMLElement | undefined} */ (answers[answers.length - 1])?.dataset.messageId ?? "";
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
    this.toEnd();
    return article;
  }

  /** @param {Reading} reading @param {HTMLElement} question another one may stand below it already */
  addAnswer(reading, question) {
    const element = clone(this.#templates.answer);
    const article = this.#answer(element, reading, this.#labelOf(reading.model));
    this.keepingEnd(() => question.after(element));
    return article;
  }

  /** Runs a change of the page, and stays at the end when the reader is there. @param {() => void} change */
  keepingEnd(change) {
    const wasAtEnd = this.#isAtEnd();
    change();
    if (wasAtEnd) this.toEnd();
  }

  toEnd() {
    const page = document.documentElement;
    page.scrollTop = page.scrollHeight;
  }

  #isAtEnd() {
    const { scrollTop, clientHeight, scrollHeight } = document.documentElement;
    return scrollTop + clientHeight >= scrollHeight - NEAR;
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
    this.#answers += 1;
    const number = this.#answers;
    return new AnswerArticle(element, { reading, label, number, onSay: this.#onSay, keepingEnd: (change) => this.keepingEnd(change) });
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
