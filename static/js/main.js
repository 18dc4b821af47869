/** The wiring of the page: the only module that knows both the network and the page's parts. */

import { words } from "./core/words.js";
import { Api, newRequestId } from "./net/api.js";
import { Follower } from "./net/follower.js";
import { ReconnectingFollower } from "./net/reconnecting.js";
import { Announcer } from "./ui/announcer.js";
import { Chat } from "./ui/chat.js";
import { Composer } from "./ui/composer.js";
import { ConnectionStrip, JumpKey, PageTitle } from "./ui/frame.js";
import { find, part, region } from "./ui/parts.js";
import { SendButton } from "./ui/send_button.js";
import { Transcript } from "./ui/transcript.js";

/** ms after which code that did not come is asked for again. */
const LOAD_AGAIN = 3000;
/** ms between two questions for the newest text where answers do not stream. */
const POLL_EVERY = 1_000;

/** @type {{ ActionCards: typeof import("./ui/action_card.js").ActionCards, line: import("./ui/action_card.js").ActionLine } | null} */
let cards = null;

const page = document.documentElement;
const main = /** @type {HTMLElement} */ (find(document, "main"));
const form = /** @type {HTMLFormElement} */ (region(document, "composer"));
const models = /** @type {HTMLSelectElement} */ (part(form, "model"));

const announcer = new Announcer({
  status: region(document, "status"),
  alert: region(document, "alert"),
  words: words.aloud,
  verbosity: /** @type {import("./ui/announcer.js").Verbosity} */ (page.dataset.announce),
  interval: Number(page.dataset.interval),
});

/** @param {string} sentence @param {boolean} isUrgent */
const say = (sentence, isUrgent) => (isUrgent ? announcer.warn(sentence) : announcer.say(sentence));

const transcript = new Transcript(region(document, "transcript"), {
  templates: { question: template("question"), answer: template("answer"), versions: template("versions") },
  labelOf: (model) => optionOf(model)?.dataset.label ?? model,
  onSay: say,
  actions: { expect: () => void loadCards(), show: showActions },
  onEdit: (question) => chat.edit(question),
});

/** Loaded when there is an answer to tell of; where that fails, nothing is told. @type {Promise<typeof import("./net/beacon.js")>} */
let beacon;
/** @type {Promise<import("./net/pace.js").Pace | null> | null} */
let loadedPace = null;

const isStreaming = page.dataset.streaming !== "off";
const api = new Api("/api/v1", { isStreaming, onLate: (isLate) => parts.strip.late(isLate) });
const line = {
  openConversation,
  ask: api.ask.bind(api),
  regenerate: api.regenerate.bind(api),
  cancel: api.cancel.bind(api),
  /** @type {import("./ui/turn.js").Line["tell"]} */
  tell: (messageId, sight) => void beacon.then(({ tell }) => tell(messageId, sight)).catch(() => {}),
  conversationTitle: () => api.conversationTitle(main.dataset.conversationId ?? ""),
  /** @type {import("./ui/turn.js").Line["follower"]} */
  follower: (reading, onChange, hooks) => {
    beacon = import("./net/beacon.js");
    beacon.catch(() => {});
    const inner = new Follower(api, reading, (changed, event) => {
      follower.progressed();
      onChange(changed, event);
    });
    /** @param {boolean} isFollowing */
    const onFollowing = (isFollowing) => void pace().then((pace) => pace?.set(follower, isFollowing));
    const follower = new ReconnectingFollower(inner, { ...hooks, onFollowing }, isStreaming ? null : POLL_EVERY);
    return follower;
  },
};

const parts = {
  transcript,
  announcer,
  pageTitle: new PageTitle(document.title),
  strip: new ConnectionStrip(region(document, "connection"), {
    onTryNow: () => chat.tryNow(),
    onFocusLost: () => parts.lastAnswer.click(), // to the answer that was waited for
  }),
  heading: part(document, "title"),
  welcome: part(document, "welcome"),
  lastAnswer: /** @type {HTMLAnchorElement} */ (part(form, "last-answer")),
};

const chat = new Chat(parts, line, newRequestId, {
  composer: (chat) =>
    new Composer(form, {
      onSubmit: (text, isDraft) => chat.send(text, isDraft),
      onRenew: (answerId) => chat.renew(answerId),
      onEditLast: () => chat.edit(transcript.lastQuestion),
      onChange: () => chat.refresh(),
    }),
  button: (chat) =>
    new SendButton(/** @type {HTMLButtonElement} */ (part(form, "send")), {
      reason: part(form, "send-reason"),
      onStop: () => chat.stopAnswer(),
      onObjection: (objection) => chat.object(objection),
    }),
});

announcer.start();
new JumpKey(parts.lastAnswer).start();
parts.pageTitle.start();
chat.start();
models.addEventListener("change", () => (part(document, "model-note").textContent = optionOf(models.value)?.dataset.note ?? ""));
form.addEventListener("input", () => void pace(), { once: true });
addEventListener("pagehide", () => chat.leave());
document.addEventListener("freeze", () => chat.leave()); // Page Lifecycle: a frozen tab reads nothing
addEventListener("online", () => chat.tryNow());
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && chat.tryNow());
document.addEventListener("resume", () => (chat.comeBack(), chat.tryNow()));
addEventListener("pageshow", ({ persisted }) => persisted && chat.comeBack());
page.setAttribute("data-motamot-ready", "");

/**
 * The conversation's id; the first question makes it, and the page's address says so from then on.
 * @param {AbortSignal} signal
 */
async function openConversation(signal) {
  const { conversationId = "" } = main.dataset;
  if (conversationId !== "") return conversationId;
  const id = await api.createConversation(signal);
  main.dataset.conversationId = id;
  history.replaceState(null, "", `/c/${id}${location.search}`);
  return id;
}

/** Their code comes while the first action is prepared, so that a card can stand there in the task of the answer's end. */
async function loadCards() {
  try {
    const [{ ActionCards }, line] = await Promise.all([import("./ui/action_card.js"), import("./net/actions.js")]);
    cards = { ActionCards, line };
  } catch {
    await new Promise((resolve) => setTimeout(resolve, LOAD_AGAIN));
  }
}

/** @type {import("./ui/answer_article.js").Actions["show"]} where the code is not here it is asked for again and again */
function showActions(place, reading) {
  if (cards === null) return void loadCards().then(() => showActions(place, reading));
  const { ActionCards, line } = cards;
  new ActionCards(place, reading.messageId, { template: template("action"), line, onSay: say }).show(reading.actions);
}

/** Loaded when there is something to follow, or soon will be; without it answers are followed as usual. */
function pace() {
  return (loadedPace ??= import("./net/pace.js").then(
    ({ Pace }) => {
      const pace = new Pace(isStreaming);
      pace.start();
      return pace;
    },
    () => (loadedPace = null), // tried again when it is needed next
  ));
}

/** @param {string} name */
function template(name) {
  return /** @type {HTMLTemplateElement} */ (find(document, `template[data-template="${name}"]`));
}

/** @param {string} model */
function optionOf(model) {
  return [...models.options].find((option) => option.value === model);
}
