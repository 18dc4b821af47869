"""The documentation and the program say the same: what the program has is written, and what is written exists."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from werkzeug.test import Client

from tests.support.routes import routes
from webapp.app import Motamot
from webapp.core.events import Event
from webapp.core.limits import Limits
from webapp.core.problems import KINDS
from webapp.settings import BadSettings, Settings, read_settings

ROOT = Path(__file__).resolve().parents[2]
# Read only to be refused with the reason; and read by the tests, not by the program.
NOT_SETTINGS = {"MOTAMOT_REDIS_URL", "MOTAMOT_TEST_BROWSER"}
FOR_TESTS = {"MOTAMOT_TEST_BROWSER"}
PAGES_OWN_CODES = {"connection_lost", "stream_incomplete"}


def rows(page: str, first: str) -> Iterator[list[str]]:
    """The rows of the table of a page whose head begins with `first`, each as its cells."""
    lines = iter((ROOT / page).read_text(encoding="utf-8").splitlines())
    for line in lines:
        if line.startswith(f"| {first} |"):
            next(lines)
            for row in lines:
                if not row.startswith("|"):
                    return
                yield [cell.strip() for cell in row.strip("|").split(" | ")]


def names(page: str, first: str) -> set[str]:
    """What stands as code in the first cell of each row of that table."""
    return {name for row in rows(page, first) for name in re.findall(r"`([^`]+)`", row[0])}


def known_members(config: str, folder: Path) -> set[str]:
    """What the settings say may stand where `config` has the member `unheard_of`, which they refuse."""
    path = folder / "motamot.toml"
    path.write_text(config, encoding="utf-8")
    with pytest.raises(BadSettings) as refused:
        read_settings({"MOTAMOT_CONFIG": str(path), "MOTAMOT_DATABASE_URL": f"sqlite:///{folder}/motamot.db"})
    [complaint] = [one for one in refused.value.complaints if "'unheard_of' means nothing here" in one]
    return set(complaint.partition("there are ")[2].split(", "))


def test_the_documented_variables_are_those_that_the_program_reads() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "webapp").rglob("*.py"))
    assert names("README.md", "variable") == set(re.findall(r'"((?:MOTAMOT|OPENAI)_[A-Z_]+)"', sources)) - NOT_SETTINGS


def test_no_page_names_a_variable_that_is_not_documented() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    named = {name for page in pages for name in re.findall(r"MOTAMOT_[A-Z_]+", page.read_text(encoding="utf-8"))}
    assert named - names("README.md", "variable") <= FOR_TESTS


@pytest.mark.parametrize(
    ("config", "first"),
    [
        ('[[models]]\nid = "a"\nkind = "local"\nunheard_of = 1\n', "member"),
        ('[[actions]]\nname = "a"\nunheard_of = 1\n', "entry"),
        ("[limits]\nunheard_of = 1\n", "limit"),
    ],
    ids=["model", "action", "limits"],
)
def test_the_documented_members_of_the_file_are_those_that_it_may_have(config: str, first: str, tmp_path: Path) -> None:
    assert names("docs/configuration.md", first) == known_members(config, tmp_path)


def test_the_file_may_have_the_documented_tables_and_members_alone(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    tables = set(re.findall(r"^### `\[+(\w+)\]+`", text, re.M))
    assert tables | names("docs/configuration.md", "at the top") == known_members("unheard_of = 1\n", tmp_path)


def test_the_example_of_the_file_is_understood(tmp_path: Path) -> None:
    [example] = re.findall(r"```toml\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    path = tmp_path / "motamot.toml"
    path.write_text(example, encoding="utf-8")
    settings = read_settings({"MOTAMOT_CONFIG": str(path), "OPENAI_API_KEY": "secret"})
    assert [(model.id, model.kind, model.key) for model in settings.models] == [
        ("llama", "remote", ""),
        ("gpt", "remote", "secret"),
        ("smollm2", "local", ""),
    ]


def test_the_documented_limits_are_the_ones_in_force() -> None:
    documented = {row[0].strip("`"): float(row[2]) for row in rows("docs/configuration.md", "limit")}
    in_force = Limits()
    assert {name: documented[name] for name in Limits.__slots__} == {
        name: getattr(in_force, name) for name in Limits.__slots__
    }


def test_the_documented_events_are_the_events() -> None:
    assert names("docs/api.md", "event") == {kind.__name__.lower() for kind in get_args(Event)}


def test_the_documented_events_carry_what_the_events_carry() -> None:
    documented = {row[0].strip("`"): set(row[1].strip("`").split()) for row in rows("docs/api.md", "event")}
    carried = {kind.__name__.lower(): set(kind.__slots__) - {"seq"} for kind in get_args(Event)}
    assert documented == carried


@pytest.mark.proves("G7")
def test_the_documented_codes_are_the_codes_with_their_status() -> None:
    documented = {row[0].strip("`"): row[1] for row in rows("docs/api.md", "code")}
    expected = {code: str(kind.status) for code, kind in KINDS.items()}
    assert documented == expected | {"cancelled": "–"} | dict.fromkeys(PAGES_OWN_CODES, "–")


def test_the_documented_commands_of_make_are_its_commands() -> None:
    listed = subprocess.run(["make", "help"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    documented = {name for name in names("README.md", "command") if name.startswith("make ") and "ARGS" not in name}
    assert documented == set(re.findall(r"^make [a-z]+", listed, re.M)) - {"make help"}


def test_the_documented_calls_are_the_routes() -> None:
    interface = {
        f"{method} {re.sub('<[a-z_]+>', '{id}', rule)}"
        for method, rule in routes()
        if rule.startswith(("/api/", "/health/", "/metrics"))
    }
    documented = [re.findall(r"`([A-Z]+ [^`]+)`", row[0]) for row in rows("docs/api.md", "call")]
    assert {call for [call] in documented} == interface


def test_the_documented_metrics_are_the_metrics_with_their_kinds(tmp_path: Path) -> None:
    motamot = Motamot(Settings(f"sqlite:///{tmp_path}/motamot.db", tmp_path))
    told = Client(motamot.wsgi).get("/metrics", environ_overrides={"REMOTE_ADDR": "127.0.0.1"}).text
    motamot.close()
    kinds = dict(re.findall(r"^# TYPE (\w+) (\w+)$", told, re.M))
    documented = {row[0].strip("`"): row[1] for row in rows("docs/metrics.md", "metric")}
    assert documented == {name: kind for name, kind in kinds.items() if not name.endswith("_created")}


def help_of(*words: str) -> str:
    """What `motamot WORDS --help` prints."""
    command = [str(Path(sys.executable).with_name("motamot")), *words, "--help"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_the_documented_commands_of_motamot_are_its_commands_with_their_options() -> None:
    documented = {
        row[0].strip("`"): set(re.findall(r"`(--[a-z-]+)`", row[1]))
        for row in rows("README.md", "command")
        if row[0].startswith("`motamot ")
    }
    commands = re.findall(r"^    ([a-z]+) ", help_of(), re.M)
    options = {name: set(re.findall(r"--[a-z][a-z-]*", help_of(name))) - {"--help"} for name in commands}
    assert documented == {f"motamot {name}": options[name] for name in commands}


def test_every_command_of_motamot_shows_an_example() -> None:
    commands = re.findall(r"^    ([a-z]+) ", help_of(), re.M)
    assert [name for name in commands if f"Example: motamot {name}" not in help_of(name)] == []
