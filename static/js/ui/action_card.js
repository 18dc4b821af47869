/** The cards of what an answer proposes: values, two buttons, and what became of it in the same place; they call nobody themselves. */

import { Problem } from "../core/problem.js";
import { words } from "../core/words.js";
import { find, part, setIcon } from "./parts.js";

/** @typedef {import("../core/events.js").Action} Action */

/**
 * @typedef {object} ActionLine
 * @property {(actionId: string, decision: "confirm" | "decline") => Promise<Action>} decide
 * @property {(messageId: string) => Promise<Action[]>} actionsNow
 */

/** ms between two looks at an action that is being carried out. */
const LOOK_EVERY = 2000;

/** @type {Readonly<Record<string, string>>} by state */
const ICONS = { proposed: "pen", confirmed: "pen", succeeded: "check", failed: "alert", declined: "stop", expired: "stop" };

/** The cards under one answer. */
export class ActionCards {
  #place;
  #messageId;
  #template;
  #line;
  #onSay;
  /** @type {Map<string, ActionCard>} by the action's id */
  #cards = new Map();
  #isWatching = false;

  /**
   * @param {HTMLElement} place may hold cards that the server wrote
   * @param {string} messageId
   * @param {object} given
   * @param {HTMLTemplateElement} given.template
   * @param {ActionLine} given.line
   * @param {(sentence: string, isUrgent: boolean) => void} given.onSay
   */
  constructor(place, messageId, { template, line, onSay }) {
    this.#place = place;
    this.#messageId = messageId;
    this.#template = template;
    this.#line = line;
    this.#onSay = onSay;
    for (const element of place.children) this.#add(/** @type {HTMLElement} */ (element));
  }

  /** Call it once at least. @param {readonly Action[]} actions as they stand now; those that were refused have no card */
  show(actions) {
    for (const action of actions) {
      const card = this.#cards.get(action.id);
      if (card) card.show(action);
      else if (action.state !== "refused") this.#draw(action);
    }
    void this.#watch();
  }

  /** @param {Action} action */
  #draw(action) {
    const element = /** @type {HTMLElement} */ (document.importNode(this.#template.content, true).firstElementChild);
    drawProposal(element, action);
    this.#place.append(element);
    this.#add(element).show(action);
  }

  /** @param {HTMLElement} element */
  #add(element) {
    const card = new ActionCard(element, { onDecide: (decision) => void this.#decide(card, decision), onSay: this.#onSay });
    this.#cards.set(card.id, card);
    return card;
  }

  /** @param {ActionCard} card @param {"confirm" | "decline"} decision */
  async #decide(card, decision) {
    if (card.isDeciding) return;
    card.deciding(decision);
    try {
      this.show([await this.#line.decide(card.id, decision)]);
    } catch (error) {
      await this.#explain(card, Problem.from(error));
    }
  }

  /** @param {ActionCard} card @param {Problem} problem */
  async #explain(card, problem) {
    // What was decided in another tab, or by time, is shown as it stands.
    if (problem.code === "action_refused") this.show(await this.#line.actionsNow(this.#messageId).catch(() => []));
    card.undecided(problem.code === "connection_lost" ? words.actionUnheard : problem.sentence);
  }

  /** While something is being carried out, its result is asked for now and then. */
  async #watch() {
    if (this.#isWatching) return;
    this.#isWatching = true;
    while ([...this.#cards.values()].some((card) => card.isWaiting)) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
      for (const action of await this.#line.actionsNow(this.#messageId).catch(() => [])) {
        const card = this.#cards.get(action.id);
        if (card?.isWaiting) card.show(action);
      }
    }
    this.#isWatching = false;
  }
}

class ActionCard {
  isDeciding = false;
  #element;
  #heading;
  #text;
  #onSay;

  /**
   * @param {HTMLElement} element
   * @param {{ onDecide: (decision: "confirm" | "decline") => void, onSay: (sentence: string, isUrgent: boolean) => void }} given
   */
  constructor(element, { onDecide, onSay }) {
    this.#element = element;
    this.#heading = part(element, "action-heading");
    this.#text = part(element, "action-text");
    this.#onSay = onSay;
    this.#form?.addEventListener("submit", (event) => {
      event.preventDefault();
      const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
      onDecide(button?.value === "confirm" ? "confirm" : "decline");
    });
  }

  get id() {
    return this.#element.dataset.actionId ?? "";
  }

  /** It is being carried out, and how that ends is not known yet. */
  get isWaiting() {
    return this.#element.dataset.actionState === "confirmed";
  }

  get #form() {
    return /** @type {HTMLFormElement | null} */ (this.#element.querySelector('[data-part="action-form"]'));
  }

  /** @param {"confirm" | "decline"} decision it is on its way to the server */
  deciding(decision) {
    this.#setDeciding(true);
    this.#text.textContent = decision === "confirm" ? words.actions.confirmed : words.actionDeclining;
  }

  /** Nobody knows whether the decision arrived, or it was refused: the buttons stand for another try. @param {string} sentence */
  undecided(sentence) {
    this.#setDeciding(false);
    if (this.#form !== null) this.#text.textContent = sentence;
    this.#onSay(sentence, true);
  }

  /** @param {Action} action as it stands now */
  show({ state, description, result }) {
    const isNews = this.#element.dataset.actionState !== state;
    const text = [words.actions[state], result?.text].filter(Boolean).join(" ");
    this.#element.dataset.actionState = state;
    this.#text.textContent = text;
    setIcon(this.#element, ICONS[state] ?? "pen");
    if (state === "proposed") return;
    this.#setDeciding(false);
    this.#removeForm();
    this.#showLink(result?.url);
    if (isNews && state !== "confirmed") this.#onSay(`${description}. ${text}`, state === "failed");
  }

  #removeForm() {
    const form = this.#form;
    if (form === null) return;
    if (form.contains(document.activeElement)) this.#heading.focus({ preventScroll: true }); // the receipt stands where the eye is
    form.remove();
  }

  /** @param {string | undefined} address from a webhook, and so nobody's word but its own */
  #showLink(address) {
    if (address === undefined || !/^https?:\/\//i.test(address) || this.#element.querySelector("a") !== null) return;
    const line = document.createElement("p");
    const link = document.createElement("a");
    line.className = "action-link";
    link.href = link.textContent = address;
    link.target = "_blank";
    link.rel = "noopener noreferrer";
    line.append(link);
    this.#element.append(line);
  }

  /** @param {boolean} isDeciding */
  #setDeciding(isDeciding) {
    this.isDeciding = isDeciding;
    for (const button of this.#form?.querySelectorAll("button") ?? []) {
      if (isDeciding) button.setAttribute("aria-disabled", "true");
      else button.removeAttribute("aria-disabled");
    }
  }
}

/** What is proposed, once, into the empty card. @param {HTMLElement} element @param {Action} action */
function drawProposal(element, { id, description, arguments: values }) {
  const heading = part(element, "action-heading");
  element.id = element.dataset.actionId = id;
  heading.id = `heading-${id}`;
  heading.textContent = description;
  element.setAttribute("aria-labelledby", heading.id);
  const rows = Object.entries(values).map(([name, value]) => row(name, value));
  part(element, "action-values").replaceChildren(...rows);
  /** @type {HTMLTableElement} */ (find(element, "table")).hidden = rows.length === 0;
}

/** @param {string} name @param {unknown} value */
function row(name, value) {
  const row = document.createElement("tr");
  const head = document.createElement("th");
  const cell = document.createElement("td");
  head.scope = "row";
  head.textContent = name;
  cell.textContent = typeof value === "string" ? value : JSON.stringify(value);
  row.append(head, cell);
  return row;
}
