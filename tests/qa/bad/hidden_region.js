/** The region is there, and no screen reader can see it. */
export default (Chat) => class extends Chat {
  start() {
    this.status.style.display = "none";
    super.start();
  }
};
