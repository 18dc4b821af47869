/** Empty lines are lost. */
export default (Chat) => class extends Chat {
  written(text) {
    return text.replaceAll(/\n{2,}/g, "\n");
  }
};
