"""What the page says of a message in words, for pages that the server writes; the script has the same in `words.js`."""

from dataclasses import dataclass, replace
from typing import Literal

from webapp.core.events import Action, State
from webapp.core.messages import Message


@dataclass(frozen=True, slots=True)
class Standing:
    """How an answer stands: added to its heading, on the line below it, and in a note for ends that need one.

    `step`: the next one that a button in the note offers.
    """

    heading: str
    label: str
    note: str
    step: Literal["", "retry", "continue"] = ""


STANDINGS = {
    "accepted": Standing("", "Waiting for the first word", ""),
    "running": Standing("", "Writing", ""),
    "completed": Standing("", "Complete", ""),
    "length": Standing(
        "incomplete: cut short by the model’s limit",
        "Incomplete",
        "The answer was cut short by the model’s length limit.",
        "continue",
    ),
    "content_filter": Standing(
        "incomplete: cut by a safety filter", "Incomplete", "The answer was cut by a safety filter."
    ),
    "empty": Standing("no text", "No text", "The model gave no text."),
    "cancelled": Standing("incomplete: stopped by you", "Stopped", "You stopped this answer.", "retry"),
    "cancelled_empty": Standing("stopped by you", "Stopped", "You stopped this answer before it began.", "retry"),
    "owner_gone": Standing(
        "incomplete: stopped, nobody was waiting",
        "Stopped",
        "The answer was stopped because nobody was waiting for it.",
        "retry",
    ),
    "failed": Standing("incomplete: failed", "Failed", "", "retry"),
    "failed_empty": Standing("failed", "Failed", "", "retry"),
}
# By the state of an action; the words of its result follow.
ACTIONS = {
    "proposed": "The model proposes this. Nothing has been done yet.",
    "confirmed": "Being carried out.",
    "succeeded": "Done.",
    "failed": "Failed.",
    "declined": "Declined. Nothing was done.",
    "expired": "Too old to be carried out. Nothing was done.",
}
YOU = "You"
CONTINUATION = "Continue where you stopped."
COMPARISON = "Two versions"
UNTITLED = "New conversation"
SUGGESTIONS = (
    "Explain what a token is, in three sentences.",
    "Write a short poem about the sea.",
    "Give me five questions to ask in a job interview.",
)


def standing(message: Message) -> Standing:
    """How an answer stands."""
    words = STANDINGS[_key(message)]
    refused = [action.name for action in message.actions if action.state == "refused"]
    if refused:
        note = f"{words.note} The model asked for {', '.join(refused)}. This action was not carried out."
        return replace(words, note=note.strip())
    if message.failure is not None:
        return replace(words, note=f"{message.failure.detail} {message.failure.next_step}")
    return words


def action_standing(action: Action) -> str:
    """How an action stands, with what its result says."""
    return f"{ACTIONS[action.state]} {(action.result or {}).get('text', '')}".strip()


def heading(message: Message, label: str) -> str:
    """The heading over a message; `label` is what people call the model."""
    if message.role == "user":
        return YOU
    words = standing(message)
    return f"{label} — {words.heading}" if words.heading else label


def _key(message: Message) -> str:
    match message.state:
        case State.COMPLETED if message.finish_reason in ("length", "content_filter"):
            return str(message.finish_reason)
        case State.COMPLETED:
            has_proposals = any(action.state != "refused" for action in message.actions)
            return "completed" if message.text or has_proposals else "empty"
        case State.CANCELLED if message.by == "owner_gone":
            return "owner_gone"
        case State.CANCELLED | State.FAILED:
            return message.state.value if message.text else f"{message.state.value}_empty"
        case _:
            return message.state.value
