"""The seeds of a soak: they come from the commit, so that each one looks at other faults and can be repeated."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def commit() -> str:
    """The commit that is checked out, in short; eight zeros outside a repository."""
    command = ("git", "-C", str(ROOT), "rev-parse", "--short=8", "HEAD")
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "0" * 8


def seeds(count: int) -> range:
    """So many seeds from the commit."""
    first = int(commit(), 16)
    return range(first, first + count)
