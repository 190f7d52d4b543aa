"""The whole program in a process of its own: it shows itself, opens the file, and ends in order."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.ui.preferences import Preferences

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 90

PROGRAM = """
import os, signal, subprocess, sys, threading
from pathlib import Path
from PySide6.QtCore import QTimer
from inspector.ui.main_window import MainWindow
from inspector.ui.startup import StartOptions, Startup

file, preferences, how = sys.argv[1:]
shell = Startup(StartOptions(Path(file) if file else None, preferences=Path(preferences)))
painted, paint = [], MainWindow.paintEvent
def note_paint(window, event):
    painted.append("inspector.ui.window_parts" in sys.modules)
    paint(window, event)
MainWindow.paintEvent = note_paint
shell.show()
assert painted[0] is False, "more than the frame was loaded before the first paint"
assert painted[-1] is True
assert "inspector.runtime.engine" not in sys.modules, "the engine came before the first paint"
assert "asyncio" not in sys.modules, "the loop came before the first paint"
from inspector.domain.ref import Ref, RefKind
from inspector.ui.app import run
from inspector.runtime.session import SessionFactory
from inspector.ui.window_setup import populate
from inspector.ui.panels import PANELS
from inspector.ui.file_state import What

made, copied = [], []

def put(window, look, bridge, opener):
    made.append(populate(window, look, bridge, opener, PANELS))
    bridge.failed.connect(lambda failure: print("FAILED", failure.details))
    return made[0]

def look():
    opens = file or shell.preferences.text("window.last_file")
    if not made or opens and not shows_all(made[0].workspace.file):
        return
    timer.stop()
    print("READY", shell.window.windowTitle())
    if how == "live":
        watch_for_an_edit()
    elif how == "close":
        tell_tabs()
        shell.window.close()
    elif how == "tabs":
        open_tabs()
    elif how == "copy":
        made[0].services.actions.run("request.copy")
        copied.append(made[0].workspace.file.request.text)
        QTimer.singleShot(0, shell.window.close)
    elif how == "error":
        QTimer.singleShot(0, lambda: 1 / 0)
        QTimer.singleShot(50, shell.window.close)
    else:
        os.kill(os.getpid(), getattr(signal, how))

def shows_all(file):
    # The contents are read beside the build, so either may come first.
    return file.request is not None and file.contents.get(file.agent.id) is not None

def open_tabs():
    own = made[0].workspace.file.contents.get(made[0].workspace.file.agent.id).own
    for state in own[:2]:
        made[0].services.selection.open(Ref(RefKind.BLOCK, state.block.id))
    shell.window.centre.tabBar().moveTab(2, 0)
    tell_tabs()
    QTimer.singleShot(0, shell.window.close)

def tell_tabs():
    centre = shell.window.centre
    print("TABS", centre.currentIndex(), [centre.tabText(place) for place in range(centre.count())])

def watch_for_an_edit():
    command = [sys.executable, "-m", "inspector", "edit", file, "--agent", "Ada", "--block", "scratchpad"]
    # Of its own output none may stand amid the lines of this program.
    subprocess.Popen([*command, "--append", "written elsewhere"], stdout=subprocess.DEVNULL)
    def see(what):
        file = made[0].workspace.file
        if what & What.WRITTEN:
            print("NEWS", file.last_written.own, file.label(file.last_written.ref.id))
        for state in file.blocks.values() if what & What.BLOCKS else ():
            if state.block.label == "scratchpad" and state.content.text.endswith("written elsewhere"):
                print("SEEN", state.block.label)
                QTimer.singleShot(0, shell.window.close)
    made[0].workspace.changed.connect(see)

timer = QTimer()
timer.timeout.connect(look)
timer.start(20)
code = run(shell, load_engine=SessionFactory, load_contents=put)
if how == "copy":
    print("COPIED", [shell.application.clipboard().text()] == copied)
names = {each.name for each in threading.enumerate()} - {threading.main_thread().name}
print("LEFT", sorted(name for name in names if not name.startswith("worker")))
sys.exit(code)
"""


def start(folder: Path, file: Path | None, how: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "XDG_STATE_HOME": str(folder / "state"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_DATA_HOME": str(folder / "data"),
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-X", "dev", "-c", PROGRAM, str(file or ""), str(folder / "window.json"), how]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sample") / "sample.constellation"
    command = [sys.executable, "-m", "inspector", "sample", str(path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=SECONDS)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("how", ["close", "SIGTERM", "SIGINT"])
def test_that_the_program_ends_in_order(tmp_path: Path, sample: Path, how: str) -> None:
    before = sample.read_bytes()
    done = start(tmp_path, sample, how)
    assert done.returncode == 0, done.stderr
    assert "READY sample.constellation" in done.stdout
    assert "FAILED" not in done.stdout
    assert "LEFT []" in done.stdout
    assert "Traceback" not in done.stderr
    assert sample.read_bytes() == before
    # Every way out keeps where the window stands.
    assert Preferences(tmp_path / "window.json").layout("window_geometry_1") is not None


@pytest.mark.slow
def test_that_an_edit_of_another_process_appears_in_the_window(tmp_path: Path, sample: Path) -> None:
    copy = tmp_path / "copy.constellation"
    copy.write_bytes(sample.read_bytes())
    done = start(tmp_path, copy, "live")
    assert done.returncode == 0, done.stderr
    assert "NEWS False scratchpad" in done.stdout
    assert "SEEN scratchpad" in done.stdout


@pytest.mark.slow
def test_that_the_next_start_shows_the_same_file_with_the_same_tabs(tmp_path: Path, sample: Path) -> None:
    first = start(tmp_path, sample, "tabs")
    assert first.returncode == 0, first.stderr
    second = start(tmp_path, None, "close")
    assert second.returncode == 0, second.stderr
    assert "READY sample.constellation" in second.stdout
    (said,) = (line for line in first.stdout.splitlines() if line.startswith("TABS"))
    assert said.count(",") >= 2
    assert said in second.stdout


@pytest.mark.slow
def test_that_an_error_in_a_slot_is_told_and_the_window_lives(tmp_path: Path) -> None:
    done = start(tmp_path, None, "error")
    assert done.returncode == 0, done.stderr
    assert "FAILED" in done.stdout
    assert "ZeroDivisionError" in done.stdout


@pytest.mark.slow
def test_that_what_was_copied_outlives_the_window_and_the_program_ends_in_order(
    tmp_path: Path, sample: Path
) -> None:
    done = start(tmp_path, sample, "copy")
    assert done.returncode == 0, done.stderr
    assert "COPIED True" in done.stdout


@pytest.mark.slow
def test_that_a_start_that_went_well_is_not_counted_as_failed(tmp_path: Path) -> None:
    start(tmp_path, None, "close")
    assert "unfinished_starts" not in (tmp_path / "window.json").read_text()
