"""The settings' file is never half-written, whenever its writer is killed, and whoever else writes it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from inspector.runtime.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
SET_FOR_EVER = """
import itertools, sys
from pathlib import Path
from inspector.runtime.settings import Settings

settings = Settings(Path(sys.argv[1]))
print("ready", flush=True)
for number in itertools.count():
    settings.set("identity.name", f"{sys.argv[2]} " + "x" * (number % 3000))
"""


def storm(path: Path, kills: int) -> None:
    """Two writers, killed again and again; after each kill the file must be one that somebody wrote."""
    for turn in range(kills):
        writers = []
        for tag in ("one", "two"):
            command = [sys.executable, "-c", SET_FOR_EVER, str(path), tag]
            writers.append(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True))
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
        time.sleep(0.02 + 0.01 * (turn % 5))
        for writer in writers:
            writer.kill()
            writer.communicate()
        stored = json.loads(path.read_text(encoding="utf-8"))
        assert list(stored) == ["identity.name"]
        tag, _, rest = stored["identity.name"].partition(" ")
        assert tag in ("one", "two")
        assert rest == "x" * len(rest)
        assert Settings(path).text("identity.name") == stored["identity.name"]


@pytest.mark.timeout(200)
def test_that_settings_are_whole_after_each_of_10_kills_of_two_writers(tmp_path: Path) -> None:
    storm(tmp_path / "config" / "settings.json", 10)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_that_settings_are_whole_after_each_of_50_kills_of_two_writers(tmp_path: Path) -> None:
    storm(tmp_path / "config" / "settings.json", 50)
