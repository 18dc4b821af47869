"""What every model promises, whatever answers behind it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Literal, Protocol

import pytest

from tests.support.reading import Reading
from webapp.core.limits import Limits
from webapp.core.problems import KINDS
from webapp.core.prompts import Prompt, Turn
from webapp.core.scenarios import parse
from webapp.core.signs import Finish, ModelFailure, Text
from webapp.models.parallel import ParallelModel
from webapp.models.remote import RemoteModel
from webapp.models.scripted import ScriptedModel
from webapp.ports.model import Model, ModelStream
from webapp.qa.upstream import CUT, HANG, Reply, Upstream, answer, delta

# whole: "one ", "two ", stop · hangs: "one ", no more · silent: nothing · breaks: "one ", no finish · fails: an error
Part = Literal["whole", "hangs", "silent", "breaks", "fails"]
REPLIES: Mapping[Part, Reply] = {
    "whole": Reply(answer("one ", "two ")),
    "hangs": Reply([delta("one "), HANG]),
    "silent": Reply([HANG]),
    "breaks": Reply([delta("one "), CUT], framing="close"),
    "fails": Reply([b'{"error":{"message":"no"}}'], status=500, content_type="application/json"),
}
STEPS: Mapping[Part, list[dict[str, object]]] = {
    "whole": [{"text": "one "}, {"text": "two "}, {"finish": "stop"}],
    "hangs": [{"text": "one "}, {"hang": True}],
    "silent": [{"hang": True}],
    "breaks": [{"text": "one "}],
    "fails": [{"fail": "provider_error"}],
}


class Stage(Protocol):
    """A model, and how to make it play a part. `asked`: how many questions have reached what answers behind it."""

    model: Model

    def prompt(self, part: Part) -> Prompt: ...

    def asked(self) -> int: ...


class RemoteStage:
    """A remote model before a fake provider."""

    def __init__(self, provider: Upstream, model: Model) -> None:
        self.model = model
        self._provider = provider

    def prompt(self, part: Part) -> Prompt:
        self._provider.play(REPLIES[part])
        return Prompt((Turn("user", part),))

    def asked(self) -> int:
        return len(self._provider.exchanges)


class ScriptedStage:
    """The scripted model."""

    def __init__(self) -> None:
        self.model = self._scripted = ScriptedModel(Limits())

    def prompt(self, part: Part) -> Prompt:
        self._scripted.put(part, parse({"model": STEPS[part]}))
        return Prompt((Turn("user", f"scenario:{part}"),))

    def asked(self) -> int:
        told = self._scripted.told("msg_1")
        return int(str(told["calls"])) if told else 0


@pytest.fixture(params=["remote", "parallel", "scripted"])
def stage(request: pytest.FixtureRequest) -> Stage:
    """Each implementation, ready to play."""
    made: Stage = request.getfixturevalue(f"{request.param}_stage")
    return made


@pytest.fixture
def provider() -> Iterator[Upstream]:
    with Upstream() as running:
        yield running


@pytest.fixture
def remote_stage(provider: Upstream) -> Stage:
    return RemoteStage(provider, RemoteModel(provider.url, "m"))


@pytest.fixture
def parallel_stage(provider: Upstream) -> Stage:
    return RemoteStage(provider, ParallelModel(RemoteModel(provider.url, "m"), 1))


@pytest.fixture
def scripted_stage() -> Stage:
    return ScriptedStage()


def begin(stage: Stage, part: Part) -> ModelStream:
    return stage.model.answer(stage.prompt(part), "msg_1")


def test_a_model_that_can_be_asked_is_ready(stage: Stage) -> None:
    assert stage.model.is_ready


def test_the_signs_come_in_order_and_the_finish_behind_the_text(stage: Stage) -> None:
    assert list(begin(stage, "whole")) == [Text("one "), Text("two "), Finish("stop")]


def test_a_text_is_told_while_the_model_still_works(stage: Stage) -> None:
    stream = begin(stage, "hangs")
    assert next(iter(stream)) == Text("one ")
    stream.close()


def test_nothing_is_asked_before_the_first_sign_is_wanted(stage: Stage) -> None:
    stream = begin(stage, "whole")
    assert stage.asked() == 0
    list(stream)
    assert stage.asked() == 1


def test_a_model_that_breaks_off_is_exhausted_without_a_finish(stage: Stage) -> None:
    assert list(begin(stage, "breaks")) == [Text("one ")]


def test_a_model_that_fails_raises_one_of_the_known_codes(stage: Stage) -> None:
    with pytest.raises(ModelFailure) as failed:
        list(begin(stage, "fails"))
    assert failed.value.code in KINDS


@pytest.mark.proves("C45")
def test_a_close_wakes_a_reader_that_waits_for_more(stage: Stage) -> None:
    stream = begin(stage, "hangs")
    reading = Reading(stream)
    assert reading.has_sign.wait(5)
    stream.close()
    assert reading.has_ended()
    assert reading.signs == [Text("one ")]


@pytest.mark.proves("C44")
def test_a_close_wakes_a_reader_that_waits_for_the_first_sign(stage: Stage) -> None:
    stream = begin(stage, "silent")
    reading = Reading(stream)
    while stage.asked() == 0:
        threading.Event().wait(0.001)
    stream.close()
    assert reading.has_ended()
    assert reading.signs == []


def test_a_close_before_the_first_sign_leaves_nothing_to_read(stage: Stage) -> None:
    stream = begin(stage, "whole")
    stream.close()
    reading = Reading(stream)
    assert reading.has_ended()
    assert reading.signs == []


def test_a_close_may_come_again_and_after_the_end(stage: Stage) -> None:
    stream = begin(stage, "whole")
    signs = list(stream)
    stream.close()
    stream.close()
    assert signs[-1] == Finish("stop")


def test_the_time_limits_are_told_before_anything_is_read(stage: Stage) -> None:
    stream = begin(stage, "whole")
    assert isinstance(stream.limits, Limits)
    assert stream.is_merged in (True, False)
