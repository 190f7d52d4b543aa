"""What tests of memory stand on."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from tests.memory.world import World, new_world


@pytest.fixture
def world(tmp_db_dir: Path) -> AbstractAsyncContextManager[World]:
    """A new constellation with two agents that is open during the test."""
    return new_world(tmp_db_dir)
