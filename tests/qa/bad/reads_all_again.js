/** The whole conversation is one region, read from its beginning at every change. */
export default (Chat) => class extends Chat {
  start() {
    this.transcript.setAttribute("role", "log");
    this.transcript.setAttribute("aria-atomic", "true");
    super.start();
  }
};
