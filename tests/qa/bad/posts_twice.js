/** Every question is asked twice. */
export default (Chat) => class extends Chat {
  post(question, signal) {
    void super.post(question, signal);
    return super.post(question, signal);
  }
};
