"""What tests of whole paths stand on."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.runtime.environment import Environment
from tests.flows.export_builders import (
    Desk,
)


@pytest.fixture
def desk(tmp_db_dir: Path, surroundings: Environment, request: pytest.FixtureRequest) -> Desk:
    """Without the real agent files, only what needs them is skipped."""
    samples = Path(__file__).resolve().parents[2].parent / "shared" / "samples"
    return Desk(tmp_db_dir, surroundings, samples)
