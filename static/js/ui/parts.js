/** The marked parts of the templates' markup, found and named; a part that is missing is a fault of the template and thrown at once. */

/**
 * @template {Element} [T=HTMLElement]
 * @param {ParentNode} root
 * @param {string} name value of `data-part`
 * @returns {T}
 */
export function part(root, name) {
  return /** @type {T} */ (find(root, `[data-part="${name}"]`));
}

/**
 * @param {ParentNode} root
 * @param {string} name value of `data-motamot`
 */
export function region(root, name) {
  return /** @type {HTMLElement} */ (find(root, `[data-motamot="${name}"]`));
}

/**
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {Element}
 */
export function find(root, selector) {
  const found = root.querySelector(selector);
  if (found === null) throw new Error(`the page has no ${selector}`);
  return found;
}

/** Draws another icon of the sprite. @param {ParentNode} root holds the `svg` @param {string} name */
export function setIcon(root, name) {
  find(root, "svg.icon > use").setAttribute("href", `#icon-${name}`);
}

/**
 * Gives an article its id, and its heading as its name.
 * @param {HTMLElement} element
 * @param {string} messageId
 */
export function nameArticle(element, messageId) {
  const heading = part(element, "heading");
  heading.id = `heading-${messageId}`;
  element.id = messageId;
  element.dataset.messageId = messageId;
  element.setAttribute("aria-labelledby", heading.id);
}
