"""The command: help with an example, one line for what is wrong, exit code 2 for wrong use."""

import subprocess
import sys
from pathlib import Path

import pytest

from webapp.cli import main


@pytest.fixture(autouse=True)
def own_data(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("MOTAMOT_DATABASE_URL", f"sqlite:///{tmp_path}/motamot.db")


@pytest.mark.parametrize("arguments", [[], ["serve"], ["models"]])
def test_help_has_an_example(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--help"])
    assert ended.value.code == 0
    assert "Example: motamot" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["dance"], ["serve", "--port", "70000"], ["serve", "--port", "http"]])
def test_wrong_use_is_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "chat.example"])
def test_testing_stays_on_this_machine(host: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--testing", "--host", host]) == 2
    assert "--testing-anywhere" in capsys.readouterr().err


def test_wrong_settings_are_said_a_line_each(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MOTAMOT_REDIS_URL", "redis://here")
    monkeypatch.setenv("MOTAMOT_PUBLIC_URL", "chat.example")
    assert main(["serve"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2


@pytest.mark.parametrize("command", ["serve", "models"])
def test_a_key_that_cannot_be_sent_is_said_and_not_shown(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In a process of its own: serving changes how a process blocks."""
    program = [sys.executable, "-c", "import sys; from webapp.cli import main; sys.exit(main())", command]
    environment = {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_API_KEY": "sk SENTINEL", "HOME": str(tmp_path)}
    ended = subprocess.run(program, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "key" in ended.stderr
    assert "SENTINEL" not in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_the_models_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models"]) == 0
    assert capsys.readouterr().out.startswith("smollm2\tlocal\t")
