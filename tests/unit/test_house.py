"""What the repository promises about itself: its arrows, its locks, and that no file knows one machine."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.support.needs import missing

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "static" / "js"
PAGE_ARROWS = {"core": {"core"}, "net": {"net", "core"}, "ui": {"ui", "core"}}
FLASK_ROOMS = {"web", "testing", "app"}
GEVENT_ROOMS = {"server"}
# Homes and work folders of people, machines and containers.
MACHINE_PATH = re.compile(r"(?<![\w.$}])/(?:home|root|Users|work|workspace|opt)/[\w.-]+")
IMPORT = re.compile(
    r"""(?:^|[;}])\s*(?:import|export)\b[^'"`;()]*?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']""", re.M
)


def tracked_files() -> list[Path]:
    """The files that git knows, which exist and are text."""
    if not (shutil.which("git") and (ROOT / ".git").exists()):
        missing("This is no git checkout: what belongs to the project is not known")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    paths = [ROOT / name for name in listed.decode().split("\0") if name]
    return [path for path in paths if path.is_file() and b"\0" not in path.read_bytes()[:4096]]


def rooms() -> set[str]:
    """The modules and packages that stand directly in `webapp`."""
    found = {path.stem for path in (ROOT / "webapp").glob("*.py")}
    found |= {path.parent.name for path in (ROOT / "webapp").glob("*/__init__.py")}
    return found - {"__init__"}


def contract(identifier: str) -> set[str]:
    """The rooms whose imports the contract of this id restricts."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = {one["id"]: one for one in settings["tool"]["importlinter"]["contracts"]}
    return {name.removeprefix("webapp.") for name in contracts[identifier]["source_modules"]}


def page_imports(script: Path, scripts: Path = SCRIPTS) -> set[str]:
    """The rooms below `scripts` from which a script imports; `main` stands for the files at its top."""
    named = {a or b for a, b in IMPORT.findall(script.read_text(encoding="utf-8"))}
    targets = [(script.parent / name).resolve().relative_to(scripts) for name in named]
    return {target.parts[0] if len(target.parts) > 1 else "main" for target in targets}


@pytest.mark.parametrize(("framework", "allowed"), [("flask", FLASK_ROOMS), ("gevent", GEVENT_ROOMS)])
def test_every_room_but_the_allowed_ones_is_kept_from_the_framework(framework: str, allowed: set[str]) -> None:
    assert contract(framework) == rooms() - allowed


@pytest.mark.parametrize("room", sorted(PAGE_ARROWS))
def test_scripts_of_a_room_of_the_page_import_only_what_lies_beneath(room: str) -> None:
    reached = {script.name: page_imports(script) for script in (SCRIPTS / room).rglob("*.js")}
    assert {name: found - PAGE_ARROWS[room] for name, found in reached.items() if found - PAGE_ARROWS[room]} == {}


def test_every_room_of_the_page_has_a_floor() -> None:
    assert {script.relative_to(SCRIPTS).parts[0] for script in SCRIPTS.glob("*/**/*.js")} <= set(PAGE_ARROWS)


@pytest.mark.parametrize(
    ("text", "room"),
    [
        ('import { a } from "../net/stream.js";', "net"),
        ('import {\n  a,\n  b,\n} from "../net/stream.js";', "net"),
        ("export * from '../net/stream.js';", "net"),
        ('import "../main.js";', "main"),
        ('const late = await import("../ui/view.js");', "ui"),
        ('import { a } from "./neighbour.js";', "core"),
    ],
)
def test_each_form_of_import_is_seen(text: str, room: str, tmp_path: Path) -> None:
    (tmp_path / "core").mkdir()
    script = tmp_path / "core" / "a.js"
    script.write_text(text, encoding="utf-8")
    assert page_imports(script, tmp_path) == {room}


def test_the_lock_of_the_page_holds_no_download_address() -> None:
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))
    assert [name for name, entry in lock["packages"].items() if "resolved" in entry] == []


def test_every_constraint_is_one_exact_version() -> None:
    lines = (ROOT / "deploy" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if line and not line.startswith("#")]
    assert [line for line in kept if not re.fullmatch(r"[\w.-]+==[\w.!+-]+", line)] == []


def test_no_file_names_a_path_of_one_machine() -> None:
    found = {
        str(path.relative_to(ROOT)): MACHINE_PATH.findall(path.read_text(encoding="utf-8", errors="replace"))
        for path in tracked_files()
        if path != Path(__file__).resolve()
    }
    assert {name: hits for name, hits in found.items() if hits} == {}
