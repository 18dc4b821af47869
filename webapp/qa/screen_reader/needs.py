"""What the machine lacks for a screen reader, as the names of Debian's packages; it installs nothing."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

# Orca and the listener run under the system's own Python: what they import is not in an environment of ours.
SYSTEM_PYTHON = "/usr/bin/python3"
BUS_LAUNCHER = "/usr/libexec/at-spi-bus-launcher"

_PROGRAMS = {"Xvfb": "xvfb", "dbus-daemon": "dbus", "dbus-send": "dbus", "orca": "orca", "setpriv": "util-linux"}
_LISTENER = "import gi; gi.require_version('Atspi', '2.0'); from gi.repository import Atspi"


def missing_packages() -> Sequence[str]:
    """The packages to install, in alphabetical order; none where everything is there."""
    lacking = {package for program, package in _PROGRAMS.items() if shutil.which(program) is None}
    if not Path(BUS_LAUNCHER).exists():
        lacking.add("at-spi2-core")
    if not _can_listen():
        lacking |= {"gir1.2-atspi-2.0", "python3-gi"}
    return sorted(lacking)


def _can_listen() -> bool:
    try:
        done = subprocess.run([SYSTEM_PYTHON, "-c", _LISTENER], check=False, capture_output=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0
