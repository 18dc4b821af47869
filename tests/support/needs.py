"""What a test needs from the machine: missing on a laptop, it is skipped with the reason; in CI, it fails."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def missing(reason: str) -> NoReturn:
    """End the running test because the machine lacks what `reason` names."""
    if os.environ.get("CI"):
        pytest.fail(f"{reason} (in CI this is a failure)", pytrace=False)
    pytest.skip(reason)
