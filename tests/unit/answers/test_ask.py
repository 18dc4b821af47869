"""Asking: what the model is sent of a conversation, and that no claimed answer stays open."""

import pytest

from tests.support.answers import OWNER, Script, ToldModel
from webapp.answers.ask import Asker
from webapp.answers.asked import Question, Regenerate
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


@pytest.mark.proves("C54", "B44")
def test_a_further_answer_is_prompted_by_the_path_to_its_question_alone() -> None:
    desk = Desk(*([Text(word), Finish("stop")] for word in ("one", "two", "three", "other")))
    _, second, _ = (desk.ask(text) for text in ("first", "second", "third"))
    new = desk.asker.regenerate(OWNER, Regenerate(second.message_id))
    assert desk.model.prompts[-1].turns == (
        Turn("system", "Be brief."),
        Turn("user", "first"),
        Turn("assistant", "one"),
        Turn("user", "second"),
    )
    assert (new.question_id, new.version, new.model) == (second.question_id, 2, "told")


@pytest.mark.proves("B4")
def test_a_server_without_room_refuses_a_further_answer_and_joins_a_known_one() -> None:
    desk = Desk([Text("one"), Finish("stop")], [Text("two"), Finish("stop")])
    old = desk.ask("first")
    known = Regenerate(old.message_id, "req_1")
    new = desk.asker.regenerate(OWNER, known)
    desk.running.close(10)
    assert desk.asker.regenerate(OWNER, known).message_id == new.message_id
    with pytest.raises(Refused, match="busy"):
        desk.asker.regenerate(OWNER, Regenerate(old.message_id))


def test_without_any_model_nothing_is_answered_anew() -> None:
    desk = Desk([Text("one"), Finish("stop")])
    old = desk.ask("first")
    asker = Asker(desk.store, desk.store, Catalogue([]), desk.running)
    with pytest.raises(Refused, match="validation_failed"):
        asker.regenerate(OWNER, Regenerate(old.message_id))


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
