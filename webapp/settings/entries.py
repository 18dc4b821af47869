"""What the tables of the file have in common: members of a type, names that stand once, addresses."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

Members = Mapping[str, type | tuple[type, ...]]


def typed(entry: Mapping[str, Any], members: Members, place: str, complaints: list[str]) -> Mapping[str, Any]:
    """The members of `entry` that mean something and have the right type; the others are complained of."""
    kept = {}
    for name, value in entry.items():
        right = members.get(name)
        if right is None:
            complaints.append(f"{place}: {name!r} means nothing here; there are {words(members)}")
        elif not isinstance(value, right) or (isinstance(value, bool) and right is not bool):
            complaints.append(f"{place}: {name} cannot be {value!r}")
        else:
            kept[name] = value
    return kept


def doubles(names: Iterable[str]) -> list[str]:
    """Those names that stand there more than once."""
    return sorted(name for name, count in Counter(names).items() if count > 1)


def is_http(url: str) -> bool:
    """Whether it is the address of a host, with http or https."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def words(names: Iterable[str]) -> str:
    """The names as a complaint lists them."""
    return ", ".join(sorted(names))
