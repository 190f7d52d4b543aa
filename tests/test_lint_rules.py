"""Rules of this project that no general linter knows, each shown to catch what it is for.

A rule looks at the syntax tree of one module, so neither a comment nor a docstring can offend. Where a rule
is in the way, widen its `allowed` list here, with the reason.
"""

import ast
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.lint_finders import (
    Find,
    any_of,
    built_sql,
    busy_subscribers,
    calls_of,
    calls_outside_with,
    handlers_of,
    imports_of,
    keywords_given,
    members_of,
    names_used,
    numbered_colours,
    opened_databases,
    opened_files,
    strings_like,
    told_headers,
    unsafe_tool_tip_roles,
)

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("inspector", "packaging")


@dataclass(frozen=True)
class Rule:
    """One thing that must not be written, and where it may be after all (paths and folders from the root)."""

    name: str
    find: Find
    bad: tuple[str, ...]
    good: tuple[str, ...]
    inside: tuple[str, ...] = SOURCES
    allowed: tuple[str, ...] = ()

    def applies_to(self, path: Path) -> bool:
        """Whether the rule speaks about this file."""
        return lies_in(path, self.inside) and not lies_in(path, self.allowed)


def lies_in(path: Path, places: tuple[str, ...]) -> bool:
    """Whether a path from the root is one of the places or inside one."""
    return any(path == Path(place) or Path(place) in path.parents for place in places)


UI = ("inspector/ui",)
SAFE_TEXT = ("inspector/ui/safe_text.py",)
THEME = ("inspector/ui/theme.py", "inspector/ui/theme")

RULES = (
    Rule(
        "widgets that guess whether text is markup are made in safe_text alone",
        any_of(
            names_used("QLabel", "QMessageBox", "QProgressDialog", "QErrorMessage", "QToolTip", "QWhatsThis"),
            calls_of(
                "setToolTip",
                "setStatusTip",
                "setWhatsThis",
                "setHtml",
                "setMarkdown",
                "insertHtml",
                "appendHtml",
            ),
        ),
        bad=(
            "from PySide6.QtWidgets import QLabel",
            "QtWidgets.QMessageBox.warning(None, 'a', name)",
            "QProgressDialog(name, 'Cancel', 0, 1)",
            "QErrorMessage().showMessage(name)",
            "widget.setToolTip(name)",
            "view.setHtml(name)",
            "document.setMarkdown(name)",
        ),
        good=("plain_label(name)", "'''QLabel guesses.'''", "set_tool_tip(widget, name)"),
        inside=UI,
        allowed=SAFE_TEXT,
    ),
    Rule(
        "no text format is chosen, no view of documents is made and no link opens outside safe_text",
        any_of(
            names_used(
                "QTextBrowser",
                "QInputDialog",
                "QDesktopServices",
                "QWebEngineView",
                "RichText",
                "AutoText",
                "MarkdownText",
            ),
            calls_of("setTextFormat", "setOpenExternalLinks", "setDetailedText", "setInformativeText"),
        ),
        bad=(
            "from PySide6.QtWidgets import QTextBrowser",
            "QInputDialog.getText(None, name, name)",
            "QDesktopServices.openUrl(url)",
            "label.setTextFormat(Qt.TextFormat.AutoText)",
            "label.setOpenExternalLinks(True)",
        ),
        good=("editor = QPlainTextEdit()", "question = Question(title, text)"),
        inside=UI,
        allowed=SAFE_TEXT,
    ),
    Rule(
        # The traceback of a fault keeps the painter: Qt then paints the window with it and the program ends.
        "painters end with what they paint, also where that fails",
        calls_outside_with("QPainter"),
        bad=("painter = QPainter(self)", "paint(QPainter(self.viewport()))"),
        good=("with QPainter(self) as painter:\n    painter.drawRect(box)",),
        inside=UI,
    ),
    Rule(
        "files are asked for by the dialog that reads none",
        names_used("QFileDialog", "QFileIconProvider", "QFileSystemModel", "QMimeDatabase"),
        bad=(
            "from PySide6.QtWidgets import QFileDialog",
            "QtWidgets.QFileDialog.getOpenFileName()",
            "QFileSystemModel().setRootPath(folder)",
        ),
        good=("from inspector.ui.widgets.file_dialog import FileDialog",),
        inside=UI,
        allowed=("inspector/ui/widgets/file_dialog.py",),
    ),
    Rule(
        "tool tips of models come from safe_text",
        unsafe_tool_tip_roles,
        bad=("def data(self, index, role):\n    if role == Qt.ItemDataRole.ToolTipRole: return name",),
        good=("from inspector.ui.safe_text import safe_tooltip\nroles = {Qt.ToolTipRole: safe_tooltip}",),
        inside=UI,
        allowed=SAFE_TEXT,
    ),
    Rule(
        "loro is imported in documents alone",
        imports_of("loro"),
        bad=("import loro", "from loro import LoroDoc", "def f():\n    import loro"),
        good=("import lorem", "from inspector.documents import loro_errors"),
        allowed=("inspector/documents",),
    ),
    Rule(
        "what comes from loro is caught as what it is: a bare BaseException",
        handlers_of("Exception"),
        bad=(
            "try:\n    f()\nexcept Exception:\n    pass",
            "try:\n    f()\nexcept (ValueError, Exception) as e:\n    pass",
        ),
        good=("try:\n    f()\nexcept (ValueError, BaseException):\n    raise",),
        inside=("inspector/documents",),
    ),
    Rule(
        "what subscribes to a document only puts into a queue",
        busy_subscribers,
        bad=("doc.subscribe_root(lambda event: store(event))", "doc.subscribe_local_update(self.on_update)"),
        good=("doc.subscribe_local_update(updates.append)",),
        inside=("inspector/documents",),
    ),
    Rule(
        "Qt's own database access is not used",
        imports_of("PySide6.QtSql"),
        bad=("from PySide6.QtSql import QSqlDatabase", "from PySide6 import QtSql", "import PySide6.QtSql"),
        good=("from PySide6 import QtGui",),
    ),
    Rule(
        "there is one SQLite in the process: two would drop each other's locks",
        imports_of("apsw", "pysqlite3", "sqlcipher3", "pysqlcipher3", "duckdb", "PySide6.QtSql"),
        bad=("import apsw", "from pysqlite3 import dbapi2", "def f():\n    import sqlcipher3"),
        good=("import sqlite3", "import aiosqlite"),
    ),
    Rule(
        "no process is forked: a child's connection would share our locks",
        any_of(
            imports_of("multiprocessing", "concurrent.futures.ProcessPoolExecutor"),
            members_of("os", "fork", "forkpty"),
            keywords_given(close_fds=False),
        ),
        bad=(
            "import multiprocessing",
            "from multiprocessing import Process",
            "from concurrent.futures import ProcessPoolExecutor",
            "os.fork()",
            "subprocess.Popen(command, close_fds=False)",
        ),
        good=("subprocess.Popen(command)", "from concurrent.futures import ThreadPoolExecutor"),
    ),
    Rule(
        "the journal is deleted after each commit: a log beside the file is not safe with every SQLite",
        strings_like(r"(?i)\bjournal_mode\s*(=|\()\s*(?!\s|DELETE\b)"),
        bad=(
            "run('PRAGMA journal_mode=WAL')",
            "run('pragma journal_mode = off')",
            "run('PRAGMA journal_mode(MEMORY)')",
        ),
        good=("run('PRAGMA journal_mode')", "run('PRAGMA journal_mode = DELETE')"),
    ),
    Rule(
        "a commit is on disk before it is acknowledged",
        strings_like(r"(?i)\bsynchronous\s*(=|\()\s*(?!\s|FULL\b|EXTRA\b|2\b|3\b)"),
        bad=(
            "run('PRAGMA synchronous=NORMAL')",
            "run('pragma synchronous = off')",
            "run(f'PRAGMA synchronous={level}')",
        ),
        good=(
            "run('PRAGMA synchronous = FULL')",
            "run('PRAGMA synchronous')",
            "run('PRAGMA synchronous=EXTRA')",
        ),
        # It syncs a whole copy before that gets its name, and so keeps nobody from writing meanwhile.
        allowed=("inspector/storage/copying.py",),
    ),
    Rule(
        "the network follows no redirect, checks every certificate and ignores the environment",
        keywords_given(follow_redirects=True, verify=False, trust_env=True),
        bad=("Client(follow_redirects=True)", "get(url, verify=False)", "Client(trust_env=True)"),
        good=("Client(follow_redirects=False, verify=True, trust_env=False)", "check(verify=context)"),
    ),
    Rule(
        "a key is never part of an address",
        strings_like(r"[?&](api_?)?key="),
        bad=("get('https://localhost/v1?key=' + key)", "f'{base}?key={key}'", "url = 'a?b=c&api_key='"),
        good=("headers['x-goog-api-key'] = key", "'monkey='"),
    ),
    Rule(
        "nobody prints or logs a request's headers",
        told_headers,
        bad=(
            "print(request.headers)",
            "log.debug('sent %s', dict(response.request.headers))",
            "echo(f'{headers}')",
        ),
        good=("send(headers=headers)", "log.debug('sent %s', len(body))", "print(header)"),
    ),
    Rule(
        "no archive is unpacked",
        any_of(
            imports_of("zipfile", "tarfile", "shutil.unpack_archive"), members_of("shutil", "unpack_archive")
        ),
        bad=("import zipfile", "from tarfile import open", "shutil.unpack_archive(path)"),
        good=("import zlib",),
        inside=("inspector",),
        # It writes one and reads none.
        allowed=("inspector/runtime/debug_bundle.py",),
    ),
    Rule(
        "no format that runs code or expands without limit is read",
        imports_of("pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "ruamel", "xml", "lxml"),
        bad=(
            "import pickle",
            "import xml.etree.ElementTree",
            "from xml.dom import minidom",
        ),
        good=("import json", "import tomllib"),
    ),
    Rule(
        "of YAML only the events are read, which build nothing",
        any_of(
            imports_of("yaml.load", "yaml.safe_load", "yaml.full_load", "yaml.unsafe_load", "yaml.compose"),
            members_of("yaml", "load", "load_all", "safe_load", "safe_load_all"),
            members_of("yaml", "full_load", "full_load_all", "unsafe_load", "unsafe_load_all"),
            members_of("yaml", "compose", "compose_all"),
        ),
        bad=("from yaml import safe_load", "yaml.load(text, Loader=yaml.CSafeLoader)", "yaml.compose(text)"),
        good=("import yaml", "yaml.parse(data, Loader=yaml.CSafeLoader)", "msgspec.json.decode(data)"),
    ),
    Rule(
        "text is never run as code",
        any_of(
            calls_of("eval", "exec", "compile", "__import__", method=False),
            calls_of("system", "popen", method=True),
        ),
        bad=("eval(text)", "exec(text)", "os.system(text)", "os.popen(text)"),
        good=("re.compile(text)", "regex.compile(text)", "ast.literal_eval(text)"),
        # It writes constructors of the names of our own classes' fields, as the library's `dataclass` does.
        allowed=("inspector/domain/dataclass.py",),
    ),
    Rule(
        "no command goes through a shell",
        keywords_given(shell=True),
        bad=("subprocess.run(command, shell=True)",),
        good=("subprocess.run([command], shell=False)",),
    ),
    Rule(
        "statements of SQL are constants, integers written by `:d` or `str(int())` at most put in",
        built_sql,
        bad=(
            "db.execute(f'SELECT * FROM {table}')",
            "db.execute('DELETE FROM ' + table)",
            "db.executemany('UPDATE %s SET a=?' % table, rows)",
            "db.executescript('DROP TABLE {}'.format(table))",
            "sql = f'PRAGMA user_version = {n}'",
            "db.execute(f'{verb} FROM blocks')",
            "db.execute('DELETE FROM ' + str(table))",
        ),
        good=(
            "db.execute('SELECT a FROM b WHERE c = ?', (d,))",
            "db.execute('SELECT a '\n 'FROM b')",
            "db.execute(f'PRAGMA user_version = {version:d}')",
            "db.execute('PRAGMA user_version = ' + str(int(version)))",
            "SQL = 'SELECT a ' + 'FROM b'",
            "SQL = 'SELECT ' + _COLUMNS + ' FROM b'",
            "message = f'Select {name} first'",
            "total = a + b",
        ),
    ),
    Rule(
        "a document's text is not taken by the call that changes it",
        calls_of("toPlainText", method=True),
        bad=("save(editor.toPlainText())",),
        good=("shadow.text()", "editor.document().toRawText()"),
        inside=UI,
    ),
    Rule(
        "every task has an owner that awaits it",
        any_of(
            imports_of("asyncio.create_task", "asyncio.ensure_future"),
            members_of("asyncio", "create_task", "ensure_future"),
        ),
        bad=(
            "from asyncio import create_task",
            "asyncio.ensure_future(work())",
            "make = asyncio.create_task",
        ),
        good=("group.create_task(work())", "bridge.spawn(work())"),
        # Neither fits a TaskGroup. `finish` awaits its task to the end whatever happens to the caller; the engine's
        # watcher lives from `open` to `close`, which awaits it; a call's and a turn's live from their first step to
        # `aclose`, an embedding program's worker from `start` to `stop`, which the end of its scope calls. What keeps a
        # turn's lease is awaited at the turn's end; a group would wrap the turn's own errors.
        allowed=(
            "inspector/storage/connection.py",
            "inspector/runtime/engine.py",
            "inspector/runtime/model_stream.py",
            "inspector/runtime/turn_channel.py",
            "inspector/runtime/turn_leases.py",
            "inspector/runtime/embedding.py",
        ),
    ),
    Rule(
        "a dialog opens and does not run a loop of its own",
        calls_of("exec", "exec_", method=True),
        bad=("dialog.exec()", "menu.exec(point)", "QDialog(parent).exec_()"),
        good=("dialog.open()", "menu.popup(point)"),
        inside=UI,
    ),
    Rule(
        "a database file is opened by SQLite alone",
        opened_databases,
        bad=(
            "open(db_path, 'rb')",
            "open(self.database)",
            "database_path.read_bytes()",
            "Path(constellation).open('rb')",
            "shutil.copy(constellation_path, other)",
            "shutil.copyfile(source, self.db)",
            "open('a.constellation')",
        ),
        good=("open(report_path)", "path.read_text()", "storage.open(path)", "copy(dbm)", "settings.copy()"),
        inside=("inspector",),
    ),
    Rule(
        "where databases are kept, no file is opened but by SQLite",
        any_of(opened_files, imports_of("shutil")),
        bad=(
            "path.read_bytes()",
            "open(path, 'rb')",
            "self.path.open()",
            "os.open(path, os.O_RDONLY)",
            "import shutil",
            "from shutil import copy",
        ),
        good=("path.stat()", "path.rename(other)", "os.link(path, other)", "Channel.open(connect, path)"),
        inside=("inspector/storage", "inspector/memory", "inspector/conversation"),
        # They make new files and sync folders, read the system's table of mounts, and copy what may be no database
        # any more, if this process does not have it open.
        allowed=(
            "inspector/storage/creation.py",
            "inspector/storage/mounts.py",
            "inspector/storage/salvage_copy.py",
        ),
    ),
    Rule(
        "colours are named in the theme alone",
        any_of(strings_like(r"#([0-9a-fA-F]{8}|[0-9a-fA-F]{6})\b|^#[0-9a-fA-F]{3,4}$"), numbered_colours),
        bad=(
            "QColor('#ff00aa')",
            "sheet = 'color: #FF00AA; margin: 0'",
            "grey = '#ccc'",
            "QColor(255, 0, 0)",
            "pen.setColor(Qt.GlobalColor.red)",
        ),
        good=("QColor(palette.accent)", "mark = '#1'", "Qt.GlobalColor.transparent", "title = 'Run #12'"),
        inside=UI,
        allowed=THEME,
    ),
)


def sources() -> list[Path]:
    """Every module of the project but its tests, as paths from the root."""
    return sorted(path.relative_to(ROOT) for folder in SOURCES for path in (ROOT / folder).rglob("*.py"))


def by_name(rule: Rule) -> str:
    """A rule's name as the test's."""
    return rule.name


@pytest.fixture(scope="module")
def trees() -> dict[Path, ast.Module]:
    """The syntax tree of every module."""
    return {path: ast.parse((ROOT / path).read_text(encoding="utf-8"), str(path)) for path in sources()}


@pytest.mark.parametrize("rule", RULES, ids=by_name)
def test_that_the_sources_keep_the_rule(rule: Rule, trees: dict[Path, ast.Module]) -> None:
    found = [
        f"{path}:{getattr(node, 'lineno', '?')}"
        for path, tree in trees.items()
        if rule.applies_to(path)
        for node in rule.find(tree)
    ]
    assert not found, f"{rule.name}: {', '.join(found)}"


@pytest.mark.parametrize("rule", RULES, ids=by_name)
def test_that_the_rule_catches_what_it_is_for_and_lets_the_right_way_pass(rule: Rule) -> None:
    assert [snippet for snippet in rule.bad if not any(rule.find(ast.parse(snippet)))] == []
    assert [snippet for snippet in rule.good if any(rule.find(ast.parse(snippet)))] == []
    assert all(lies_in(Path(place), SOURCES) for place in (*rule.inside, *rule.allowed))


def test_that_the_rules_see_the_sources() -> None:
    assert Path("inspector/__init__.py") in sources()
    assert Path("packaging/dev.py") in sources()
