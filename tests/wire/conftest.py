"""Visitors of the shared server."""

import pytest

from tests.support.server import Server
from tests.support.visitor import Visitor


@pytest.fixture
def visitor(server: Server) -> Visitor:
    return Visitor(server)


@pytest.fixture
def stranger(server: Server) -> Visitor:
    """Somebody else."""
    return Visitor(server)
