"""What tests of the command line stand on: the sample, made once, and real agents as constellations."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import Program, real_file, run

Import = Callable[[str], Path]


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample constellation, alone in its folder; no test may change it."""
    path = tmp_path_factory.mktemp("cli") / "sample.constellation"
    done = run("sample", path)
    assert done.returncode == 0, done.stderr.decode()
    return path


@pytest.fixture
def mine(sample: Path, tmp_path: Path) -> Path:
    """A copy of the sample."""
    return Path(shutil.copy(sample, tmp_path / "sample.constellation"))


@pytest.fixture
def program(mine: Path) -> Program:
    """The program on a copy of the sample."""
    return Program(mine)


@pytest.fixture(autouse=True)
def _private_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Backups and damaged files are kept beside the test's own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


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
