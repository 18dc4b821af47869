"""Turns at a model: how many answers it works on, who is next, and who has left the queue."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from webapp.core.prompts import Prompt, Turn
from webapp.core.signs import Finish, Sign, Text
from webapp.models.parallel import WAITING, ParallelModel, Places
from webapp.models.remote import RemoteModel
from webapp.qa.upstream import HANG, Reply, Until, Upstream, answer, delta

PROMPT = Prompt((Turn("user", "?"),))


@pytest.fixture
def provider() -> Iterator[Upstream]:
    with Upstream() as running:
        yield running


@pytest.fixture
def model(provider: Upstream) -> ParallelModel:
    """A model that works on one answer at a time."""
    return ParallelModel(RemoteModel(provider.url, "m"), 1)


def ask(model: ParallelModel) -> Iterator[Sign]:
    return iter(model.answer(PROMPT, "msg_1"))


def test_an_answer_over_the_limit_waits_says_so_and_asks_nothing(provider: Upstream, model: ParallelModel) -> None:
    may_end = threading.Event()
    provider.play(Reply([delta("first"), Until(may_end), *answer("")]))
    first, second = ask(model), ask(model)
    assert next(first) == Text("first")
    assert next(second) == WAITING
    assert len(provider.exchanges) == 1
    may_end.set()
    assert list(first) == [Finish("stop")]
    assert list(second) == [Text("Hello."), Finish("stop")]


def test_a_limit_of_two_works_on_two(provider: Upstream) -> None:
    model = ParallelModel(RemoteModel(provider.url, "m"), 2)
    provider.play(Reply([delta("first"), HANG]), Reply([delta("second"), HANG]))
    first, second, third = ask(model), ask(model), ask(model)
    assert [next(first), next(second), next(third)] == [Text("first"), Text("second"), WAITING]


def test_a_place_that_is_free_goes_to_whoever_waits_longest(model: ParallelModel) -> None:
    places = Places(1)
    first, second = model.answer(PROMPT, "1"), model.answer(PROMPT, "2")
    places.line_up(first)
    places.line_up(second)
    assert not places.take(second, 0)
    assert places.take(first, 0)
    assert not places.take(second, 0)
    places.leave(first)
    assert places.take(second, 0)


def test_a_close_wakes_one_that_waits_and_leaves_its_turn_to_others(provider: Upstream, model: ParallelModel) -> None:
    provider.play(Reply([delta("first"), HANG]))
    first, second = model.answer(PROMPT, "1"), model.answer(PROMPT, "2")
    first_signs, second_signs, third_signs = iter(first), iter(second), ask(model)
    assert [next(first_signs), next(second_signs), next(third_signs)] == [Text("first"), WAITING, WAITING]
    rest: list[Sign] = []
    waiting = threading.Thread(target=lambda: rest.extend(second_signs))
    waiting.start()
    second.close()
    waiting.join(10)
    assert (waiting.is_alive(), rest) == (False, [])
    first.close()
    assert list(first_signs) == []
    assert list(third_signs) == [Text("Hello."), Finish("stop")]
    assert len(provider.exchanges) == 2


def test_a_failure_frees_the_place(provider: Upstream, model: ParallelModel) -> None:
    provider.play(Reply([b"data: nonsense\n\n"]))
    with pytest.raises(Exception, match="provider_error"):
        list(ask(model))
    assert list(ask(model)) == [Text("Hello."), Finish("stop")]


def test_a_reader_that_lets_go_while_it_waits_leaves_the_queue(provider: Upstream, model: ParallelModel) -> None:
    provider.play(Reply([delta("first"), HANG]))
    first, second = model.answer(PROMPT, "1"), ask(model)
    first_signs = iter(first)
    assert [next(first_signs), next(second)] == [Text("first"), WAITING]
    second.close()  # type: ignore[attr-defined]
    first.close()
    assert list(first_signs) == []
    assert list(ask(model)) == [Text("Hello."), Finish("stop")]


def test_limits_merging_and_readiness_are_the_models_own(provider: Upstream) -> None:
    inner = RemoteModel(provider.url, "m")
    model = ParallelModel(inner, 1)
    stream = model.answer(PROMPT, "msg_1")
    assert model.is_ready
    assert (stream.limits, stream.is_merged) == (inner.limits, True)
