"""No text of a stranger is ever markup, opens a file or stops the window, whichever view it reaches."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QAbstractItemView, QLabel, QMenu, QTabBar, QWidget

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.agents import Agent
from inspector.domain.blocks import TextSchema
from inspector.domain.content import TextContent
from inspector.domain.errors import InputError, Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState, LastWrite
from inspector.runtime.session import AgentContents
from inspector.ui.safe_text import Question, safe_message
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.fake_engine import FakeDoors

CANARY = Path("/dev/zero")
MARKUP = (
    f'<b>x</b><img src="file://{CANARY}">',
    f'<img src="{CANARY}">',
    "<table>" * 12 + "x",
    "<qt>hello</qt>",
    '<a href="file:///etc/passwd">here</a>',
    "R&D & <i>friends</i>",
    "[*]",
    "\u202egnp.exe",
    "a\x00b\x1b[31m",
    "<!--" + "-" * 2000 + "-->",
)

opened: list[str] = []
watching = [False]


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if watching[0] and event == "open":
        opened.append(str(arguments[0]))


sys.addaudithook(_watch)


def hostile_doors(path: Path, text: str) -> FakeDoors:
    """A file in which everything that can hold a text holds this one."""
    doors = FakeDoors(path)
    writer = Actor(ActorKind.AGENT, "x", text)
    doors.actor = Actor(ActorKind.HUMAN, "y", text)
    for block_id, state in doors.states.items():
        block = replace(state.block, label=text, description=text, schema=TextSchema())
        written = LastWrite(writer, values.NOW, text, text)
        doors.states[block_id] = BlockState(block, TextContent(text), state.version, 3, written)
    doors.read_only = Problem(text, Severity.ERROR, text, {text: text})

    async def agents() -> list[Agent]:
        return [replace(values.agent(id_), name=text, model=text) for id_ in doors.agent_ids]

    honest = doors.contents

    async def contents(agent_id: str) -> AgentContents:
        shared = tuple(replace(each, owner_name=text) for each in (await honest(agent_id)).shared)
        return replace(await honest(agent_id), shared=shared, problems=(Problem(text, Severity.ERROR, text),))

    doors.agents = agents  # type: ignore[method-assign]
    doors.contents = contents  # type: ignore[method-assign]
    return doors


def rich_labels(root: QWidget) -> list[str]:
    return [
        f"{type(label).__name__}: {label.text()[:40]}"
        for label in root.findChildren(QLabel)
        if label.textFormat() != Qt.TextFormat.PlainText and label.text()
    ]


def tips(root: QWidget) -> set[str]:
    """Every tool tip that a widget or a row would show."""
    found = {widget.toolTip() for widget in root.findChildren(QWidget)}
    for view in root.findChildren(QAbstractItemView):
        model = view.model()
        queue = [QModelIndex()]
        while queue and model is not None:
            parent = queue.pop()
            for row in range(model.rowCount(parent)):
                for column in range(model.columnCount(parent)):
                    found.add(model.index(row, column, parent).data(Qt.ItemDataRole.ToolTipRole) or "")
                queue.append(model.index(row, 0, parent))
    for bar in root.findChildren(QTabBar):
        found |= {bar.tabToolTip(place) for place in range(bar.count())}
    return found - {""}


def is_plain(tip: str) -> bool:
    """Whether a tool tip's markup holds nothing but text."""
    inner = tip.removeprefix("<qt>").removesuffix("</qt>").replace("<br>", "").replace("&nbsp;", "")
    document = QTextDocument()
    document.setHtml(tip)
    return "<" not in inner and not any(
        "img" in line for line in document.toHtml().splitlines() if "<img" in line
    )


@pytest.mark.parametrize("text", MARKUP, ids=range(len(MARKUP)))
async def test_that_a_hostile_text_stays_text_everywhere(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until, text: str
) -> None:
    studio.opener.prepare = lambda path: hostile_doors(path, text)  # type: ignore[assignment]
    opened.clear()
    watching[0] = True
    try:
        await look_everywhere(studio, until, text)
    finally:
        watching[0] = False
    assert not [name for name in opened if str(CANARY) in name or "passwd" in name]


async def look_everywhere(studio: Studio, until: Until, text: str) -> None:
    services = studio.contents.services
    services.workspace.open(Path("odd<b>[*]name.constellation"))
    await until(lambda: services.workspace.file.request)
    for ref in (
        Ref(RefKind.BLOCK, "blk_notes"),
        Ref(RefKind.BLOCK, "blk_oncall"),
        Ref(RefKind.MESSAGE, text),
    ):
        services.selection.open(ref)
        await asyncio.sleep(0.02)
    studio.window.go_to_panel("problems")
    services.bridge.report(InputError(text, name=text), doing=text)
    services.bridge.report(ValueError(text), doing=text)
    services.selection.select(Ref(RefKind.BLOCK, "blk_notes"))
    services.actions.run("block.rename")
    box = safe_message(studio.window, Question(text, text, text, text))
    studio.window.go_to()
    await asyncio.sleep(0.03)
    assert rich_labels(studio.window) == []
    assert [tip for tip in tips(studio.window) if not is_plain(tip)] == []
    for menu in studio.window.findChildren(QMenu):
        for action in menu.actions():
            assert "\u202e" not in action.text()
    assert "[*]" not in studio.window.windowTitle().replace("[*][*]", "")
    box.close()
