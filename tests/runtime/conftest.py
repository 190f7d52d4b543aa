"""What tests of the runtime stand on."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from tests.runtime.undo_world import Desk, new_desk


@pytest.fixture
def desk(tmp_db_dir: Path) -> AbstractAsyncContextManager[Desk]:
    """A new constellation with the one door for edits, undo and previews, open during the test."""
    return new_desk(tmp_db_dir)
