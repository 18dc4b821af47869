"""The wheel, as it is without a checkout: built, installed into an empty environment, started, asked."""

from __future__ import annotations

import re
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.needs import missing
from tests.support.server import Server, start_server

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("webapp/templates/chat.html", "webapp/static/js/main.js", "webapp/stores/migrations/env.py")
WORDS = "Each word once: naïve, \N{FAMILY}, and a line end.\n"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command `motamot` of a new environment that holds the wheel and what it asks for, nothing else."""
    folder = tmp_path_factory.mktemp("elsewhere")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--retries", "2"]
    exact = ["--constraint", str(ROOT / "deploy" / "constraints.txt")]
    done = subprocess.run([*pip, *exact, str(wheel)], check=False, capture_output=True, text=True)
    if done.returncode:
        missing(f"pip could not install the wheel's dependencies: {done.stderr.strip()[-400:]}")
    return python.with_name("motamot")


@pytest.fixture(scope="module")
def installed_server(installed: Path) -> Iterator[Server]:
    with start_server(program=installed) as server:
        yield server


def test_the_wheel_holds_the_page_and_the_migrations(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert set(NEEDED) <= names
    for folder, inside in (
        ("templates", "webapp/templates"),
        ("static", "webapp/static"),
        ("webapp", "webapp"),
    ):
        files = [path for path in (ROOT / folder).rglob("*") if path.is_file() and path.suffix != ".pyc"]
        assert {f"{inside}/{path.relative_to(ROOT / folder).as_posix()}" for path in files} <= names


def test_the_wheel_holds_nothing_but_the_program(wheel: Path) -> None:
    assert {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()} == {
        "webapp",
        f"motamot-{wheel.name.split('-')[1]}.dist-info",
    }


def test_the_installed_wheel_answers_a_question_word_for_word(installed_server: Server) -> None:
    with httpx.Client(base_url=installed_server.url, timeout=30) as client:
        assert client.get("/").status_code == 200
        steps = [{"text": WORDS[:9]}, {"text": WORDS[9:]}, {"finish": "stop"}]
        assert client.put("/testing/scenarios/wheel", json={"model": steps}).status_code == 204
        conversation = client.post("/api/v1/conversations", json={}).json()["id"]
        question = {"text": "scenario:wheel", "model": "scripted"}
        answer = client.post(f"/api/v1/conversations/{conversation}/messages", json=question)
        assert (answer.status_code, answer.json()["text"]) == (200, WORDS)


def test_the_installed_page_finds_its_script_and_its_style(installed_server: Server) -> None:
    with httpx.Client(base_url=installed_server.url, timeout=30) as client:
        page = client.get("/").text
        assets = re.findall(r'(?:src|href)="(/static/[^"]+\.(?:js|css))"', page)
        assert {Path(asset).suffix for asset in assets} == {".js", ".css"}
        assert {asset: client.get(asset).status_code for asset in assets} == dict.fromkeys(assets, 200)
