"""A window with the Summaries tab in front, and hands to work on it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from inspector.domain.edits.base import Edit
from inspector.domain.edits.rows import AppendMessage, StoreSummary
from inspector.domain.messages import Role, TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import PositionRange
from inspector.domain.summarising import FoldOptions
from inspector.runtime.engine import Engine
from inspector.ui.models.columns import VALUE_ROLE
from inspector.ui.panels.summaries import SummariesPanel
from inspector.ui.presentation.navigator import list_ref
from inspector.ui.presentation.summaries import SummaryRow
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file
from tests.ui.world import MESSAGES, World

LEFT = Qt.MouseButton.LeftButton
TURNS, KEPT, CHUNK = 14, 6, 4
SUBJECTS = (
    "the signer",
    "arm64 runners",
    "release notes",
    "the changelog",
    "mirrors",
    "checksums",
    "staging",
)
FIRST = 2 * MESSAGES + 1
"""The position of the first message of `CONVERSATION`."""


def _turn(number: int) -> Iterator[Edit]:
    subject = SUBJECTS[number % len(SUBJECTS)]
    said = (
        f"How did {subject} do in build {number}? Please look it up properly.",
        f"We decided to ship {subject} every {number} days, and /logs/build-{number}.txt says so. "
        f"The run of {subject} took {number * 37} seconds, more than anybody had thought in spring. "
        "The rest of it is as it was before, and nothing else has to be said about it this week.",
    )
    for at, (role, text) in enumerate(zip((Role.USER, Role.ASSISTANT), said, strict=True)):
        ref = Ref(RefKind.MESSAGE, f"msg_{number}_{at}")
        yield Edit(ref, AppendMessage(values.ADA, f"bat_said_{number}", role, (TextPart(text),)))


CONVERSATION = tuple(edit for number in range(TURNS) for edit in _turn(number))


def stored(id_: str, first: int = 0, last: int = 0, messages: int = 0, **fields: Any) -> Edit:
    """A summary of Ada's that somebody stored."""
    covers = PositionRange(first, last) if first else None
    operation = StoreSummary(
        values.ADA,
        fields.pop("content", f"What {id_} says."),
        (),
        values.NOW,
        values.NOW + timedelta(hours=1),
        messages,
        covers=covers,
        **fields,
    )
    return Edit(Ref(RefKind.SUMMARY, id_), operation)


async def fold(world: World) -> None:
    """Summarise what is older than the newest turns in the file, which nobody has open."""
    engine = await Engine.open(world.path, world.environment)
    agent = await engine.agents.get(values.ADA)
    assert agent is not None
    options = FoldOptions(chunk_size=CHUNK, keep=KEPT, fan_in=4)
    done = await engine.summaries.summarise(values.ADA, engine.summaries.extractive(agent), options, dry=True)
    await engine.summaries.store_all(done)
    await engine.close()


class SummariesTab:
    """A window with an agent's summaries in front."""

    def __init__(self, studio: Studio, until: Until, panel: SummariesPanel) -> None:
        self.studio, self.until, self.panel = studio, until, panel
        self.world, self.view, self.page = studio.opener, panel.tree.view, panel.page

    @property
    def rows(self) -> list[SummaryRow]:
        """The values of the rows that can be seen, from the top."""
        return [index.data(VALUE_ROLE) for index in self._indexes()]

    def _indexes(self, parent: QModelIndex | None = None) -> Iterator[QModelIndex]:
        model, above = self.panel.tree.model, parent or QModelIndex()
        for place in range(model.rowCount(above)):
            index = model.index(place, 0, above)
            yield index
            if self.view.isExpanded(index):
                yield from self._indexes(index)

    @property
    def current(self) -> str:
        """The id of the summary that is shown."""
        return self.page.record.shown_key

    @property
    def editor(self) -> Any:
        page = self.page.record.page
        assert page is not None
        return page.editor

    async def click(self, title: str) -> None:
        """Click the row that has these words."""
        await self.until(lambda: any(title in row.title for row in self.rows))
        index = next(each for each in self._indexes() if title in each.data(VALUE_ROLE).title)
        self.view.scrollTo(index)
        box = self.view.visualRect(index)
        self.view.setFocus()
        QTest.mouseClick(self.view.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, box.center())

    def press_key(self, key: Qt.Key) -> None:
        self.view.setFocus()
        QTest.keyClick(self.view, key)

    async def press(self, name: str, within: QWidget | None = None) -> None:
        """Press a button by its name."""
        await self.until(lambda: self._button(name, within) is not None)
        QTest.mouseClick(self._button(name, within), LEFT)

    def _button(self, name: str, within: QWidget | None) -> Any:
        found = (
            each for each in (within or self.panel).findChildren(QWidget) if each.accessibleName() == name
        )
        return next((each for each in found if each.isVisible() and each.isEnabled()), None)

    async def calm(self) -> None:
        await calm(self.studio, self.until)

    def run(self, action: str) -> bool:
        """Run an action by its id; whether it can be run."""
        return self.studio.contents.services.actions.run(action)


OpenSummaries = Callable[..., Awaitable[SummariesTab]]


async def open_summaries(
    studio: Studio, until: Until, edits: Sequence[Edit], *, folded: bool = True
) -> SummariesTab:
    """The world's file with these edits in it, and with `folded` its older messages summarised first."""
    if folded:
        await studio.opener.change_file(*CONVERSATION)
        await fold(studio.opener)
    if edits:
        await studio.opener.change_file(*edits)
    await open_file(studio, until)
    studio.contents.services.selection.open(list_ref(values.ADA, "summaries"))
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, SummariesPanel)
    tab = SummariesTab(studio, until, panel)
    await until(lambda: panel.reader.is_read)
    await tab.calm()
    return tab
