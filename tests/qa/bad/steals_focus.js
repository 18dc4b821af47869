/** The focus jumps to the answer when it is there. */
export default (Chat) => class extends Chat {
  end(...how) {
    this.answer.tabIndex = -1;
    this.answer.focus();
    return super.end(...how);
  }
};
