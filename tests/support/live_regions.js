/**
 * Records what the page writes into live regions, as an init script: it runs before the page's own and changes nothing of it.
 * Live are the roles and properties of WAI-ARIA 1.2 (§5.3.4, §6.6) and `output`; regions that come later count too.
 */
(() => {
  const POLITENESS = { status: "polite", log: "polite", alert: "assertive", timer: "off", marquee: "off" };
  const record = { messages: [], moments: [], born: [] };
  Object.defineProperty(window, "liveRegionRecord", { value: record });

  /** What the element's own role and `aria-live` say, null when they say nothing. An `off` of its own wins over its role. */
  function ownPoliteness(element) {
    const stated = element.getAttribute("aria-live");
    if (["polite", "assertive", "off"].includes(stated)) return stated;
    const role = (element.getAttribute("role") ?? "").trim().split(/\s+/)[0];
    if (role === "") return element.localName === "output" ? "polite" : null;
    return POLITENESS[role] ?? null;
  }

  /** The nearest region around a node that says something, null outside of all. */
  function regionOf(node) {
    const start = node instanceof Element ? node : node.parentElement;
    for (let element = start; element; element = element.parentElement) {
      const politeness = ownPoliteness(element);
      if (politeness !== null) return { element, politeness, isAtomic: isAtomic(element) };
    }
    return null;
  }

  function isAtomic(element) {
    const stated = element.getAttribute("aria-atomic");
    return stated === null ? /^(?:status|alert)$/.test(element.getAttribute("role") ?? "") : stated === "true";
  }

  function nameOf(element) {
    const mark = element.dataset.motamot ?? element.dataset.part ?? element.id;
    return mark || `${element.localName}[role=${element.getAttribute("role") ?? ""}]`;
  }

  function keep(region, text) {
    const time = performance.now() / 1000;
    record.messages.push({ time, region: nameOf(region.element), politeness: region.politeness, text });
  }

  /** New text of a change: what was added, or the text that replaced another one. */
  function newText({ type, target, addedNodes }) {
    return type === "characterData" ? target.data : [...addedNodes].map((node) => node.textContent).join("");
  }

  function changed(changes) {
    const seen = new Set();
    for (const change of changes) {
      const region = regionOf(change.target);
      if (region === null) continue;
      if (!region.isAtomic) keep(region, newText(change));
      else if (!seen.has(region.element)) keep(region, region.element.textContent);
      seen.add(region.element);
    }
    for (const change of changes) if (change.type === "childList") change.addedNodes.forEach(bornIn);
  }

  /** Regions that come with text in them: not every screen reader speaks that. */
  function bornIn(node) {
    if (!(node instanceof Element)) return;
    for (const element of [node, ...node.querySelectorAll("*")]) {
      if (ownPoliteness(element) === null || ownPoliteness(element) === "off") continue;
      record.born.push({ time: performance.now() / 1000, region: nameOf(element), text: element.textContent });
    }
  }

  const options = { subtree: true, childList: true, characterData: true };
  new MutationObserver(changed).observe(document, options);

  function moment(name, detail) {
    record.moments.push({ time: performance.now() / 1000, name, detail });
  }
  document.addEventListener("motamot:state", (event) => moment(event.detail.state, event.detail.message_id));
  document.addEventListener("focusin", (event) => moment("focus", event.target.id || event.target.localName));
})();
