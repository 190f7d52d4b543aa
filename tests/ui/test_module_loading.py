"""The window's modules are imported in its own thread: PySide's classes must not be made beside it."""

import json
import os
import subprocess
import sys

_PROGRAM = """
import asyncio, json, sys, threading
from PySide6.QtCore import QCoreApplication
from qasync import QEventLoop
from inspector.ui.module_loading import import_in_turns
from inspector.ui.panels import PANELS
from inspector.ui.panel import LazyPanel

class Watch:
    seen = {}
    def find_spec(self, name, path, target=None):
        self.seen[name] = threading.current_thread() is threading.main_thread()

turns = []
async def count():
    while True:
        turns.append(None)
        await asyncio.sleep(0)

async def load(names):
    counting = asyncio.ensure_future(count())
    await import_in_turns(names)
    counting.cancel()

application = QCoreApplication([])
loop = QEventLoop(application)
names = [row.make.module for row in PANELS if isinstance(row.make, LazyPanel)]
watch = Watch()
sys.meta_path.insert(0, watch)
with loop:
    loop.run_until_complete(load(names))
print(json.dumps({
    "missing": [each for each in names if each not in sys.modules],
    "beside": [name for name, is_main in watch.seen.items()
               if not is_main and name in sys.modules and makes_qt_classes(sys.modules[name])],
    "others": sum(not is_main for name, is_main in watch.seen.items() if not name.startswith("inspector.ui")),
    "turns": len(turns),
}))
"""
_HELPER = """
def makes_qt_classes(module):
    return any(
        isinstance(each, type) and each.__module__ == module.__name__ and type(each).__module__.startswith("Shiboken")
        for each in vars(module).values()
    )
"""


def test_that_classes_of_the_window_are_made_in_its_thread() -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    ran = subprocess.run(
        [sys.executable, "-c", _HELPER + _PROGRAM],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert found["missing"] == []
    assert found["beside"] == []
    assert found["others"] > 50
    assert found["turns"] > 50
