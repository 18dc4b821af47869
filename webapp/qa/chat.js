/**
 * Watches the answers of a chat page, as an init script; it runs before the page's own and changes nothing of it.
 * Called with a profile: `{ answers: {each, text, property, running, …}, page: {running, failed}, isFormatted }`.
 *
 * @param {any} profile
 */
((profile) => {
  const { answers, page } = profile;
  /** Every change of the newest answer: ms of the page's clock, its number, its length, its state. */
  const samples = [];
  /** number → ms at which it was first seen to run */
  const runningSince = new Map();
  let last = "";

  /** Whether the element or something in it matches; a profile without the sign never does. */
  function has(element, selector) {
    return selector !== "" && (element.matches(selector) || element.querySelector(selector) !== null);
  }

  function isShown(selector) {
    return selector !== "" && [...document.querySelectorAll(selector)].some((element) => element.checkVisibility());
  }

  function all() {
    return [...document.querySelectorAll(answers.each)];
  }

  function text(number) {
    const answer = all()[number - 1];
    if (answer === undefined) return null;
    if (answers.property && typeof answer[answers.property] === "string") return answer[answers.property];
    const parts = answers.text ? [...answer.querySelectorAll(answers.text)] : [answer];
    return parts.map((part) => (profile.isFormatted ? part.innerText : part.textContent)).join("\n");
  }

  /** `running` outside of the answers is said of the newest alone. */
  function state(number) {
    const found = all();
    const answer = found[number - 1];
    if (answer === undefined) return number === found.length + 1 && isShown(page.failed) ? "failed" : "none";
    for (const end of ["failed", "cancelled", "incomplete"]) if (has(answer, answers[end])) return end;
    if (has(answer, answers.running || answers.busy)) return "running";
    if (number === found.length && isShown(page.running)) return "running";
    if (number === found.length && isShown(page.failed)) return "failed";
    return "completed";
  }

  function look() {
    const number = all().length;
    if (number === 0) return;
    const now = performance.now();
    const is = state(number);
    if (is === "running" && !runningSince.has(number)) runningSince.set(number, now);
    const length = text(number).length;
    const seen = `${number} ${length} ${is}`;
    if (seen === last) return;
    last = seen;
    samples.push([now, number, length, is]);
  }

  const canTell = Boolean(answers.running || answers.busy || page.running);

  Object.defineProperty(window, "motamotKit", {
    value: {
      samples,
      state,
      text,
      count: () => all().length,
      isBusy: (number) => all()[number - 1] !== undefined && has(all()[number - 1], answers.busy),
      runningFor: (number) => performance.now() - (runningSince.get(number) ?? Infinity),
      quietFor: () => performance.now() - (samples.at(-1)?.[0] ?? performance.now()),
      /**
       * Whether it has ended: it runs no longer, and was seen to run or has kept its text for `quiet` ms. A page whose
       * line broke has `patience` ms to take it up again.
       */
      hasEnded: (number, quiet, patience) => {
        look();
        const is = state(number);
        if (is === "none" || is === "running") return false;
        if (is === "incomplete") return window.motamotKit.quietFor() >= patience;
        if (is !== "completed" || (canTell && runningSince.has(number))) return true;
        return text(number) !== "" && window.motamotKit.quietFor() >= quiet;
      },
    },
  });

  const changes = { subtree: true, childList: true, characterData: true, attributes: true };
  new MutationObserver(look).observe(document, changes);
})
