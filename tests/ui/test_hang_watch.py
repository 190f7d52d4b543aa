"""A window that stops responding says where: in the log once it goes on, else to the next start."""

import subprocess
import sys
from pathlib import Path

from inspector.ui.run_marks import RunMark

ROOT = Path(__file__).resolve().parents[2]
SECRET = "sk-ant-api03-of-somebody"
RUN = """
import logging, sys, time
from pathlib import Path
from PySide6.QtCore import QCoreApplication, QTimer
from inspector.ui.hang_watch import HangWatch
from inspector.ui.run_marks import RunMark

logging.basicConfig(stream=sys.stdout, format="LOG %(message)s")
folder, how = Path(sys.argv[1]), sys.argv[2]
application = QCoreApplication([])
mark = RunMark(folder)
mark.begin()
[file] = folder.glob("*.run")
size = file.stat().st_size

def block_for_long():
    secret = "sk-ant-api03-of-somebody"
    until = time.monotonic() + 60
    while file.stat().st_size == size and time.monotonic() < until:
        time.sleep(0.01)
    if how == "forever":
        print("BLOCKED", flush=True)
        time.sleep(60)
    QTimer.singleShot(200, application.quit)

HangWatch(mark, application, seconds=0.5).start()
QTimer.singleShot(0, block_for_long)
application.exec()
print("MARK", file.stat().st_size - size)
mark.end()
print("LEFT", [each.name for each in folder.iterdir()])
"""


def begin(folder: Path, how: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", RUN, str(folder), how]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_that_a_hang_that_ends_is_logged_with_its_calls_and_leaves_no_mark(tmp_path: Path) -> None:
    said = begin(tmp_path, "once").communicate()[0]
    assert "LOG The window didn't respond for " in said
    assert "in block_for_long" in said
    assert SECRET not in said
    assert said.endswith("MARK 0\nLEFT []\n")


def test_that_the_next_start_hears_of_a_hang_that_was_ended_from_outside(tmp_path: Path) -> None:
    hung = begin(tmp_path, "forever")
    assert hung.stdout is not None
    assert hung.stdout.readline() == "BLOCKED\n"
    hung.kill()
    hung.communicate()
    mark = RunMark(tmp_path)
    ended = mark.begin()
    mark.end()
    assert ended is not None
    assert (ended.hung, ended.crashed) == (True, False)
    assert "in block_for_long" in ended.details
    assert SECRET not in ended.details


def test_that_a_mark_that_ended_watches_no_longer(tmp_path: Path) -> None:
    mark = RunMark(tmp_path)
    assert mark.expect_answer(0.01) == ""
    mark.begin()
    mark.end()
    assert mark.expect_answer(0.01) == ""
