"""Pictures of the window end in order, also when drawing meets an error that nobody foresaw."""

import subprocess
import sys
from pathlib import Path

import pytest

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
