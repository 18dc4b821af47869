/** The calls about what an answer proposes, loaded with the first one that does; what they mean is decided elsewhere. */

import { actionsOf } from "../core/events.js";
import { json, notOurs, send } from "./requests.js";

/** @typedef {import("../core/events.js").Action} Action */
/** @typedef {"confirm" | "decline"} Decision */

const JSON_TYPE = "application/json";
/** ms for a reply: the server answers a decision when it has a result, within a minute. */
const DECIDED_WITHIN = 75_000;
const SOON = 15_000;

/**
 * Says yes or no to an action; once it is decided, the same call gives what became of it.
 * @param {string} actionId
 * @param {Decision} decision
 * @returns {Promise<Action>}
 * @throws {Problem} as `send` does
 */
export async function decide(actionId, decision) {
  const init = { method: "POST", headers: { Accept: JSON_TYPE, "Content-Type": JSON_TYPE }, body: "{}" };
  const address = `/api/v1/actions/${encodeURIComponent(actionId)}/${decision}`;
  const [action] = actionsOf([await json(await send(address, init, DECIDED_WITHIN))]);
  if (action === undefined) throw notOurs();
  return action;
}

/**
 * The actions of an answer as they stand now.
 * @param {string} messageId
 * @returns {Promise<Action[]>}
 * @throws {Problem} as `send` does
 */
export async function actionsNow(messageId) {
  const init = { headers: { Accept: JSON_TYPE } };
  const message = await json(await send(`/api/v1/messages/${encodeURIComponent(messageId)}`, init, SOON));
  return actionsOf(/** @type {{ actions?: unknown }} */ (message)?.actions);
}
