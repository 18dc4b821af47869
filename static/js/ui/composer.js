/** The field for a question: it grows, keeps what was typed whatever happens, and is never disabled. */

import { objection } from "../core/question.js";
import { words } from "../core/words.js";
import { part } from "./parts.js";

export class Composer {
  #form;
  #field;
  #model;
  #hint;
  #refusal;
  #refusalText;
  #unsent;
  #unsentText;
  #putBack;
  #editing;
  #cancelEdit;
  /** @type {{ questionId: string, draft: string } | null} `draft`: what stood in the field before */
  #edit = null;
  #plainHint;
  #limit;
  #onSubmit;
  #onRenew;
  #onEditLast;
  #onChange;
  /** @type {AbortController | null} */
  #running = null;

  /**
   * @param {HTMLFormElement} form
   * @param {object} given
   * @param {(text: string, isDraft: boolean) => void} given.onSubmit `isDraft`: the text stands in the field
   * @param {(answerId: string) => void} given.onRenew a button asks for a further answer
   * @param {() => void} given.onEditLast the key for editing the last question was pressed
   * @param {() => void} given.onChange what could be sent has changed
   */
  constructor(form, { onSubmit, onRenew, onEditLast, onChange }) {
    this.#form = form;
    this.#field = /** @type {HTMLTextAreaElement} */ (part(form, "field"));
    this.#model = /** @type {HTMLSelectElement} */ (part(form, "model"));
    this.#hint = part(form, "hint");
    this.#plainHint = this.#hint.textContent ?? "";
    this.#refusal = part(form, "refusal");
    this.#refusalText = part(form, "refusal-text");
    this.#unsent = part(form, "unsent");
    this.#unsentText = part(form, "unsent-text");
    this.#putBack = part(form, "put-back");
    this.#editing = part(form, "editing");
    this.#cancelEdit = part(form, "cancel-edit");
    this.#limit = Number(form.dataset.limit);
    this.#onSubmit = onSubmit;
    this.#onRenew = onRenew;
    this.#onEditLast = onEditLast;
    this.#onChange = onChange;
  }

  start() {
    this.#running = new AbortController();
    const { signal } = this.#running;
    this.#form.addEventListener("submit", (event) => this.#submit(event), { signal });
    this.#field.addEventListener("keydown", (event) => this.#keyDown(event), { signal });
    this.#field.addEventListener("input", () => this.#edited(), { signal });
    window.addEventListener("pageshow", () => this.#edited(), { signal }); // the browser may have put a draft back
    this.#putBack.addEventListener("click", () => this.#putUnsentBack(), { signal });
    this.#cancelEdit.addEventListener("click", () => this.#endEdit(), { signal });
    this.#edited();
  }

  stop() {
    this.#running?.abort();
    this.#running = null;
  }

  get text() {
    return this.#field.value;
  }

  get model() {
    return this.#model.value;
  }

  /** Why the text cannot be sent, "" when it can. */
  get objection() {
    return objection(this.#field.value, this.#limit);
  }

  /** The question that the text would change, "" for none. */
  get edits() {
    return this.#edit?.questionId ?? "";
  }

  /** The text has left: the field is as it was before, mostly empty. */
  sent() {
    this.#showEdit(null, this.#edit?.draft ?? "");
  }

  /** Another text takes the place of the draft, which is kept. @param {string} text @param {string} questionId */
  edit(text, questionId) {
    this.#showEdit({ questionId, draft: this.#edit?.draft ?? this.#field.value }, text);
    this.focus();
  }

  #endEdit() {
    this.sent();
    this.focus();
  }

  /** @param {{ questionId: string, draft: string } | null} edit @param {string} text */
  #showEdit(edit, text) {
    this.#edit = edit;
    this.#editing.hidden = edit === null;
    this.#cancelEdit.hidden = edit === null;
    this.#field.value = text;
    this.#edited();
  }

  focus() {
    this.#field.focus();
  }

  /** @param {string} sentence why something was not sent, shown beside the field until the next one is */
  refuse(sentence) {
    this.#refusalText.textContent = sentence;
    this.#refusal.hidden = false;
  }

  /** Gives a question back. When something else was typed meanwhile, both are kept. @param {string} text */
  giveBack(text) {
    if (this.#field.value === "") {
      this.#field.value = text;
      this.#edited();
    } else if (this.#field.value !== text) {
      this.#unsentText.textContent = text;
      this.#unsent.hidden = false;
    }
  }

  /** A question has left: what was said about the one before is over, but a text that is still kept here stays. */
  forgetRefusal() {
    if (this.#unsent.hidden) this.#refusal.hidden = true;
  }

  /** @param {SubmitEvent} event */
  #submit(event) {
    event.preventDefault();
    const button = event.submitter instanceof HTMLButtonElement ? event.submitter : null;
    if (button?.name === "message_id") return this.#onRenew(button.closest("article")?.id ?? "");
    const suggestion = button?.name === "text" ? button.value : null;
    if (suggestion !== null) this.focus(); // the suggestions leave the page with the focus in them
    this.#onSubmit(suggestion ?? this.#field.value, suggestion === null);
  }

  /** @param {KeyboardEvent} event */
  #keyDown(event) {
    if (event.key === "Escape" && this.#edit !== null && !event.isComposing) return this.#endEdit();
    if (event.key === "ArrowUp" && event.altKey && this.#field.value === "") {
      event.preventDefault();
      return this.#onEditLast();
    }
    if (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    // Safari sends the Enter that ends a composition after its end, with this old key code as the only sign.
    if (event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    if (!event.repeat) this.#form.requestSubmit();
  }

  #putUnsentBack() {
    const draft = this.#field.value;
    const unsent = this.#unsentText.textContent ?? "";
    this.#field.value = draft === "" ? unsent : `${unsent}\n\n${draft}`;
    this.#unsent.hidden = true;
    this.#refusal.hidden = true;
    this.focus();
    this.#edited();
  }

  #edited() {
    const reason = this.objection;
    const isTooLong = reason !== "" && reason !== words.blankQuestion;
    const hint = isTooLong ? reason : this.#plainHint;
    if (this.#hint.textContent !== hint) this.#hint.textContent = hint;
    this.#hint.classList.toggle("hint-warning", isTooLong);
    this.#field.toggleAttribute("aria-invalid", false);
    if (isTooLong) this.#field.setAttribute("aria-invalid", "true");
    this.#grow();
    this.#onChange();
  }

  /** Where CSS cannot size a field by its content, the script does; the style sheet keeps the upper limit. */
  #grow() {
    if (CSS.supports("field-sizing", "content")) return;
    this.#field.style.blockSize = "auto";
    this.#field.style.blockSize = `${this.#field.scrollHeight}px`;
  }
}
