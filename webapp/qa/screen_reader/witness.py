"""What the browser tells every screen reader over AT-SPI, recorded beside Orca: the second opinion."""

import json
from collections.abc import Sequence
from importlib import resources
from typing import NamedTuple

from webapp.qa.screen_reader.desktop import Desktop
from webapp.qa.screen_reader.needs import SYSTEM_PYTHON


class Told(NamedTuple):
    """An event of the accessibility tree in a live region. `at`: seconds since the epoch."""

    at: float
    kind: str
    text: str
    politeness: str


class Witness:
    """Listens from when it is made until its desktop ends, to the applications whose name has this part."""

    def __init__(self, desktop: Desktop, application: str = "chrom") -> None:
        self._file = desktop.folder / "told.jsonl"
        self._file.touch()
        script = resources.files(__package__).joinpath("prefs", "listener.py").read_text(encoding="utf-8")
        desktop.start("listener", [SYSTEM_PYTHON, "-c", script, str(self._file), application])
        desktop.wait_for(lambda: self._file.stat().st_size, "listener")

    def told(self, since: float = 0.0) -> Sequence[Told]:
        """The changes of live regions since then (seconds since the epoch), in order."""
        whole = self._file.read_text(encoding="utf-8").rpartition("\n")[0]
        events = [json.loads(line) for line in whole.splitlines()]
        return [
            Told(event["at"], event["kind"], event["text"].strip(), event["container-live"])
            for event in events
            if event["at"] >= since and event.get("text", "").strip() and event.get("container-live", "off") != "off"
        ]
