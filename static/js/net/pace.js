/** Decides for this tab how its answers are followed, together with the browser's other tabs; it follows nothing itself. */

import { intervalOf, Places } from "../core/pace.js";

/** ms for which a tab may be out of sight before its streams are let go. */
const HIDDEN_AFTER = 30_000;
/** ms; those who died without a word are missed. */
const TELL_EVERY = 5_000;

/** @typedef {{ interval: number | null }} Paced ms between two questions for the newest text; null: over a stream */

export class Pace {
  #isStreaming;
  #places = new Places();
  /** @type {BroadcastChannel | null} open while this tab follows something: one that listens is kept out of the store of left pages */
  #channel = null;
  #tab = Math.random().toString(36).slice(2);
  /** @type {Set<Paced>} those that follow now */
  #followers = new Set();
  #since = 0;
  #isHidden = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #hiding;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #telling;

  /** @param {boolean} isStreaming whether answers stream to this visitor */
  constructor(isStreaming) {
    this.#isStreaming = isStreaming;
  }

  start() {
    document.addEventListener("visibilitychange", () => this.#visibilityChanged());
    this.#visibilityChanged();
  }

  /** @param {Paced} follower @param {boolean} isFollowing */
  set(follower, isFollowing) {
    if (isFollowing) this.#followers.add(follower);
    else this.#followers.delete(follower);
    if (this.#followers.size === 0) this.#leave();
    else if (this.#channel === null) this.#enter();
    else this.#apply();
  }

  #enter() {
    // Not navigator.locks: on plain http, as in a home network, there are none.
    this.#channel = new BroadcastChannel("motamot-following");
    this.#channel.addEventListener("message", ({ data: { tab, since } }) => this.#heard(tab, since));
    this.#places = new Places();
    this.#since = Date.now();
    this.#telling = setInterval(() => (this.#tell(), this.#apply()), TELL_EVERY);
    this.#tell();
    this.#apply();
  }

  #leave() {
    clearInterval(this.#telling);
    this.#tell(null);
    this.#channel?.close();
    this.#channel = null;
  }

  /** @param {string} tab @param {number | null} since */
  #heard(tab, since) {
    if (this.#places.heard(tab, since, Date.now())) this.#tell();
    this.#apply();
  }

  /** @param {number | null} [since] */
  #tell(since = this.#isHidden ? null : this.#since) {
    this.#channel?.postMessage({ tab: this.#tab, since });
  }

  #visibilityChanged() {
    clearTimeout(this.#hiding);
    if (document.visibilityState === "hidden") this.#hiding = setTimeout(() => this.#show(false), HIDDEN_AFTER);
    else this.#show(true);
  }

  /** Who is looked at comes first. @param {boolean} isShown */
  #show(isShown) {
    this.#isHidden = !isShown;
    if (isShown) this.#since = Date.now();
    this.#tell();
    this.#apply();
  }

  #apply() {
    const now = Date.now();
    const place = this.#places.placeOf(this.#tab, this.#since, now);
    const interval = intervalOf({ isStreaming: this.#isStreaming, isHidden: this.#isHidden, place });
    for (const follower of this.#followers) follower.interval = interval;
  }
}
