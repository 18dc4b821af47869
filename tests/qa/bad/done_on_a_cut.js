/** A line that breaks off completes the answer. */
export default (Chat) => class extends Chat {
  cut() {
    this.end("completed", "Answer complete");
  }
};
