"""The models that may be asked, in the order in which they are offered; the first is the default."""

from collections.abc import Iterator, Sequence

from webapp.core.actions import Offer
from webapp.core.problems import Refused
from webapp.ports.model import Entry


class Catalogue:
    """The entries by id."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = {entry.id: entry for entry in entries}

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def find(self, model_id: str | None) -> Entry:
        """The entry with this id; the first for None. Raises Refused (`validation_failed`)."""
        if model_id is None and self._entries:
            return next(iter(self))
        entry = self._entries.get(model_id or "")
        if entry is None:
            raise Refused("validation_failed", "There is no such model here.")
        return entry

    def offer(self, model_id: str, name: str) -> Offer | None:
        """The action of this name, if this model may propose it."""
        entry = self._entries.get(model_id)
        return next((offer for offer in entry.offers if offer.name == name), None) if entry else None

    def label(self, model_id: str) -> str:
        """What people call the model; its id when it is offered no longer."""
        entry = self._entries.get(model_id)
        return entry.label if entry else model_id
