"""Asking: what the model is sent of a conversation, and that no claimed answer stays open."""

import pytest

from tests.support.answers import OWNER, Script, ToldModel
from webapp.answers.ask import Asker, Question
from webapp.answers.catalogue import Catalogue
from webapp.answers.running import Running
from webapp.core.events import State
from webapp.core.messages import Message
from webapp.core.problems import Refused
from webapp.core.prompts import Prompt, Turn
from webapp.core.signs import Finish, ModelFailure, Text
from webapp.event_logs.memory import MemoryEventLog
from webapp.ports.model import Entry, ModelStream
from webapp.stores.database import Database
from webapp.stores.sql import SqlStore


class Desk:
    """An asker over a store in memory, and a model that is told what to say."""

    def __init__(self, *scripts: Script) -> None:
        self.model = ToldModel(*scripts)
        database = Database("sqlite:///:memory:")
        database.migrate()
        self.store = SqlStore(database)
        self.running = Running(log=MemoryEventLog(), answers=self.store)
        catalogue = Catalogue([Entry("told", "Told", "scripted", self.model, system="Be brief.")])
        self.asker = Asker(self.store, self.store, catalogue, self.running)
        self.conversation = self.asker.begin_conversation(OWNER).id

    def ask(self, text: str) -> Message:
        """The answer after its end."""
        answer = self.asker.ask(OWNER, self.conversation, Question(text))
        if producer := self.running.find(answer.message_id):
            assert producer.ended.wait(10)
        return self.store.message(OWNER, answer.message_id)


def fail() -> None:
    raise ModelFailure("provider_error", '{"error":"x"}')


@pytest.mark.proves("A30", "K6")
def test_a_failed_turn_never_goes_back_to_the_model() -> None:
    desk = Desk([Text("one"), Finish("stop")], [Text('{"error'), fail], [Text("three"), Finish("stop")])
    assert [desk.ask(text).state for text in ("first", "second", "third")] == [
        State.COMPLETED,
        State.FAILED,
        State.COMPLETED,
    ]
    assert desk.model.prompts[-1].turns == (
        Turn("system", "Be brief."),
        Turn("user", "first"),
        Turn("assistant", "one"),
        Turn("user", "third"),
    )


class BrokenModel(ToldModel):
    """Cannot even be asked."""

    def answer(self, prompt: Prompt, message_id: str) -> ModelStream:  # type: ignore[override]
        raise ZeroDivisionError("SENTINEL")


def test_an_answer_that_cannot_begin_ends_and_leaves_its_conversation_free() -> None:
    desk = Desk()
    catalogue = Catalogue([Entry("told", "Told", "scripted", BrokenModel())])
    asker = Asker(desk.store, desk.store, catalogue, desk.running)
    answer = asker.ask(OWNER, desk.conversation, Question("why?"))
    if producer := desk.running.find(answer.message_id):
        assert producer.ended.wait(10)
    ended = desk.store.message(OWNER, answer.message_id)
    assert ended.failure is not None
    assert (ended.state, ended.failure.code, ended.seq) == (State.FAILED, "internal", 2)
    assert "SENTINEL" not in repr(ended)
    asker.ask(OWNER, desk.conversation, Question("again?"))


@pytest.mark.proves("B4")
def test_a_server_without_room_refuses_a_new_question_and_joins_a_known_one() -> None:
    desk = Desk([Text("one"), Finish("stop")])
    known = Question("first", request_id="req_1")
    answer = desk.asker.ask(OWNER, desk.conversation, known)
    desk.running.close(10)
    assert desk.asker.ask(OWNER, desk.conversation, known).message_id == answer.message_id
    with pytest.raises(Refused, match="busy"):
        desk.asker.ask(OWNER, desk.conversation, Question("second"))
    assert len(desk.store.conversation(OWNER, desk.conversation)[1]) == 2
