"""Act: what a model proposes, a person confirms or declines; carried out once, its result kept; it asks no model."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import TypeVar

from webapp.answers.asked import new_id
from webapp.answers.catalogue import Catalogue
from webapp.core.actions import NOT_CARRIED_OUT, NOT_DONE, NOT_KNOWN, Outcome, proposal
from webapp.core.events import Action
from webapp.core.messages import Message
from webapp.core.problems import Refused
from webapp.core.signs import ToolCall
from webapp.ports.actions import Actions, Carrier, Proposal
from webapp.ports.metrics import UNMEASURED, Metrics
from webapp.ports.store import StoreAway

logger = logging.getLogger(__name__)

T = TypeVar("T")

# Longer than a carrier takes, so that it passes only where a process is stuck.
WAIT_SECONDS = 55.0
LOOK_SECONDS = 0.1
STORE_SECONDS = 0.5


class Actor:
    """The use case with what it needs. `carriers`: who carries out the actions of a name."""

    def __init__(
        self,
        actions: Actions,
        catalogue: Catalogue,
        carriers: Mapping[str, Carrier],
        metrics: Metrics = UNMEASURED,
    ) -> None:
        self._metrics = metrics
        self._actions = actions
        self._catalogue = catalogue
        self._carriers = carriers
        self._lock = threading.Lock()
        self._working: dict[str, threading.Event] = {}  # set when the result is stored

    def propose(self, answer: Message, call: ToolCall) -> Action:
        """What a tool call of a completed answer becomes; see `core/actions.py`."""
        offer = self._catalogue.offer(answer.model, call.name)
        is_whole = answer.finish_reason == "stop"  # the last call of an answer that was cut may be torn
        return proposal(new_id("act"), call, offer, is_whole=is_whole, at=answer.ended_at or answer.created_at)

    def confirm(self, owner: str, action_id: str) -> Action:
        """Carry the action out, or join the one time that it is carried out; its result, however often it is confirmed.

        Waits for the result up to WAIT_SECONDS; after that the action is still `confirmed`. Raises Refused:
        `not_found`, and `action_refused` for what was declined, expired or refused, or is offered no longer.
        """
        found = self._actions.action(owner, action_id)
        if found.action.state == "proposed" and not self._is_offered(found):
            raise Refused("action_refused", NOT_DONE)
        if self._actions.confirm(owner, action_id).action.state == "confirmed":
            self._begin(action_id)
        return self._result(owner, action_id)

    def decline(self, owner: str, action_id: str) -> Action:
        """The action, declined. Raises Refused: `not_found`, and `action_refused` for what was confirmed or is over."""
        before = self._actions.action(owner, action_id).action
        declined = self._actions.decline(owner, action_id).action
        if before.state != declined.state:
            self._metrics.acted(declined.state)
        return declined

    def on_ended(self, answer: Message) -> None:
        """Carry out what of an answer waits for nobody; returns at once."""
        for action in answer.actions:
            if action.state == "confirmed":
                self._begin(action.id)

    def close(self, seconds: float) -> None:
        """Wait for the results of what is being carried out."""
        until = time.monotonic() + seconds
        for has_result in list(self._working.values()):
            has_result.wait(max(0.0, until - time.monotonic()))

    def _is_offered(self, found: Proposal) -> bool:
        name = found.action.name
        return name in self._carriers and self._catalogue.offer(found.model, name) is not None

    def _result(self, owner: str, action_id: str) -> Action:
        until = time.monotonic() + WAIT_SECONDS
        while True:
            action = self._actions.action(owner, action_id).action
            left = until - time.monotonic()
            if action.state != "confirmed" or left <= 0:
                return action
            if has_result := self._working.get(action_id):
                has_result.wait(left)
            else:
                time.sleep(LOOK_SECONDS)  # another process carries it out

    def _begin(self, action_id: str) -> None:
        """Carry a confirmed action out in a thread of its own, unless one is at it: who asked may go away."""
        with self._lock:
            if action_id in self._working:
                return
            self._working[action_id] = threading.Event()
        threading.Thread(target=self._work, args=(action_id,), name=action_id, daemon=True).start()

    def _work(self, action_id: str) -> None:
        try:
            # Read only now that nobody else is at it: with a result it is no order any more.
            if order := _patiently(lambda: self._actions.order(action_id)):
                self._metrics.acted(order.action.state)
                outcome = self._carried_out(order)
                if _patiently(lambda: self._actions.settle(action_id, outcome)):
                    self._metrics.acted(outcome.state)
        finally:
            self._working.pop(action_id).set()

    def _carried_out(self, order: Proposal) -> Outcome:
        carrier = self._carriers.get(order.action.name)
        if carrier is None:
            return NOT_CARRIED_OUT
        try:
            return carrier.carry_out(order)
        except Exception:
            logger.exception("action %s", order.action.id)
            return NOT_KNOWN


def _patiently(call: Callable[[], T]) -> T:
    """What the store says, however long it is away."""
    while True:
        try:
            return call()
        except StoreAway as away:
            logger.warning("an action waits for the store: %s", away)
            time.sleep(STORE_SECONDS)
