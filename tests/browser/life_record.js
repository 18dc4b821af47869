/**
 * Records how an answer lives, as an init script: it runs before the page's own and changes nothing of it.
 * A sample is taken in every turn of an observer, so that no half change between two tasks escapes, and at every event that the
 * page fires of itself.
 */
(() => {
  const record = { samples: [], told: [] };
  Object.defineProperty(window, "lifeRecord", { value: record });

  function sample() {
    const answer = [...document.querySelectorAll("article[data-role=assistant]")].at(-1);
    if (answer === undefined || answer.text === undefined) return null;
    return {
      state: answer.dataset.state,
      is_busy: answer.getAttribute("aria-busy") === "true",
      text: answer.text,
      shown: answer.querySelector("[data-part=text]").textContent,
      heading: answer.querySelector("h2").textContent,
      button: document.querySelector("[data-part=send]").textContent.trim(),
      is_copy_offered: !answer.querySelector("[data-part=copy]").hidden,
      focus: document.activeElement.id || document.activeElement.dataset.part || document.activeElement.localName,
    };
  }

  function keep() {
    const taken = sample();
    const last = record.samples.at(-1);
    if (taken !== null && JSON.stringify(taken) !== JSON.stringify(last)) record.samples.push(taken);
  }

  const options = { subtree: true, childList: true, characterData: true, attributes: true };
  new MutationObserver(keep).observe(document, options);
  for (const name of ["motamot:state", "motamot:event"]) {
    document.addEventListener(name, ({ type, detail, target }) => {
      keep();
      const { state, seq } = target.dataset;
      record.told.push({ type, detail, shown: { state, seq: Number(seq), text: target.text } });
    });
  }
  document.addEventListener("focusin", keep);
  document.addEventListener("focusout", keep);
})();
