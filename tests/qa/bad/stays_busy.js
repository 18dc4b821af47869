/** The mark of what is unfinished stays after the end. */
export default (Chat) => class extends Chat {
  end(...how) {
    const article = this.answer;
    super.end(...how);
    article.setAttribute("aria-busy", "true");
    return true;
  }
};
