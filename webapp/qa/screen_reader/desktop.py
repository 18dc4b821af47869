"""A desktop that no screen shows: an X server, a message bus, the accessibility bus, all ended with their parent."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from webapp.qa.screen_reader.needs import BUS_LAUNCHER

T = TypeVar("T")

SIZE = "1280x900x24"
START_SECONDS = 15.0
END_SECONDS = 0.5
POLL_SECONDS = 0.05
BUS_SERVICE = Path("/usr/share/dbus-1/services/org.a11y.Bus.service")
# It can start the accessibility bus and nothing else: the usual configuration starts portals that mount file systems.
BUS_CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir={folder}</listen>
  <servicedir>{folder}/services</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""


class Desktop:
    """Runs while its `with` block does. `environment` is what a program needs to appear on it; `folder` is its home.

    Raises TimeoutError, with the program's own words, where a part of it does not start.
    """

    def __init__(self) -> None:
        self.folder = Path()
        self.environment: dict[str, str] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as starting:
            made = tempfile.TemporaryDirectory(prefix="motamot-desktop-", ignore_cleanup_errors=True)
            self.folder = Path(starting.enter_context(made))
            self._stack = starting
            self._start()
            self._stack = starting.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def start(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        *,
        passed: Sequence[int] = (),
        end: float = END_SECONDS,
    ) -> subprocess.Popen[bytes]:
        """A program on this desktop, in a group of its own, which ends with the desktop; its words are in `NAME.log`.

        `passed`: open files that it inherits; `end`: seconds that it has to end by itself.
        """
        with (self.folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                # The kernel ends it when this process dies, however that comes about.
                ["setpriv", "--pdeathsig", "KILL", "--", *command],
                env={**self.environment, **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=passed,
            )
        self._stack.callback(_end, process, end)
        return process

    def wait_for(self, what: Callable[[], T], name: str, seconds: float = START_SECONDS) -> T:
        """What the function gives, once that is true. Raises TimeoutError with what the program `name` has said."""
        until = time.monotonic() + seconds
        while not (found := what()):
            if time.monotonic() > until:
                log = self.folder / f"{name}.log"
                said = log.read_text(errors="replace")[-2_000:] if log.exists() else ""
                raise TimeoutError(f"{name} was not ready after {seconds:g} s. {said}")
            time.sleep(POLL_SECONDS)
        return found

    def _start(self) -> None:
        running = self.folder / "run"
        running.mkdir(mode=0o700)
        self.environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": str(self.folder),
            "XDG_RUNTIME_DIR": str(running),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "XDG_DATA_HOME": str(self.folder / "data"),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "XDG_SESSION_TYPE": "x11",
            "GSETTINGS_BACKEND": "memory",
            "ACCESSIBILITY_ENABLED": "1",  # Chromium looks at it
            "NO_AT_BRIDGE": "0",
        }
        display = ["-screen", "0", SIZE, "-nolisten", "tcp", "-noreset"]
        number = self._told("xvfb", lambda pipe: ["Xvfb", "-displayfd", pipe, *display])
        self.environment["DISPLAY"] = f":{number}"
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = self._bus()
        if shutil.which("openbox"):
            self.start("openbox", ["openbox"])
        # Started now, so that nothing races on its start.
        self.start("accessibility", [BUS_LAUNCHER, "--launch-immediately", "--a11y=1", "--screen-reader=1"])
        self.wait_for(self._has_accessibility, "accessibility")

    def _bus(self) -> str:
        services = self.folder / "services"
        services.mkdir()
        shutil.copy(BUS_SERVICE, services)
        configuration = self.folder / "bus.conf"
        configuration.write_text(BUS_CONFIGURATION.format(folder=self.folder))
        options = [f"--config-file={configuration}", "--nofork", "--nopidfile"]
        return self._told("bus", lambda pipe: ["dbus-daemon", *options, f"--print-address={pipe}"])

    def _told(self, name: str, command: Callable[[str], Sequence[str]]) -> str:
        """Start a program that writes one line into a pipe once it is ready; the line."""
        reading, writing = os.pipe()
        self.start(name, command(str(writing)), passed=[writing])
        os.close(writing)
        with os.fdopen(reading) as pipe:
            line = pipe.readline().strip()
        if not line:
            self.wait_for(lambda: "", name, 0)
        return line

    def _has_accessibility(self) -> bool:
        asked = ["--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner", "string:org.a11y.Bus"]
        told = subprocess.run(
            ["dbus-send", "--session", "--print-reply=literal", *asked],
            env=self.environment,
            check=False,
            capture_output=True,
            text=True,
            timeout=START_SECONDS,
        )
        return "true" in told.stdout


def _end(process: subprocess.Popen[bytes], seconds: float) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
