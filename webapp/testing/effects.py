"""How often each action was carried out, for tests; and an action that needs no webhook."""

from collections import Counter, defaultdict
from collections.abc import Mapping

from webapp.core.actions import Offer, Outcome
from webapp.ports.actions import Carrier, Proposal

TICKET = Offer(
    "create_ticket",
    "Open a support ticket",
    {"type": "object", "properties": {"subject": {"type": "string"}}, "required": ["subject"]},
)


class Effects:
    """The counts of all answers."""

    def __init__(self) -> None:
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def counted(self, carrier: Carrier) -> Carrier:
        """The same carrier, what it does counted."""
        return _Counted(carrier, self._counts)

    def told(self, message_id: str) -> Mapping[str, int]:
        """How often each action of this answer was carried out, by the action's id."""
        return dict(self._counts[message_id]) if message_id in self._counts else {}


class Tickets:
    """Implements Carrier: opens a ticket that nobody will read."""

    def carry_out(self, proposal: Proposal) -> Outcome:
        return Outcome("succeeded", {"text": f"The ticket \u201c{proposal.action.arguments['subject']}\u201d is open."})


class _Counted:
    def __init__(self, carrier: Carrier, counts: defaultdict[str, Counter[str]]) -> None:
        self._carrier = carrier
        self._counts = counts

    def carry_out(self, proposal: Proposal) -> Outcome:
        outcome = self._carrier.carry_out(proposal)
        if outcome.state == "succeeded":
            self._counts[proposal.message_id][proposal.action.id] += 1
        return outcome
