/** The growing text is a live region. */
export default (Chat) => class extends Chat {
  add(role, text) {
    const article = super.add(role, text);
    article.querySelector(".text").setAttribute("aria-live", "polite");
    return article;
  }

  show(article, text) {
    const part = article.querySelector(".text");
    part.append(text.slice(this.textOf(article).length));
    article.source = text;
    this.keep();
  }
};
