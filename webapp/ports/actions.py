"""Side effects that answers propose: where they are kept, and who carries them out."""

from dataclasses import dataclass
from typing import Protocol

from webapp.core.actions import Outcome
from webapp.core.events import Action


@dataclass(frozen=True, slots=True)
class Proposal:
    """An action with the answer that proposes it; `model` is the one that gave that answer."""

    action: Action
    message_id: str
    model: str


class Actions(Protocol):
    """Actions move one way: proposed, confirmed, succeeded or failed; or declined, or expired when their time is over.

    They are stored with the end of their answer. What is not the owner's does not exist: Refused (`not_found`).
    """

    def action(self, owner: str, action_id: str) -> Proposal:
        """The action as it stands now."""

    def confirm(self, owner: str, action_id: str) -> Proposal:
        """Compare and set: confirm a proposal, which is then this process's to carry out; the action as it stands then.

        One that was confirmed before stays as it is. Raises Refused (`action_refused`) for any other.
        """

    def decline(self, owner: str, action_id: str) -> Proposal:
        """Compare and set: decline a proposal. One that was declined before stays as it is.

        Raises Refused (`action_refused`) for any other.
        """

    def order(self, action_id: str) -> Proposal | None:
        """The action, of any owner, if it is confirmed, has no result and is this process's to carry out; else None."""

    def settle(self, action_id: str, outcome: Outcome) -> bool:
        """Compare and set: store the result of such an action; False, and no change, for any other."""


class Carrier(Protocol):
    """Carries out actions of one name."""

    def carry_out(self, proposal: Proposal) -> Outcome:
        """Do it, and say how that ended; blocks for less than a minute, and never raises.

        Called once for each action. A second call with the same action id, should one ever come, has no second effect.
        """
