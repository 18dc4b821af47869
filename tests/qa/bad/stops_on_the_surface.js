/** Stop ends what is shown, and the model goes on. */
export default (Chat) => class extends Chat {
  post(question) {
    return super.post(question);
  }
};
