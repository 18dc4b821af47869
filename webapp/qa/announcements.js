/**
 * Records what a page gives to screen readers, as an init script of every frame; it runs before the page's own and changes
 * nothing of it. What is live, and what a change of it says: WAI-ARIA 1.2 §5.3.4 and §6.6; `announcements.py` tells more.
 */
(() => {
  if (window.motamotAnnouncements) return;

  const LEVELS = ["polite", "assertive", "off"];
  const BY_ROLE = { status: "polite", log: "polite", alert: "assertive", timer: "off", marquee: "off" };
  // Every role that is not abstract: the first of them among an element's tokens is its role.
  const ROLES = new Set(
    `alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox
    comment complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid
    gridcell group heading image img insertion link list listbox listitem log main mark marquee math menu menubar menuitem
    menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup
    region row rowgroup rowheader scrollbar search searchbox sectionfooter sectionheader separator slider spinbutton status
    strong subscript suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree
    treegrid treeitem`.split(/\s+/),
  );
  // AccName 1.2: whose name stands in place of what they hold, and who may have none at all.
  const NAMED = /^(?:a|button|img|svg|area|meter|progress|image|link|checkbox|radio|switch|tab|menuitem|option|progressbar)$/;
  const NAMELESS = /^(?:div|span|p|b|i|em|strong|code|sub|sup|ins|del|pre|blockquote)$/;
  const UNSPOKEN = /^(?:script|style|template|noscript|iframe|object)$/;
  const SHOWING = ["class", "style", "hidden", "aria-hidden", "inert", "open"];
  const SAYING = ["aria-label", "alt"];
  const MAKING = ["role", "aria-live"];
  const OBSERVED = {
    subtree: true,
    childList: true,
    characterData: true,
    characterDataOldValue: true,
    attributeFilter: [...SHOWING, ...SAYING, ...MAKING],
  };

  /** Everything written for a screen reader, in order. @see announcements.py, `_KINDS` */
  const written = [];
  /** element → what was seen of it as a live region, also after it left the page */
  const regions = new Map();
  /** host → its shadow root, closed ones too */
  const shadows = new WeakMap();
  /** Elements that were passed over because nobody could perceive them. */
  const unseen = new Set();
  /** Whether the page's first HTML has been read: what comes with its text from now on comes late. */
  let isOpened = document.readyState !== "loading";

  // --- what is live

  function roleOf(element) {
    const tokens = (element.getAttribute("role") ?? "").toLowerCase().split(/\s+/);
    return tokens.find((token) => ROLES.has(token)) ?? (element.localName === "output" ? "status" : "");
  }

  /** What the element says of itself, null where it says nothing. Its own `aria-live` wins over its role. */
  function politenessOf(element) {
    const stated = (element.getAttribute("aria-live") ?? "").trim().toLowerCase();
    return LEVELS.includes(stated) ? stated : (BY_ROLE[roleOf(element)] ?? null);
  }

  /** The element around a node as it is rendered: a slot for what is slotted, the host for what is in a shadow. */
  function parentOf(node) {
    return node.assignedSlot ?? (node.parentNode instanceof ShadowRoot ? node.parentNode.host : node.parentElement);
  }

  function elementOf(node) {
    if (node instanceof ShadowRoot) return node.host;
    return node instanceof Element ? node : parentOf(node);
  }

  function* around(node) {
    for (let element = elementOf(node); element; element = parentOf(element)) yield element;
  }

  /** The nearest region around a node; one that is `off` silences what is in it. */
  function regionOf(node) {
    for (const element of around(node)) if (politenessOf(element) !== null) return element;
    return null;
  }

  /** The element that is said as a whole when this node in the region changes, null where the node alone is said. */
  function wholeOf(node, region) {
    for (const element of around(node)) {
      const stated = element.getAttribute("aria-atomic");
      if (stated === "true") return element;
      if (stated === "false") return null;
      if (element === region) break;
    }
    return /^(?:status|alert)$/.test(roleOf(region)) ? region : null;
  }

  function isRelevant(region, what) {
    const stated = (region.getAttribute("aria-relevant") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const relevant = stated.length > 0 ? stated : ["additions", "text"];
    return relevant.includes("all") || relevant.includes(what);
  }

  /** A name by which a person finds it: role or element, then its id, its label or its first class. */
  function nameOf(element) {
    const base = roleOf(element) || element.localName;
    const label = element.getAttribute("aria-label");
    const mark = element.id ? `#${element.id}` : label ? ` "${label}"` : roleOf(element) ? "" : firstClass(element);
    const root = element.getRootNode();
    return root instanceof ShadowRoot ? `${root.host.localName}: ${base}${mark}` : base + mark;
  }

  function firstClass(element) {
    return element.classList.length > 0 ? `.${element.classList[0]}` : "";
  }

  // --- what of it can be perceived

  /** Why nobody is told of the element by itself, "" where nothing keeps it back. */
  function ownSilence(element, style) {
    if (element.getAttribute("aria-hidden") === "true") return 'aria-hidden="true"';
    if (element.inert || element.hasAttribute("inert")) return "inert";
    if (style.display === "none") return "display: none";
    return element.hasAttribute("hidden") && style.display === "" ? "hidden" : "";
  }

  /** Why nobody is told of the element, by itself or by what is around it. */
  function silenceOf(element) {
    return treeSilence(element) || (isInvisible(getComputedStyle(element)) ? "visibility: hidden" : "");
  }

  function isInvisible(style) {
    return /hidden|collapse/.test(style.visibility);
  }

  /** The same for an element and all in it; of `visibility` each element may say something else. */
  function treeSilence(element) {
    for (const at of around(element)) {
      const why = ownSilence(at, getComputedStyle(at));
      if (why) return at === element ? why : `${why} on ${at.localName}${at.id ? `#${at.id}` : firstClass(at)} around it`;
    }
    const dialogs = [...document.querySelectorAll("dialog:modal")];
    const isBehind = dialogs.length > 0 && !dialogs.some((dialog) => [...around(element)].includes(dialog));
    return isBehind ? "behind a modal dialog" : "";
  }

  /** The author's name for an element, "" where it has none or may not have one. */
  function labelOf(element) {
    if (roleOf(element) === "" && NAMELESS.test(element.localName)) return "";
    const ids = (element.getAttribute("aria-labelledby") ?? "").split(/\s+/).filter(Boolean);
    const labels = ids.map((id) => element.getRootNode().getElementById?.(id)?.textContent ?? "");
    return labels.join(" ").trim() || (element.getAttribute("aria-label") ?? "").trim();
  }

  function inside(node) {
    const shadow = node instanceof Element ? (node.shadowRoot ?? shadows.get(node)) : null;
    if (shadow) return shadow.childNodes;
    const assigned = node instanceof HTMLSlotElement ? node.assignedNodes({ flatten: true }) : [];
    return assigned.length > 0 ? assigned : node.childNodes;
  }

  /** The words of a node, blanks as they stand; what is hidden in it is left out and remembered. */
  function wordsOf(node) {
    if (node instanceof Text) return node.data;
    if (!(node instanceof Element) || UNSPOKEN.test(node.localName)) return "";
    const style = getComputedStyle(node);
    if (ownSilence(node, style)) {
      unseen.add(node);
      return "";
    }
    if (node.localName === "br") return " ";
    const isHidden = isInvisible(style);
    if (isHidden) unseen.add(node);
    const isNamed = NAMED.test(roleOf(node) || node.localName);
    const label = isHidden ? "" : labelOf(node) || (isNamed ? (node.getAttribute("alt") ?? "") : "");
    if (label && isNamed) return ` ${label} `;
    const words = [...inside(node)].map((child) => (isHidden && child instanceof Text ? "" : wordsOf(child))).join("");
    const named = label && words.trim() ? `${label} ${words}` : words;
    return /^(?:inline|contents|)$/.test(style.display) ? named : ` ${named} `;
  }

  /** What a node says: nothing while it, or what is around it, cannot be perceived. */
  function textOf(node) {
    const element = elementOf(node);
    const parent = parentOf(node);
    if (element === null) return "";
    if (!element.isConnected || !(node instanceof Text ? silenceOf(element) : parent && treeSilence(parent))) {
      return collapsed(wordsOf(node));
    }
    unseen.add(element);
    return "";
  }

  function collapsed(text) {
    return text.replaceAll(/\s+/g, " ").trim();
  }

  // --- what is kept

  function keep(kind, about, text) {
    if (text) written.push({ kind, time: performance.now() / 1000, ...about, text });
  }

  function aboutRegion(element) {
    return { region: nameOf(element), politeness: politenessOf(element) };
  }

  /** Regions in a subtree that are new to us, and shadows in it. Those that have their text with them come late. */
  function meet(root, met) {
    const elements = root instanceof Element ? [root, ...root.querySelectorAll("*")] : root.querySelectorAll("*");
    for (const element of elements) {
      const shadow = element.shadowRoot ?? shadows.get(element);
      if (shadow) watch(shadow, met);
      if (politenessOf(element) !== null) met.add(element);
    }
  }

  function register(element) {
    const about = aboutRegion(element);
    const isSilent = silenceOf(element) !== "";
    const text = isSilent ? "" : collapsed(wordsOf(element));
    const cameFilled = isOpened && text !== "" && about.politeness !== "off";
    regions.set(element, { ...about, isSilent, cameFilled, unheard: "", isGrowing: isGrowing(element) });
    if (cameFilled) keep("born", about, text);
  }

  function watch(root, met) {
    observer.observe(root, OBSERVED);
    meet(root, met);
  }

  // --- what changes

  /** All changes of one task: each region speaks once, of what stands there at the end of it. */
  function changed(changes) {
    const met = new Set();
    for (const { target, addedNodes, attributeName } of changes) {
      for (const node of addedNodes) if (node instanceof Element && node.isConnected) meet(node, met);
      if (MAKING.includes(attributeName) && hasTurned(target)) met.add(target);
    }
    for (const element of met) register(element);
    const spoken = new Map();
    for (const change of changes) tell(change, spoken);
    const shown = changes.filter(({ attributeName }) => SHOWING.includes(attributeName));
    if (shown.length > 0) revealed(shown, spoken, met);
    for (const [region, units] of spoken) {
      if (!met.has(region) && (isOpened || !regions.get(region).isGrowing)) speak(region, units);
    }
    if (!isOpened) for (const [element, known] of regions) known.isGrowing &&= isGrowing(element);
  }

  /** Whether the parser may be in the element still, since nothing follows it yet: what it puts there is first content. */
  function isGrowing(element) {
    for (let at = element; at; at = at.parentNode ?? at.host) if (at.nextSibling) return false;
    return true;
  }

  /** Whether an attribute has made the element a region, or has turned one on or off. */
  function hasTurned(element) {
    const politeness = politenessOf(element) ?? "off";
    const known = regions.get(element);
    if ((known?.politeness ?? "off") === "off" || politeness === "off") return element.isConnected;
    known.politeness = politeness;
    return false;
  }

  /** Note what a change adds to what its region says. */
  function tell(change, spoken) {
    const { type, target, attributeName } = change;
    if (type === "childList") {
      for (const node of change.addedNodes) {
        if (node.parentNode === target) add(spoken, parentOf(node) ?? target, node, kindOf(node));
      }
      for (const node of change.removedNodes) if (!node.isConnected) add(spoken, target, node, "removals");
    } else if (type === "characterData" && target.data !== change.oldValue) add(spoken, target, target, "text");
    else if (SAYING.includes(attributeName)) add(spoken, target, target, "text");
  }

  function kindOf(node) {
    return node instanceof Element ? "additions" : "text";
  }

  function add(spoken, place, node, kind) {
    if (!(node instanceof Element || node instanceof Text)) return;
    const region = regionOf(place);
    if (!region?.isConnected || politenessOf(region) === "off" || !isRelevant(region, kind)) return;
    if (!spoken.has(region)) spoken.set(region, new Set());
    spoken.get(region).add(wholeOf(place, region) ?? node);
  }

  /** What could not be perceived and now can is an addition; a region of that kind comes with its text. */
  function revealed(shown, spoken, met) {
    for (const element of unseen) {
      if (element.isConnected && silenceOf(element)) continue;
      unseen.delete(element);
      const parent = parentOf(element);
      if (element.isConnected && parent && !regions.has(element)) add(spoken, parent, element, "additions");
    }
    for (const { target } of shown) if (regionOf(target) && silenceOf(target)) unseen.add(target);
    for (const [element, { isSilent }] of regions) {
      if (!isSilent || !element.isConnected || silenceOf(element)) continue;
      register(element);
      met.add(element);
    }
  }

  function speak(region, units) {
    const parts = [...units].filter((unit) => ![...units].some((other) => other !== unit && other.contains(unit)));
    const why = silenceOf(region);
    const text = collapsed(parts.map((part) => (why ? part.textContent : textOf(part))).join(" "));
    if (why && text) Object.assign(regions.get(region), { isSilent: true, unheard: why });
    keep(why ? "unheard" : "heard", aboutRegion(region), text);
  }

  const observer = new MutationObserver(changed);

  function wrap(prototype, method, replace) {
    const original = prototype[method];
    if (!original) return;
    const wrapped = { [method](...given) { return replace(this, original, given); } }[method];
    Object.defineProperty(prototype, method, { value: wrapped, configurable: true, writable: true, enumerable: true });
  }

  wrap(Element.prototype, "attachShadow", (host, original, given) => {
    const shadow = original.apply(host, given);
    shadows.set(host, shadow);
    watch(shadow, new Set());
    return shadow;
  });
  for (const prototype of [Document.prototype, Element.prototype]) {
    wrap(prototype, "ariaNotify", (node, original, given) => {
      const politeness = given[1]?.priority === "high" ? "assertive" : "polite";
      keep("heard", { region: "ariaNotify", politeness }, collapsed(String(given[0])));
      return original.apply(node, given);
    });
  }

  observer.observe(document, OBSERVED);
  // Before any module of the page runs: what is still to be told of is the parser's.
  document.addEventListener("readystatechange", () => {
    if (!isOpened) changed(observer.takeRecords());
    isOpened = true;
  }, { capture: true, once: true });

  function read() {
    const found = [...regions].map(([element, { region, politeness, cameFilled, unheard }]) => {
      const isThere = element.isConnected;
      const silence = unheard || (isThere && politeness !== "off" ? silenceOf(element) : "");
      return { name: region, politeness, came_filled: cameFilled, silence, is_there: isThere };
    });
    return { origin: performance.timeOrigin, now: performance.now() / 1000, written, regions: found };
  }

  Object.defineProperty(window, "motamotAnnouncements", { value: { read } });
})();
