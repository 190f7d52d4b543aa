"""Pictures of the window and of work in it, which end in order also when an error comes that nobody foresaw."""

import asyncio
import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.runtime.files import make_empty
from tests.ui.world import World

_DRAWN = """
import sys
from pathlib import Path
from inspector.ui.screenshots import run
from inspector.ui.app import Program
from inspector.ui.panels import RequestPanel

def fall(panel):
    raise LookupError("this panel fell over")

RequestPanel.views_to_draw = fall
sys.exit(run(Path(sys.argv[1]), Path(sys.argv[2]), (("dark",), (1280, 800), 1.0), Program))
"""


@pytest.mark.slow
def test_that_an_unforeseen_error_ends_drawing_with_its_name(world: World, tmp_path: Path) -> None:
    command = (sys.executable, "-c", _DRAWN, str(world.path), str(tmp_path / "pictures"))
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1
    assert ended.stderr.rstrip().endswith("LookupError: this panel fell over")
    assert (tmp_path / "pictures" / "main-dark.png").exists()


def taken(path: Path, out: Path) -> set[str]:
    """The names of the pictures that the command makes of a file, whose bytes it leaves alone."""
    before = hashlib.sha256(path.read_bytes()).digest()
    options = ("--out", str(out), "--theme", "light", "--size", "1280x800")
    command = (sys.executable, "-m", "inspector", "screenshots", str(path), *options)
    ended = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert hashlib.sha256(path.read_bytes()).digest() == before
    names = {each.name.removesuffix("-light.png") for each in out.iterdir()}
    assert {str(out / f"{name}-light.png") for name in names} == set(ended.stdout.splitlines())
    return names


@pytest.mark.slow
def test_that_panels_and_work_in_them_are_drawn_in_one_go(world: World, tmp_path: Path) -> None:
    names = taken(world.path, tmp_path / "pictures")
    assert {"welcome", "main", "request", "block", "budget", "settings"} <= names
    assert {"block-draft", "block-conflict", "drafts", "main-undo", "block-redact", "import"} <= names


@pytest.mark.slow
def test_that_an_empty_file_is_drawn_without_work(world: World, tmp_path: Path) -> None:
    path = world.folder / "empty.constellation"
    asyncio.run(make_empty(path, world.surroundings))
    names = taken(path, tmp_path / "pictures")
    assert {"welcome", "main", "navigator"} <= names
    assert not {each for each in names if each.startswith(("block", "drafts"))}
