"""What a page gives to screen readers, recorded in a real browser from its first HTML on, and held to rules of speech.

Live are what WAI-ARIA 1.2 calls so: `aria-live` (§6.6), else the role (§5.3.4: the first known token), and `output` of
HTML; also in shadow roots and in frames, and whatever goes through `ariaNotify` (ARIA 1.3). What a change says: the
node that changed, or the nearest element around it that has `aria-atomic="true"`, with its name; `status` and `alert`
are atomic by themselves; `aria-relevant` says which changes count. All changes of one task are one announcement of
their region, of what stands there at its end. Names and hidden parts are those of AccName 1.2 (2A, 2C, 2D).

What the parser puts into a region while it reads the first HTML is no change. Measured with a real Orca, and so told
apart and not judged here: a text that comes with its region is spoken by some screen readers only (`born_filled`);
`aria-busy` silences nothing, nor does it here; a text that is set again is spoken again by some, so it counts. Not
seen: text from CSS (`content`), values of fields, and what scripts may not enter.
"""

import re
from collections.abc import Callable, Sequence
from importlib import resources
from time import monotonic
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

from webapp.qa import speech
from webapp.qa.speech import Announcement, Record, Region
from webapp.qa.texts import as_seen

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

WAIT_SECONDS = 60.0
# ms between two looks.
LOOK = 50
_READ = "() => window.motamotAnnouncements?.read() ?? null"
_KINDS = ("heard", "born", "unheard")
_Rule = Callable[[Sequence[Announcement]], str]


class Announcements:
    """Records every page that is opened in this tab after it was made; a new document begins a new record.

    Times are seconds of the page's clock. The judgements raise AssertionError with a table of what was heard. None of
    them passes where nothing could be heard: without a live region, or with none that speaks. `since` leaves out what
    was heard before that time.
    """

    def __init__(self, page: "Page") -> None:
        self._page = page
        page.add_init_script(resources.files(__package__).joinpath("announcements.js").read_text(encoding="utf-8"))

    def all(self) -> Sequence[Announcement]:
        """Everything that a screen reader may have spoken, in order."""
        return self.record().heard

    def mark(self) -> float:
        """The time now: what is heard from here on is `since` this mark."""
        return float(self._page.evaluate("() => performance.now() / 1000"))

    def since(self, mark: float) -> Sequence[Announcement]:
        """What was heard from a time on."""
        return self.record(since=mark).heard

    def regions(self) -> Sequence[Region]:
        """Every live region that the page has had."""
        return self.record().regions

    def silent_regions(self) -> Sequence[Region]:
        """Regions in which a text was lost because nobody could perceive them, or would be lost now."""
        return [region for region in self.regions() if region.silence]

    def born_filled(self) -> Sequence[Announcement]:
        """Texts that came together with their region after the page had been read: not every reader speaks them."""
        return self.record().born

    def wait_for(self, text: str, *, seconds: float = WAIT_SECONDS) -> None:
        """Wait until the newest announcement holds `text`."""
        end = monotonic() + seconds
        while not ((heard := self.all()) and text in heard[-1].text):
            if monotonic() > end:
                self._fail(f"{as_seen(text)} was not the newest announcement within {seconds:g} s", self.record())
            self._page.wait_for_timeout(LOOK)

    def at_most(self, most: int, *, since: float = 0.0) -> None:
        """No more than so many announcements."""
        self._judge(lambda heard: speech.too_many(heard, most), since)

    def gap(self, seconds: float, *, since: float = 0.0) -> None:
        """At least so many seconds between any two."""
        self._judge(lambda heard: speech.too_close(heard, seconds), since)

    def in_order(self, expected: Sequence[str | re.Pattern[str]], *, since: float = 0.0) -> None:
        """Each text or pattern is in an announcement of its own, after the one before; others may stand between."""
        self._judge(lambda heard: speech.out_of_order(heard, expected), since)

    def covers(self, text: str, *, since: float = 0.0) -> None:
        """Together they say every sentence of the text, in order; blanks and markup aside."""
        self._judge(lambda heard: speech.unsaid(heard, text), since)

    def not_per_delta(self, *, deltas: int, since: float = 0.0) -> None:
        """Their number does not follow that of an answer's pieces, and none reads again what was read before."""
        self._judge(lambda heard: speech.grows(heard, deltas), since)

    def polite_only(self, *, since: float = 0.0) -> None:
        """None interrupts."""
        self._judge(speech.not_polite, since)

    def record(self, *, since: float = 0.0) -> Record:
        """All that was recorded, in every frame, by time."""
        found = [(frame, told) for frame in self._page.frames if (told := self._told(frame)) is not None]
        origin = found[0][1]["origin"] if found else 0.0
        kinds: dict[str, list[Announcement]] = {kind: [] for kind in _KINDS}
        regions: list[Region] = []
        for frame, told in found:
            shift = (told["origin"] - origin) / 1000
            place = self._place(frame)
            regions += [Region(**{**one, "name": place + one["name"]}) for one in told["regions"]]
            for one in told["written"]:
                time = one["time"] + shift
                kinds[one["kind"]].append(Announcement(time, one["politeness"], place + one["region"], one["text"]))
        ordered = {
            kind: [one for one in sorted(all_of, key=lambda one: one.time) if one.time >= since]
            for kind, all_of in kinds.items()
        }
        return Record(ordered["heard"], ordered["born"], ordered["unheard"], regions)

    def _told(self, frame: "Frame") -> dict[str, Any] | None:
        from playwright.sync_api import Error

        try:
            told: dict[str, Any] | None = frame.evaluate(_READ)
        except Error:
            if frame == self._page.main_frame:
                raise
            return None  # it left the page
        return told

    def _place(self, frame: "Frame") -> str:
        if frame == self._page.main_frame:
            return ""
        return f"{frame.name or urlsplit(frame.url).path or 'frame'}: "

    def _judge(self, rule: _Rule, since: float) -> None:
        record = self.record(since=since)
        fault = speech.voiceless(record) or rule(record.heard)
        if fault:
            self._fail(fault, record)

    def _fail(self, fault: str, record: Record) -> NoReturn:
        raise AssertionError(f"{fault}\n{speech.table(record)}")
