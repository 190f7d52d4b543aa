"""A key that was worked with for 200 actions is found nowhere afterwards: not in files, not in what was printed."""

from __future__ import annotations

import asyncio
import base64
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.fixtures import ROOT
from tests.ui.canary_session import ACTIONS
from tests.ui.world import prepare_file

KEY = "zq/canary+8d1Zq0PwLm~4XtV~kR7bN2"


def spellings(key: str) -> dict[str, bytes]:
    """The key as it may stand in a file: raw, its end, in a URL, in UTF-16, in base 64 at each of three places."""
    found = {"raw": key.encode(), "end": key[-8:].encode(), "UTF-16": key.encode("utf-16-le")}
    found["URL"] = quote(key, safe="").encode()
    found["JSON"] = key.replace("/", "\\/").encode()
    for shift in range(3):
        # The first and last letters depend on what stands beside it.
        found[f"base 64, {shift}"] = base64.b64encode(b"x" * shift + key.encode())[4:-4]
    return found


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_that_a_key_is_found_nowhere_after_200_actions_and_a_crash(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    asyncio.run(prepare_file(home))
    places = {
        name: str(home) for name in ("HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.ui.canary_session", str(home)],
        cwd=ROOT,
        input=f"{KEY}\n".encode(),
        capture_output=True,
        timeout=580,
        check=False,
        env={**os.environ, **places, "QT_QPA_PLATFORM": "offscreen"},
    )
    counts = dict(each.split("=") for each in done.stdout.decode().split())
    assert sum(map(int, counts.values())) == ACTIONS, done.stderr.decode()[-4_000:]
    assert done.returncode < 0, "it did not crash"
    written = {str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()}
    written |= {"standard output": done.stdout, "standard error": done.stderr}
    assert len(written) > 50
    found = [
        (name, spelling)
        for name, data in written.items()
        for spelling, bytes_ in spellings(KEY).items()
        if bytes_ in data
    ]
    assert found == []
