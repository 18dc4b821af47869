"""What the kit has to know of a chat page to use it: a TOML file of selectors, read and checked; it opens no page."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib import resources
from pathlib import Path
from typing import Literal, get_args

BUILT_IN = "motamot"
Dialect = Literal["native", "openai", "ndjson"]
DIALECTS: tuple[Dialect, ...] = get_args(Dialect)


class BadProfile(ValueError):
    """A profile that cannot be used. `complaints` says everything that is wrong with it."""

    def __init__(self, source: str, complaints: list[str]) -> None:
        self.complaints = [f"{source}: {complaint}" for complaint in complaints]
        super().__init__("; ".join(self.complaints))


@dataclass(frozen=True, slots=True)
class Composer:
    """What a person asks with, as Playwright's selectors. Without `send` Enter sends; without `stop` nothing stops."""

    field: str
    send: str = ""
    stop: str = ""


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers, as CSS selectors. `each` finds them in the page; the others are looked for on one and in it.

    `text` is the part that holds the text (else the whole answer), `property` a property of the answer's element with
    the exact text. `busy` matches while the answer is marked as unfinished, `running` while it grows (else `busy`),
    `cancelled`, `failed` and `incomplete` once it ended so. `question` finds the questions.
    """

    each: str
    text: str = ""
    property: str = ""
    busy: str = ""
    running: str = ""
    cancelled: str = ""
    failed: str = ""
    incomplete: str = ""
    question: str = ""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Signs outside the answers, as CSS selectors of elements that are visible while they hold.

    `ready`: the page can be used (it need not be visible). `running`: an answer grows. `failed`: something failed.
    """

    ready: str = ""
    running: str = ""
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Wire:
    """Where answers travel. `address` is a part of the address of the requests whose replies are answers.

    `text`: for `ndjson` the way to the text in a line's object, with dots (`message.content`); a list takes numbers.
    """

    address: str = ""
    dialect: Dialect = "openai"
    text: str = ""


@dataclass(frozen=True, slots=True)
class Profile:
    """One kind of chat page. `path` is opened below the chat's address; `is_formatted`: the page renders Markdown."""

    name: str
    composer: Composer
    answers: Answers
    page: Surroundings = Surroundings()
    wire: Wire = Wire()
    path: str = "/"
    is_formatted: bool = False


_TABLES = {"composer": Composer, "answers": Answers, "page": Surroundings, "wire": Wire}


def built_in(name: str = BUILT_IN) -> Profile:
    """A profile that comes with the kit. Raises BadProfile for a name that none has."""
    file = resources.files(__package__).joinpath("profiles", f"{name}.toml")
    if not file.is_file():
        raise BadProfile(name, ["no such profile comes with the kit"])
    return parse_profile(file.read_text(encoding="utf-8"), name)


def read_profile(path: Path) -> Profile:
    """The profile in a file. Raises BadProfile, also where the file cannot be read."""
    try:
        return parse_profile(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise BadProfile(str(path), [str(error)]) from error


def parse_profile(text: str, source: str) -> Profile:
    """The profile that `text` (TOML) describes. Raises BadProfile, which names everything that is wrong at once."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadProfile(source, [str(error)]) from error
    complaints: list[str] = []
    top = {name: found[name] for name in ("name", "path", "is_formatted") if name in found}
    if not isinstance(top.setdefault("name", Path(source).stem), str) or not isinstance(top.get("path", ""), str):
        complaints.append("name and path are texts")
    if not isinstance(top.get("is_formatted", False), bool):
        complaints.append("is_formatted is true or false")
    known = ("name", "path", "is_formatted", *_TABLES)
    complaints += [f"{name!r} means nothing here; there are {', '.join(known)}" for name in found if name not in known]
    tables = {name: _table(found.get(name), name, complaints) for name in _TABLES}
    if complaints:
        raise BadProfile(source, complaints)
    return Profile(**top, **{name: _TABLES[name](**members) for name, members in tables.items()})


def _table(entry: object, place: str, complaints: list[str]) -> Mapping[str, str]:
    """The members of one table, all of them texts; what is wrong is added to `complaints`."""
    if entry is None:
        entry = {}
    if not isinstance(entry, dict):
        complaints.append(f"{place}: a table, headed [{place}]")
        return {}
    known = {member.name for member in fields(_TABLES[place])}
    needed = {"composer": "field", "answers": "each"}.get(place)
    if needed and not entry.get(needed):
        complaints.append(f"{place}: {needed} is missing")
    for name, value in entry.items():
        if name not in known:
            complaints.append(f"{place}: {name!r} means nothing here; there are {', '.join(sorted(known))}")
        elif not isinstance(value, str):
            complaints.append(f"{place}: {name} is a text, not {value!r}")
    if place == "wire" and entry.get("dialect", "openai") not in DIALECTS:
        complaints.append(f"wire: dialect is one of {', '.join(DIALECTS)}")
    return entry
