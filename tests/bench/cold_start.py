"""How long a start takes: commands beside a bare Python, the window beside a bare PySide6 window.

    python -m tests.bench.cold_start [ROUNDS]

Time to the end of a command and to a paint of the window, from the start of the process; medians, with byte code and
files in the cache: one round of each goes before. The limits stand beside each.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

BARE_WINDOW = """
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
# Only the class that is painted is watched: a filter of all events would cost more than what it measures.
WINDOW = """
import os, time
from inspector import entry
def watch(kind, is_ready):
    paint = kind.paintEvent
    def paintEvent(self, event):
        paint(self, event)
        if is_ready(self):
            print(time.time(), flush=True)
            os._exit(0)
    kind.paintEvent = paintEvent
{watching}
entry.main({arguments!r})
"""
FIRST_PAINT = """
from inspector.ui import startup as first
class Window(first.MainWindow):
    pass
watch(Window, lambda window: True)
first.MainWindow = Window
"""
FURNISHED = """
from inspector.ui import startup as first
class Window(first.MainWindow):
    pass
watch(Window, lambda window: window.is_furnished)
first.MainWindow = Window
"""
"""The window with its bars and tabs, which are made after the first paint of its frame."""
REQUEST_PAINTED = """
load = entry._load_contents
def load_contents(*given):
    from inspector.ui.widgets.request_view import RequestView
    watch(RequestView, lambda view: view.rows is not None)
    return load(*given)
entry._load_contents = load_contents
"""


@dataclass(frozen=True)
class Start:
    """A program to start, beside which one it is measured, and how many times as long as that it may take."""

    name: str
    arguments: list[str]
    beside: str = ""
    limit: float = 1.0
    prints_moment: bool = False


def starts(sample: Path, agent: str) -> list[Start]:
    """What is measured, the bare ones first."""
    python, window = "bare python", "bare PySide6 window"
    file = str(sample)

    def shown(watching: str, *arguments: str) -> list[str]:
        return ["-c", WINDOW.format(watching=watching, arguments=list(arguments))]

    return [
        Start(python, ["-c", "pass"], python),
        Start("agents FILE", ["-m", "inspector", "agents", file], python, 20),
        Start("report on the sample", ["-m", "inspector", "report", "--agent", agent, file], python, 35),
        Start(window, ["-c", BARE_WINDOW], window, prints_moment=True),
        Start("empty window", shown(FIRST_PAINT), window, 2.5, True),
        Start("window with the sample", shown(FIRST_PAINT, file), window, 2.5, True),
        Start("its bars and tabs painted", shown(FURNISHED, file), window, 2.5, True),
        Start("its Request painted", shown(REQUEST_PAINTED, file), window, 6, True),
    ]


def environment(home: Path) -> dict[str, str]:
    """One in which byte code is kept, and no settings of a user's count."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    folders = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "STATE", "DATA")}
    return kept | folders | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPYCACHEPREFIX": str(home / "bytecode")}


def measure(start: Start, given: dict[str, str]) -> tuple[float, float]:
    """Seconds to its end or to the moment that it prints, and of processor time."""
    used = os.times()
    begun = time.time()
    done = subprocess.run(
        [sys.executable, *start.arguments],
        cwd=ROOT,
        env=given,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    ended = time.time()
    if done.returncode or (start.prints_moment and not done.stdout.strip()):
        raise RuntimeError(done.stderr)
    if start.prints_moment:
        ended = float(done.stdout.strip().splitlines()[-1])
    after = os.times()
    return ended - begun, sum(after[2:4]) - sum(used[2:4])


def main() -> int:
    """Measure and judge."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        sample = home / "sample.constellation"
        given = environment(home)
        subprocess.run(
            [sys.executable, "-m", "inspector", "sample", str(sample)],
            cwd=ROOT,
            env=given,
            check=True,
            capture_output=True,
        )
        every = starts(sample, "Ada")
        taken: dict[str, list[tuple[float, float]]] = {start.name: [] for start in every}
        for number in range(rounds + 1):
            for start in every:
                took = measure(start, given)
                if number:
                    taken[start.name].append(took)
    wall = {name: statistics.median(each[0] for each in times) for name, times in taken.items()}
    processor = {name: statistics.median(each[1] for each in times) for name, times in taken.items()}
    failed = False
    print(f"{'':24} {'time':>9} {'':>8} {'limit':>8} {'processor':>12}")
    for start in every:
        ratio = wall[start.name] / wall[start.beside]
        failed |= ratio > start.limit
        used = processor[start.name] / processor[start.beside]
        print(
            f"{start.name:24} {wall[start.name] * 1000:6.0f} ms {ratio:6.1f} x {start.limit:6.1f} x"
            f" {processor[start.name] * 1000:6.0f} ms {used:6.1f} x"
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
