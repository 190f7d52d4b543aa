"""From the start of the process to the first paint, beside a bare PySide6 window: empty, and with the sample.

    python -m tests.bench.cold_start [ROUNDS]

Page cache warm: one round of each goes before. Limits: at most 2.5 times the bare window empty, 4 times with the
sample.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EMPTY_LIMIT, SAMPLE_LIMIT = 2.5, 4.0

_BARE = """
import sys, time
from PySide6.QtWidgets import QApplication, QMainWindow, QPlainTextEdit
class Window(QMainWindow):
    def paintEvent(self, event):
        super().paintEvent(event)
        print(time.time(), flush=True)
        import os
        os._exit(0)
app = QApplication([])
window = Window()
window.setCentralWidget(QPlainTextEdit())
window.resize(1440, 900)
window.show()
app.exec()
"""
_OURS = """
import os, sys, time
from PySide6.QtCore import QEvent, QObject
WANTED = {wanted!r}
from PySide6.QtWidgets import QApplication
from inspector import entry
class Watch(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and {ready}:
            print(time.time(), flush=True)
            os._exit(0)
        return False
from inspector.ui import shell as ui_shell
made = ui_shell.make_application
def make(arguments):
    application = made(arguments)
    global watch
    watch = Watch()
    application.installEventFilter(watch)
    return application
ui_shell.make_application = make
entry.main(WANTED)
"""
_ANY_PAINT = "watched.isWidgetType() and watched.isWindow()"
_SAMPLE_PAINT = "type(watched.parent()).__name__ == 'RequestView' and watched.parent().rows is not None"


def seconds_of(code: str, home: Path) -> float:
    """From spawn to the moment that the program prints."""
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_DATA_HOME": str(home / "data"),
    }

    begun = time.time()
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if not done.stdout.strip():
        raise RuntimeError(done.stderr)
    return float(done.stdout.strip().splitlines()[-1]) - begun


def main() -> int:
    """Measure and judge."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        sample = home / "sample.constellation"
        subprocess.run(
            [sys.executable, "-m", "inspector", "sample", str(sample)],
            cwd=ROOT,
            check=True,
            capture_output=True,
        )
        programs = {
            "bare PySide6 window": _BARE,
            "empty window": _OURS.format(wanted=[], ready=_ANY_PAINT),
            "with the sample": _OURS.format(wanted=[str(sample)], ready=_ANY_PAINT),
            "with the sample, until its Request is painted": _OURS.format(
                wanted=[str(sample)], ready=_SAMPLE_PAINT
            ),
        }
        times: dict[str, list[float]] = {name: [] for name in programs}
        for number in range(rounds + 1):
            for name, code in programs.items():
                took = seconds_of(code, home)
                if number:
                    times[name].append(took)
    medians = {name: statistics.median(each) for name, each in times.items()}
    bare, empty, full, _ = medians.values()
    for name, median in medians.items():
        print(f"{name:48} {median * 1000:7.0f} ms  {median / bare:5.2f} x")
    print(f"limits: {EMPTY_LIMIT} x and {SAMPLE_LIMIT} x")
    return 0 if empty <= EMPTY_LIMIT * bare and full <= SAMPLE_LIMIT * bare else 1


if __name__ == "__main__":
    sys.exit(main())
