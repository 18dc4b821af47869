"""The figures of a server as a collector reads them, and how far they moved; it judges nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.support.server import Server
from webapp.core.messages import Message
from webapp.ports.metrics import Fact, Sight, Timing, Unmeasured

Sample = tuple[str, Mapping[str, str], float]


def read_figures(server: Server) -> Sequence[Sample]:
    """Every sample that the server gives now: its name, its labels, its value."""
    response = httpx.get(f"{server.url}/metrics", trust_env=False).raise_for_status()
    families = text_string_to_metric_families(response.text)
    return [(sample.name, sample.labels, sample.value) for family in families for sample in family.samples]


class Meter:
    """What moved since it was made."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._before = read_figures(server)

    def moved(self, name: str, **labels: str) -> float:
        """By how much the samples of this name with these labels, all together, are greater than at first."""
        return _sum(read_figures(self._server), name, labels) - _sum(self._before, name, labels)

    def wait_for(self, moved: float, name: str, **labels: str) -> None:
        """Wait until they have moved by so much. Raises AssertionError when that takes long."""
        until = monotonic() + 10
        while (found := self.moved(name, **labels)) != moved:
            assert monotonic() < until, f"{name} moved by {found}, not by {moved}"


def _sum(samples: Sequence[Sample], name: str, labels: Mapping[str, str]) -> float:
    return sum(value for found, its, value in samples if found == name and labels.items() <= its.items())


class ToldMetrics(Unmeasured):
    """Implements Metrics: keeps what it is told."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.ends: list[tuple[Message, Timing | None]] = []
        self.sights: list[Sight] = []

    def count(self, fact: Fact, amount: int = 1) -> None:
        self.facts += [fact] * amount

    def ended(self, answer: Message, timing: Timing | None) -> None:
        self.ends.append((answer, timing))

    def seen(self, answer: Message, sight: Sight) -> None:
        self.sights.append(sight)
