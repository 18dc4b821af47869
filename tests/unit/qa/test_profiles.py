"""Profiles: what a file may say, and everything that is wrong with one named at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from webapp.qa.profiles import BadProfile, Wire, built_in, parse_profile, read_profile

LEAST = '[composer]\nfield = "textarea"\n[answers]\neach = ".answer"\n'


def test_two_selectors_are_enough() -> None:
    profile = parse_profile(LEAST, "some/where.toml")
    assert (profile.name, profile.composer.field, profile.answers.each) == ("where", "textarea", ".answer")
    assert (profile.path, profile.wire, profile.is_formatted) == ("/", Wire(), False)


def test_our_own_page_needs_no_file() -> None:
    assert built_in().wire.dialect == "native"


@pytest.mark.parametrize(
    ("text", "complaints"),
    [
        ("[composer\n", ["Expected"]),
        ("", ["composer: field is missing", "answers: each is missing"]),
        ("name = 1\nis_formatted = 1\n" + LEAST, ["name and path are texts", "is_formatted is true or false"]),
        ("nmae = 'x'\n" + LEAST, ["'nmae' means nothing here; there are name, path, is_formatted, composer"]),
        (LEAST + "bussy = 'x'\nbusy = 3\n", ["answers: 'bussy' means nothing here", "answers: busy is a text, not 3"]),
        (LEAST + "[wire]\ndialect = 'morse'\n", ["wire: dialect is one of native, openai, ndjson"]),
        ("wire = 3\n" + LEAST, ["wire: a table, headed [wire]"]),
    ],
)
def test_everything_that_is_wrong_is_named_at_once(text: str, complaints: list[str]) -> None:
    with pytest.raises(BadProfile) as refused:
        parse_profile(text, "p.toml")
    assert len(refused.value.complaints) == len(complaints)
    for complaint, told in zip(complaints, refused.value.complaints, strict=True):
        assert told.startswith("p.toml: ")
        assert complaint in told


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b"name = '\xe9'\n")
    for path in (tmp_path / "none.toml", latin):
        with pytest.raises(BadProfile, match=path.name):
            read_profile(path)
    with pytest.raises(BadProfile, match="no such profile"):
        built_in("nobody")
