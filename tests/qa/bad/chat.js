/** A small chat that does it right. The other files here are each this one with one fault, and one method tells which. */

const PAUSE = 600; // ms between two messages to a screen reader
const FAILED = "The answer failed. Ask again.";
const BROKEN = "The answer broke off and is not complete. Ask again.";

export class Chat {
  transcript = document.querySelector("#transcript");
  field = document.querySelector("#question");
  stopButton = document.querySelector("#stop");
  status = document.querySelector("#status");
  alert = document.querySelector("#alert");
  /** The answer that grows, null while none does. */
  answer = null;
  #line = null;
  #spoken = 0;

  start() {
    for (const kept of JSON.parse(sessionStorage.getItem("messages") ?? "[]")) {
      const article = this.add(kept.role, kept.text);
      if (kept.role === "assistant") this.mark(article, kept.state === "running" ? "incomplete" : kept.state);
    }
    document.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.answer === null && this.field.value.trim()) void this.ask(this.field.value);
    });
    this.field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.repeat) return;
      event.preventDefault();
      event.target.form.requestSubmit();
    });
    this.stopButton.addEventListener("click", () => this.stop());
    document.documentElement.dataset.ready = "";
  }

  async ask(question) {
    this.field.value = "";
    this.add("user", question);
    this.answer = this.add("assistant", "");
    this.answer.setAttribute("aria-busy", "true");
    this.mark(this.answer, "running");
    this.stopButton.hidden = false;
    this.say("Generating the answer");
    this.#line = new AbortController();
    try {
      const reply = await this.post(question, this.#line.signal);
      if (reply.ok) await this.read(reply);
      else this.refused(await reply.text());
    } catch (error) {
      if (this.answer !== null) this.cut(error);
    }
  }

  post(question, signal) {
    const id = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16)).join("");
    return fetch("/chat", { method: "POST", body: JSON.stringify({ id, question }), signal });
  }

  async read(reply) {
    let rest = "";
    for await (const piece of reply.body.pipeThrough(new TextDecoderStream())) {
      const frames = (rest + piece).split(/\r?\n\r?\n|\r\r/);
      rest = frames.pop();
      for (const frame of frames) if (this.take(frame)) return;
    }
    this.cut();
  }

  /** Whether the answer ends with this frame. */
  take(frame) {
    for (const line of frame.split(/\r\n|\n|\r/)) {
      if (this.answer === null) return true;
      if (!line.startsWith("data:")) continue;
      const data = line.slice(5).trim();
      if (data === "[DONE]") return this.end("completed", "Answer complete");
      const told = JSON.parse(data);
      if (told.error) return this.failed(told.error);
      const choice = told.choices[0];
      if (choice?.delta.content) this.grow(choice.delta.content);
      if (choice?.finish_reason) return this.end("completed", "Answer complete");
    }
    return false;
  }

  grow(text) {
    this.show(this.answer, this.textOf(this.answer) + text);
  }

  textOf(article) {
    return article.source ?? "";
  }

  show(article, text) {
    article.source = text;
    article.querySelector(".text").textContent = this.written(text);
    this.keep();
  }

  written(text) {
    return text;
  }

  failed() {
    return this.end("failed", "", FAILED);
  }

  refused() {
    this.end("failed", "", FAILED);
  }

  cut() {
    this.end("incomplete", "", BROKEN);
  }

  stop() {
    this.#line.abort();
    this.end("cancelled", "Stopped");
  }

  end(state, words, loud = "") {
    const article = this.answer;
    this.answer = null;
    article.removeAttribute("aria-busy");
    this.mark(article, state);
    this.stopButton.hidden = true;
    if (words) this.say(words);
    if (loud) this.alert.textContent = loud;
    return true;
  }

  /** One message after the other, never two at once. */
  say(words) {
    const wait = Math.max(0, this.#spoken + PAUSE - performance.now());
    this.#spoken = performance.now() + wait;
    setTimeout(() => this.speak(words), wait);
  }

  speak(words) {
    this.status.textContent = words;
  }

  add(role, text) {
    const article = document.createElement("article");
    article.dataset.role = role;
    const heading = document.createElement("h2");
    heading.textContent = role === "user" ? "You" : "Chat";
    const part = document.createElement("div");
    part.className = "text";
    const standing = document.createElement("p");
    standing.className = "standing";
    article.append(heading, part, standing);
    this.transcript.append(article);
    this.show(article, text);
    return article;
  }

  mark(article, state) {
    const words = { running: "Writing", completed: "", cancelled: "Stopped", failed: FAILED, incomplete: BROKEN };
    article.dataset.state = state;
    article.querySelector(".standing").textContent = words[state];
    this.keep();
  }

  /** What a reload brings back. */
  keep() {
    const kept = [...this.transcript.children].map((article) => ({
      role: article.dataset.role,
      text: this.textOf(article),
      state: article.dataset.state,
    }));
    sessionStorage.setItem("messages", JSON.stringify(kept));
  }
}
