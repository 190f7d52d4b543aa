"""Files for a window over the real engine, and hands to work in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QFileDialog, QLineEdit, QWidget

from inspector.domain.content import Content, TextContent
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.session import SessionFactory
from inspector.ui.panels.block import BlockPanel
from inspector.ui.widgets.banner import Banners
from tests.fixtures import NOOR
from tests.ui.conftest import Until, Window

Real = Window[SessionFactory]

ADA = "agt_ada"
NOTES = Ref(RefKind.BLOCK, "blk_notes")
STORED = "stored text"


async def make_file(path: Path, surroundings: Environment, text: str = STORED) -> Path:
    """A constellation with one agent and one text block."""
    edits = (
        Edit(Ref(RefKind.AGENT, ADA), CreateAgent("Ada", "I am Ada.", provider="openai", model="gpt-4o")),
        Edit(NOTES, CreateBlock(ADA, "notes", content=TextContent(text))),
    )
    engine = await Engine.open(path, surroundings, create=True)
    await engine.apply([Intent(edit, NOOR) for edit in edits])
    await engine.close()
    return path


async def content_of(path: Path, surroundings: Environment, block: Ref = NOTES) -> Content | None:
    """What a block holds in a file."""
    engine = await Engine.open(path, surroundings)
    try:
        return await engine.memory.content(block.id)
    finally:
        await engine.close()


def alter(path: Path, statement: str, *values: object) -> None:
    """Change a file that nobody has open behind the engine's back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        assert connection.execute(statement, values).rowcount > 0


async def show(real: Real, path: Path, until: Until) -> None:
    """Open a file and wait until its Request is built."""
    workspace = real.contents.workspace
    workspace.open(path)
    await until(lambda: workspace.file.path == path and (workspace.file.request or not workspace.file.agents))
    await calm(real, until)


async def open_block(real: Real, until: Until, block: Ref = NOTES) -> BlockPanel:
    """Open a block in a tab."""
    real.contents.services.selection.open(block)
    await until(lambda: isinstance(real.window.centre.currentWidget(), BlockPanel))
    panel = real.window.centre.currentWidget()
    assert isinstance(panel, BlockPanel)
    return panel


async def calm(real: Real, until: Until) -> None:
    """Wait until nothing is under way but the following of changes."""
    await until(lambda: not [name for name in real.bridge.running if name != "Following changes"])


def banner_texts(real: Real) -> list[str]:
    """What the banners say, the oldest first: the newest is seen, and a button leads to the others."""
    banners = real.window.banners
    return [notice.text for notice in banners.notices] if banners.isVisible() else []


def press(root: QWidget, text: str) -> None:
    """Click the button that says so; among banners, go on to the one that has it."""
    for _ in range(len(root.notices) if isinstance(root, Banners) else 0):
        if _buttons(root, text):
            break
        (more,) = [each for each in _buttons(root) if "more notice" in each.accessibleName()]
        QTest.mouseClick(more, Qt.MouseButton.LeftButton)
    (button,) = _buttons(root, text)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def _buttons(root: QWidget, text: str | None = None) -> list[QAbstractButton]:
    return [
        each
        for each in root.findChildren(QAbstractButton)
        if each.isVisible() and each.isEnabled() and text in (None, each.text().replace("&", ""))
    ]


async def answer_dialog(real: Real, until: Until, path: Path) -> None:
    """Type a path into the file dialog that is open and press Save."""
    find: Callable[[], QFileDialog | None] = lambda: next(  # noqa: E731 - asked again and again
        (each for each in real.window.findChildren(QFileDialog) if each.isVisible()), None
    )
    await until(find)
    dialog = find()
    assert dialog is not None
    field = dialog.findChild(QLineEdit, "fileNameEdit")
    assert field is not None
    field.setText(str(path))
    press(dialog, "Save")
