/** What the server refused with stands there as the answer. */
export default (Chat) => class extends Chat {
  refused(body) {
    this.show(this.answer, body);
    this.end("completed", "Answer complete");
  }
};
