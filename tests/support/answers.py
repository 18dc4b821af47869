"""Answers without a server: a store in memory, a log, and a model that says what a test tells it to."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from webapp.core.limits import Limits
from webapp.core.messages import Conversation, Message
from webapp.core.prompts import Prompt
from webapp.core.signs import Sign
from webapp.ports.store import Claim
from webapp.stores.database import Database
from webapp.stores.sql import SqlStore

OWNER = "visitor:1"

# A sign is told; a function is called, which may wait for the test or raise.
Script = Sequence[Sign | Callable[[], object]]


@dataclass
class ToldStream:
    """Implements ModelStream: tells `script`, and counts its closings."""

    script: Script
    limits: Limits = field(default_factory=Limits)
    is_merged: bool = False
    closed: threading.Event = field(default_factory=threading.Event)

    def __iter__(self) -> Iterator[Sign]:
        for step in self.script:
            if self.closed.is_set():
                return
            if callable(step):
                step()
            else:
                yield step

    def close(self) -> None:
        self.closed.set()

    def hang(self) -> None:
        """A step that waits until the stream is closed."""
        assert self.closed.wait(30), "nobody closed the stream"


class ToldModel:
    """Implements Model: its next answer is the next of `scripts`; keeps the prompts that it was sent."""

    is_ready = True

    def __init__(self, *scripts: Script) -> None:
        self._scripts = list(scripts)
        self.prompts: list[Prompt] = []

    def answer(self, prompt: Prompt, message_id: str) -> ToldStream:
        self.prompts.append(prompt)
        return ToldStream(self._scripts.pop(0))


def store_with_answer(database: Database | None = None) -> tuple[SqlStore, Message]:
    """A store in memory, or in a new `database`, that holds one accepted answer."""
    database = database or Database("sqlite:///:memory:")
    database.migrate()
    store = SqlStore(database)
    store.create_conversation(Conversation("cnv", OWNER, "", 0, 0))
    claim = Claim(OWNER, "req", "print", "cnv", None, False, "why?", "told", "qst", "msg", 1)
    return store, store.claim(claim).answer
