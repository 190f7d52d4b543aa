"""What tests of the command line stand on: the sample, made once, and real agents as constellations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import real_file, run

Import = Callable[[str], Path]


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample constellation, alone in its folder; no test may change it."""
    path = tmp_path_factory.mktemp("cli") / "sample.constellation"
    done = run("sample", path)
    assert done.returncode == 0, done.stderr.decode()
    return path


@pytest.fixture(scope="session")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Import:
    """A real agent file as a constellation; no test may change it."""
    folder = tmp_path_factory.mktemp("imported")

    def of(name: str) -> Path:
        made = folder / f"{name}.constellation"
        if not made.exists():
            done = run("import", real_file(name), "--into", made)
            assert done.returncode == 0, done.stderr.decode()
        return made

    return of
