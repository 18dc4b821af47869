"""The scripted model: plays scenarios for tests, and echoes any other question; only with --testing."""

import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from webapp.core.limits import Limits
from webapp.core.prompts import Prompt
from webapp.core.scenarios import Call, End, Fail, Line, Say, Scenario, Wait, Work
from webapp.core.signs import Finish, ModelFailure, Sign, Text, ToolCall, Working

_PREFIX = "scenario:"
_LABELS = {
    "waiting": "Waiting",
    "thinking": "Thinking",
    "searching": "Searching",
    "preparing_action": "Preparing an action",
}


@dataclass(slots=True)
class Run:
    """What happened in one answer. `steps`: those begun; `stopped_after_ms`: from the start to the close."""

    scenario: Scenario
    calls: int = 0
    steps: int = 0
    is_stopped: bool = False
    stopped_after_ms: int | None = None


class ScriptedModel:
    """Implements Model. Asked `scenario:NAME` it plays that scenario; an unknown name fails; other text is echoed."""

    is_ready = True

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._scenarios: dict[str, Scenario] = {}
        self._runs: dict[str, Run] = {}

    def put(self, name: str, scenario: Scenario) -> None:
        """Keep a scenario under a name, in place of an earlier one; answers that run are not touched."""
        self._scenarios[name] = scenario

    def told(self, message_id: str) -> Mapping[str, object] | None:
        """What happened in the answer with this id, as JSON; None where this model gave no answer of that id."""
        run = self._runs.get(message_id)
        if run is None:
            return None
        return {
            "calls": run.calls,
            "steps": run.steps,
            "stopped": run.is_stopped,
            "stopped_after_ms": run.stopped_after_ms,
        }

    def line(self, message_id: str) -> Line:
        """What is to happen to the bytes of this answer on their way."""
        run = self._runs.get(message_id)
        return run.scenario.line if run else Line()

    def answer(self, prompt: Prompt, message_id: str) -> "ScriptedStream":
        scenario = self._scenario(prompt.question)
        run = self._runs[message_id] = Run(scenario)
        return ScriptedStream(run, self._limits.with_values(scenario.limits))

    def _scenario(self, question: str) -> Scenario:
        if not question.startswith(_PREFIX):
            return Scenario((Say(question), End("stop")))
        known = self._scenarios.get(question.removeprefix(_PREFIX))
        return known or Scenario((Fail("provider_error"),))


class ScriptedStream:
    """Plays one scenario."""

    def __init__(self, run: Run, limits: Limits) -> None:
        self.limits = limits
        self.is_merged = run.scenario.is_merged
        self._run = run
        self._closed = threading.Event()
        self._began = time.monotonic()
        self._is_exhausted = False

    def __iter__(self) -> Iterator[Sign]:
        self._run.calls += 1
        for step in self._run.scenario.steps:
            if self._closed.is_set():
                return
            self._run.steps += 1
            match step:
                case Say(text):
                    yield Text(text)
                case Wait(seconds):
                    self._closed.wait(seconds)
                case Work(kind):
                    yield Working(kind, _LABELS[kind])
                case Call(name, arguments):
                    yield Working("preparing_action", _LABELS["preparing_action"])
                    yield ToolCall("", name, arguments)
                case Fail(code):
                    self._is_exhausted = True
                    raise ModelFailure(code, "the scenario says so")
                case End(reason):
                    self._is_exhausted = True
                    yield Finish(reason)
                    return
        self._is_exhausted = True

    def close(self) -> None:
        if not self._closed.is_set() and not self._is_exhausted:
            self._run.is_stopped = True
            self._run.stopped_after_ms = round((time.monotonic() - self._began) * 1000)
        self._closed.set()
