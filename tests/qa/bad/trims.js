/** Blanks at the ends of the text are lost. */
export default (Chat) => class extends Chat {
  written(text) {
    return text.trim();
  }
};
