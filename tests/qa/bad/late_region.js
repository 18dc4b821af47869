/** The region comes into the page with its text. */
export default (Chat) => class extends Chat {
  start() {
    this.status.remove();
    super.start();
  }

  speak(words) {
    document.querySelector("#status")?.remove();
    const region = document.createElement("div");
    region.id = "status";
    region.setAttribute("role", "status");
    region.textContent = words;
    document.querySelector("main").prepend(region);
  }
};
