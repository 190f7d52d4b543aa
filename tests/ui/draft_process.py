"""A program with a window that makes a draft in every kind of editor, says so, and waits to be killed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import qasync
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from inspector.domain.content import (
    CompositeContent,
    Content,
    ListContent,
    ListItem,
    LogContent,
    LogEntry,
    MapContent,
    TextContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.ref import Ref
from inspector.runtime.resources import THEME_NAMES, font_files, load_icon, load_theme
from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.preferences import Preferences
from inspector.ui.theme import Theme
from tests.ui.conftest import Studio, Until, open_window
from tests.ui.editors.structured_blocks import DECISIONS, PLAN, SERVICE, TASKS, WATCH, WORDS
from tests.ui.open_window import calm, open_file
from tests.ui.world import NOTES, QUESTIONS, World

MADE = (TASKS, SERVICE, WATCH, DECISIONS, PLAN, WORDS)
RAW = 2
ENTRY = LogEntry("e3", "2026-11-20T10:00:00.000000Z", "Ada", {"observation": "Drafted"})


def changed(content: Content) -> Content:
    """A content with an unsaved change in it."""
    match content:
        case ListContent(items):
            return ListContent(
                (replace(items[0], value={**_fields(items[0]), "title": "Drafted"}), *items[1:])
            )
        case MapContent(fields):
            return MapContent({**fields, "name": "drafted"})
        case LogContent(entries):
            return LogContent((*entries, ENTRY))
        case TreeContent(roots):
            return TreeContent((*roots, TreeNode("drafted", "Drafted")))
        case CompositeContent(sections):
            return CompositeContent({**sections, "goal": TextContent("Drafted.")})
        case TextContent(text):
            return TextContent(f"Drafted. {text}")


def _fields(item: ListItem) -> dict[str, Any]:
    assert not isinstance(item.value, str)
    return dict(item.value)


async def draft_everything(studio: Studio, until: Until) -> None:
    """Change something in every kind of editor, and wait until all of it is on disk."""
    await open_file(studio, until)
    for made in MADE:
        panel = _open(studio, made.ref)
        await calm(studio, until)
        if made is WORDS:
            panel.views.choose(RAW)
            editor = panel.editors.raw.page.editor
            start = editor.text.rindex('"', 0, editor.text.rindex('"'))
            editor.replace_range(start + 1, 0, "drafted ")
            panel.editors.settle()
        else:
            panel.editors.structured.draft.change(changed(made.content))
    text = _open(studio, QUESTIONS)
    text.page.editor.select_range(0, 0)
    QTest.keyClicks(text.page.editor, "Drafted. ")
    unread = _open(studio, NOTES)
    unread.views.choose(RAW)
    editor = unread.editors.raw.page.editor
    editor.replace_range(len(editor.text) - len("\n}"), len("\n}"), "")
    for view in ("view.messages", "view.archival"):
        studio.contents.services.actions.run(view)
        await _edit_record(studio, until, studio.window.centre.currentWidget())
    await calm(studio, until)


def _open(studio: Studio, ref: Ref) -> Any:
    studio.contents.services.selection.open(ref)
    return studio.window.centre.currentWidget()


async def _edit_record(studio: Studio, until: Until, panel: Any) -> None:
    browser = panel.browser
    await until(lambda: browser.model.rowCount() > 1)
    await calm(studio, until)
    browser.select_last()
    await until(lambda: browser.page.page is not None and browser.page.page.editor.text)
    await calm(studio, until)
    actions = studio.contents.services.actions
    actions.run("message.edit" if "message.edit" in actions else "archival.edit")
    browser.page.page.editor.select_range(0, 0)
    QTest.keyClicks(browser.page.page.editor, "Drafted. ")


async def _until(holds: Any) -> None:
    async with asyncio.timeout(15):
        while not holds():  # noqa: ASYNC110 - it is a state of widgets, which tell nobody
            await asyncio.sleep(0.005)


async def main(folder: Path, make: Callable[[Studio, Until], Awaitable[None]]) -> None:
    """Make the drafts and wait."""
    application: Any = QApplication.instance()
    appearance = Appearance(
        application, {name: Theme.from_mapping(load_theme(name)) for name in THEME_NAMES}, font_files
    )
    look = (appearance, Icons(appearance, load_icon), Preferences(folder / "preferences.json"))
    studio = open_window(asyncio.get_running_loop(), look, World(folder))
    await make(studio, _until)
    sys.stdout.write("drafted\n")
    sys.stdout.flush()
    await asyncio.sleep(600)


def run(make: Callable[[Studio, Until], Awaitable[None]]) -> None:
    """Open a window, have the drafts made in it, and wait to be killed."""
    app = QApplication(["context-inspector", "-style", "Fusion"])
    with qasync.QEventLoop(app) as loop:
        loop.run_until_complete(main(Path(sys.argv[1]), make))


if __name__ == "__main__":
    run(draft_everything)
