"""Safe mode starts with defaults and leaves the user's own settings alone; damaged settings never stop a start."""

import json
import os
import random
import select
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from inspector import entry
from inspector.runtime.settings import SETTINGS as RUNTIME_SETTINGS
from inspector.runtime.settings import Settings
from inspector.ui.preferences import SETTINGS, Preferences
from inspector.ui.window_parts import furnished_window, make_look
from tests.ui.test_app import PROGRAM, ROOT, SECONDS

SEED, FILES = 4711, 2_000


@pytest.mark.parametrize(
    ("given", "file", "safe"),
    [
        ([], None, False),
        (["--safe-mode"], None, True),
        (["--safe-mode", "x.constellation"], "x.constellation", True),
        (["open", "--safe-mode", "x.constellation"], "x.constellation", True),
        (["open", "x.constellation"], "x.constellation", False),
    ],
)
def test_that_safe_mode_is_asked_for_in_front_of_a_file_or_alone(
    given: list[str], file: str | None, safe: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[tuple[Path | None, bool]] = []

    def open_window(path: Path | None, sample: bool, safe: bool = False) -> int:
        opened.append((path, safe))
        return 0

    monkeypatch.setattr(entry, "open_window", open_window)
    assert entry.main(given) == 0
    assert opened == [(None if file is None else Path(file), safe)]


@pytest.mark.slow
def test_that_safe_mode_takes_defaults_and_changes_no_settings(tmp_path: Path) -> None:
    stored = {"settings": {"window.theme": "light", "window.text_scale": 1.5}, "recent": ["/gone"]}
    path = tmp_path / "window.json"
    path.write_text(json.dumps(stored))
    said = 'print("THEME", shell.preferences.text("window.theme"), shell.window.appearance.scale)'
    notices = 'print("NOTICES", [each.text for each in shell.window.banners.notices])'
    program = PROGRAM.replace("preferences=Path(preferences))", "preferences=Path(preferences), safe=True)")
    program = program.replace('    print("READY"', f'    {said}\n    {notices}\n    print("READY"')
    done = subprocess.run(
        [sys.executable, "-c", program, "", str(path), "close"],
        env={"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "THEME system 1.0" in done.stdout
    assert "Safe mode: default settings" in done.stdout
    assert json.loads(path.read_text()) == stored
    # It ended in order: the next start has nothing to say of it.
    assert list((tmp_path / ".local").rglob("*.run")) == []


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the program that stands for this one is a shell's")
def test_that_after_a_crash_the_notice_restarts_in_safe_mode(tmp_path: Path) -> None:
    runs = tmp_path / "state" / "context-inspector" / "runs"
    runs.mkdir(parents=True)
    (runs / "1.run").write_text("Context Inspector 0\nFatal Python error: Segmentation fault\n")
    started, again = tmp_path / "started", tmp_path / "again.sh"
    again.write_text(f'#!/bin/sh\necho "$@" > {started}\n')
    again.chmod(0o700)
    os.mkfifo(started)
    # Open before anybody writes, so that neither side waits for the other to open it.
    reader = os.open(started, os.O_RDONLY | os.O_NONBLOCK)
    press = "[run() for each in shell.window.banners.notices for title, run in each.choices]"
    program = PROGRAM.replace("        tell_tabs()\n        shell.window.close()", f"        {press}")
    program = program.replace("code = run(", f'sys.frozen, sys.executable = True, "{again}"\ncode = run(')
    done = subprocess.run(
        [sys.executable, "-c", program, "", str(tmp_path / "window.json"), "close"],
        env={
            "QT_QPA_PLATFORM": "offscreen",
            "PYTHONPATH": str(ROOT),
            "HOME": str(tmp_path),
            "PATH": os.environ["PATH"],
            "XDG_STATE_HOME": str(tmp_path / "state"),
        },
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    select.select([reader], [], [], SECONDS)
    said = os.read(reader, 1_000)
    os.close(reader)
    assert said == b"--safe-mode\n"
    assert list(runs.iterdir()) == []


def damaged(whole: bytes, by: random.Random) -> bytes:
    """A file with bytes of others' making, or cut off."""
    made = bytearray(whole)
    for _ in range(by.randint(1, 8)):
        at = by.randrange(len(made))
        match by.randrange(4):
            case 0:
                made[at] = by.randrange(256)
            case 1:
                del made[at : at + by.randint(1, 9)]
            case 2:
                made[at:at] = by.choice((b"null", b"[]", b"{}", b"-1e999", b"true", b'"\xff', b"9" * 400))
            case _:
                made[at:at] = made[max(0, at - 20) : at]
        if not made:
            break
    return bytes(made)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_that_two_thousand_damaged_settings_files_stop_no_start(qapp: QApplication, tmp_path: Path) -> None:
    by = random.Random(SEED)
    path, engine_path = tmp_path / "window.json", tmp_path / "settings.json"
    whole = {
        "settings": {row.name: row.default for row in SETTINGS},
        "recent": ["/a.constellation", "/b.constellation"],
        "views": {"/a.constellation": {"tabs": [["request", None]], "current": 0}},
        "layouts": {},
        "unfinished_starts": 0,
    }
    engine_whole = {row.name: row.default for row in RUNTIME_SETTINGS}
    taken = 0
    for number in range(FILES):
        path.write_bytes(damaged(json.dumps(whole).encode(), by))
        engine_path.write_bytes(damaged(json.dumps(engine_whole).encode(), by))
        preferences = Preferences(path)
        preferences.begin_start()
        engine = Settings(engine_path)
        values = [preferences.get(row.name) for row in SETTINGS] + [
            engine.get(row.name) for row in RUNTIME_SETTINGS
        ]
        assert len(values) == len(SETTINGS) + len(RUNTIME_SETTINGS)
        assert len(preferences.recent) <= 12
        preferences.view_of(Path("/a.constellation"))
        if number % 100 == 0:
            # Qt takes what is left of them, too.
            appearance, icons = make_look(qapp, preferences)
            furnished_window(appearance, icons, preferences).let_go()
        preferences.end_start()
        taken += not preferences.damaged
    assert 0 < taken < FILES
