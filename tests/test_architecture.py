"""The contracts between the packages, each shown to break, and what no import graph can show."""

import ast
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "inspector"
LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")

PURE_MODULES = {
    "__future__",
    "abc",
    "base64",
    "bisect",
    "collections",
    "contextlib",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "enum",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "html",
    "itertools",
    "json",
    "math",
    "operator",
    "re",
    "reprlib",
    "string",
    "textwrap",
    "threading",  # for the flag that stops a job
    "types",
    "typing",
    "unicodedata",
    "zoneinfo",
}
CLOCKS = {"now", "utcnow", "today"}
READERS = {"open", "print", "input"}

# One file per contract, each of which breaks it.
OFFENCES = {
    "Each package imports only from the packages below it": (
        "storage/upward.py",
        "import inspector.runtime.engine",
    ),
    "Qt is known to the window alone": ("runtime/screen.py", "import PySide6.QtCore"),
    "loro lives in documents": ("memory/shortcut.py", "import loro"),
    "SQLite lives in storage": ("memory/rows.py", "import sqlite3"),
    "tiktoken lives in context": ("domain/counting.py", "import tiktoken"),
    "YAML lives in exchange": ("memory/cassettes.py", "import yaml"),
    "Pygments lives in the window": ("context/colours.py", "import pygments"),
    "The network and the key store live in providers": ("exchange/fetch.py", "import httpx"),
    "Nothing else opens a connection": ("cli/server.py", "import socket"),
    "The window and the command line see only the runtime and the domain": (
        "cli/direct.py",
        "import inspector.storage.rows",
    ),
    "Inside the window, each module sees only what is below it": (
        "ui/bridge.py",
        "import inspector.ui.panels.memory",
    ),
    "No panel knows another": ("ui/panels/memory.py", "import inspector.ui.panels.budget"),
    "No provider knows another": ("providers/one.py", "import inspector.providers.two"),
    "No import cycle at any depth": ("memory/first.py", "import inspector.memory.second"),
}
BYSTANDERS = {
    "runtime/engine.py": "",
    "storage/rows.py": "",
    "ui/panels/budget.py": "",
    "providers/two.py": "",
    "memory/second.py": "import inspector.memory.first",
}

BAR_QT = """
import importlib, pkgutil, sys

class NoQt:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("PySide6", "shiboken6", "qasync"):
            raise ImportError(f"{name} is out of reach here")

sys.meta_path.insert(0, NoQt())
"""

IMPORT_ALL = """
import inspector

def names(package):
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        if module.name in ("inspector.ui", "inspector.entry", "inspector.__main__"):
            continue
        yield module.name
        if module.ispkg:
            yield from names(importlib.import_module(module.name))

found = list(names(inspector))
for name in found:
    importlib.import_module(name)
print(len(found))
"""

RUN_COMMAND = """
from inspector.entry import main

sys.exit(main())
"""

MANY_VOID_CALLS = """
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QWidget

class Sender(QObject):
    sent = Signal()

app, widget, sender = QApplication([]), QWidget(), Sender()
for turn in range(20_000):
    widget.setWindowTitle("a")
    sender.sent.emit()
"""


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    """Check the contracts of the project in a folder."""
    command = [str(LINT_IMPORTS), "--no-cache", "--config", str(root / "pyproject.toml")]
    environment = {**os.environ, "PYTHONPATH": str(root), "COLUMNS": "200", "NO_COLOR": "1"}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


def run_python(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a Python of its own, from the project's root."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_that_the_packages_keep_their_contracts() -> None:
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_that_every_contract_notices_its_offence(tmp_path: Path) -> None:
    root = tmp_path / "broken"
    root.mkdir()
    (root / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    files = dict(OFFENCES.values()) | BYSTANDERS
    for name, line in files.items():
        path = root / "inspector" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{line}\n", encoding="utf-8")
    for each in contract_packages():
        (root / each).mkdir(parents=True, exist_ok=True)
    for folder in [root / "inspector", *(root / "inspector").rglob("*")]:
        if folder.is_dir():
            (folder / "__init__.py").touch()
    report = lint_imports(root).stdout
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = {each["name"] for each in settings["tool"]["importlinter"]["contracts"]}
    assert contracts == set(OFFENCES) == {each for each in OFFENCES if f"{each} BROKEN" in report}, report


def contract_packages() -> list[str]:
    """The packages that exist, as paths: contracts may name them."""
    return [str(path.parent.relative_to(ROOT)) for path in PACKAGE.rglob("__init__.py")]


def test_that_every_module_but_the_window_imports_without_qt() -> None:
    done = run_python(BAR_QT + IMPORT_ALL)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0


def test_that_the_engine_runs_without_qt(tmp_db_dir: Path) -> None:
    file = str(tmp_db_dir / "sample.constellation")
    done = run_python(BAR_QT + RUN_COMMAND, "sample", file)
    assert done.returncode == 0, done.stderr
    done = run_python(BAR_QT + RUN_COMMAND, "agents", file, "--json")
    assert done.returncode == 0, done.stderr
    agent = json.loads(done.stdout)["agents"][0]
    done = run_python(BAR_QT + RUN_COMMAND, "report", file, "--agent", agent["id"], "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["total"]["tokens"] > 0


def test_that_the_domain_imports_only_pure_modules() -> None:
    impure = [
        f"{path.name}:{node.lineno} {name}"
        for path in (PACKAGE / "domain").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in imported(node)
        if name.partition(".")[0] not in PURE_MODULES and not name.startswith("inspector.domain")
    ]
    assert not impure


def imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    """The modules that an import names."""
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]


def test_that_the_domain_reads_no_file_no_clock_and_waits_for_nothing() -> None:
    found = [
        f"{path.name}:{getattr(node, 'lineno', '?')}"
        for path in (PACKAGE / "domain").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.AsyncFunctionDef | ast.Await)
        or (isinstance(node, ast.Attribute) and node.attr in CLOCKS)
        or (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in READERS)
    ]
    assert not found


def test_that_no_folder_outside_the_package_shadows_a_library() -> None:
    assert not (ROOT / "packaging" / "__init__.py").exists()
    assert not (ROOT / "resources" / "__init__.py").exists()


def test_that_this_qt_keeps_its_references_through_twenty_thousand_calls() -> None:
    done = run_python(MANY_VOID_CALLS)
    assert done.returncode == 0, done.stderr
