"""What a start shows first: the Request before the panels around it, and no welcome page before a file."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from inspector.runtime.session import SessionFactory
from inspector.ui.bridge import Bridge
from inspector.ui.driven_window import file_shown, showpiece
from inspector.ui.file_state import What
from inspector.ui.main_window import FIRST_SIZE
from inspector.ui.panels import PANELS
from inspector.ui.panels.changes import ChangesPanel
from inspector.ui.panels.request import RequestPanel
from inspector.ui.widgets.dock_title import DockTitle
from inspector.ui.window_parts import furnished_window
from inspector.ui.window_setup import populate
from tests.ui.conftest import AT_THE_END, Look, Studio, Until, Window, close_window
from tests.ui.open_window import docks, texts
from tests.ui.world import World

AROUND = {"navigator", "budget", "detail"}
HIDDEN = {"problems", "changes", "send", "run", "search"}


@pytest.fixture
def look(appearance: object, icons: object, preferences: object) -> Look:
    return cast("Look", (appearance, icons, preferences))


@pytest.fixture
def started(
    qapp: QApplication, qloop: asyncio.AbstractEventLoop, look: Look, world: World
) -> Iterator[Studio]:
    """A window as a start leaves it: populated, and with nothing in it that isn't in sight."""
    window = furnished_window(*look)
    window.resize(*FIRST_SIZE)
    window.show()
    bridge = Bridge(qloop, window)
    AT_THE_END.append(bridge.close)
    contents = populate(window, look, bridge, cast("SessionFactory", world), PANELS)
    made = Window(window, contents, bridge, world)
    yield made
    close_window(qapp, qloop, made)


async def test_that_the_first_request_is_shown_before_the_panels_around_it_are_made(
    started: Studio, until: Until
) -> None:
    window, workspace = started.window, started.contents.workspace
    unmade: list[set[str]] = []

    def note(what: What) -> None:
        if what & What.REQUEST and workspace.file.request is not None:
            unmade.append(set(window.unmade))

    workspace.changed.connect(note)
    workspace.open(started.opener.path)
    await until(lambda: workspace.file.request)
    assert unmade[0] == AROUND | HIDDEN
    assert docks(started) == ["dock_budget", "dock_detail", "dock_navigator"]
    assert "Import an agent file" not in texts(window)
    request = window.centre.currentWidget()
    assert isinstance(request, RequestPanel)
    await until(lambda: request.view.rows is not None and not AROUND & set(window.unmade))
    await until(lambda: not window.unmade)
    assert "checklist" in " ".join(entry.title for entry in started.contents.palette_entries())
    budget = window.dock("budget").titleBarWidget()
    assert isinstance(budget, DockTitle)
    assert budget.heading == "Budget"


async def test_that_a_panel_is_made_when_it_is_gone_to_and_shows_what_was_before_it(
    started: Studio, until: Until
) -> None:
    window, workspace = started.window, started.contents.workspace
    workspace.open(started.opener.path)
    await until(lambda: workspace.file.request)
    assert "changes" in window.unmade
    QTest.keySequence(window, QKeySequence("Alt+8"))
    await until(lambda: "changes" not in window.unmade)
    panel = window.panel("changes")
    assert isinstance(panel, ChangesPanel)
    await until(lambda: panel.rows)
    assert panel.isVisible()


async def test_that_a_file_that_cannot_be_opened_leaves_the_welcome_page_at_once(
    started: Studio, until: Until, tmp_path: Path
) -> None:
    window = started.window
    path = tmp_path / "broken.constellation"
    path.write_bytes(b"no database " * 1000)
    started.contents.workspace.open(path)
    assert "Import an agent file" not in texts(window)
    await until(lambda: window.banners.notices)
    assert "Import an agent file" in texts(window)
    assert docks(started) == []


async def test_that_a_start_without_a_file_ends_at_the_welcome_page(started: Studio, until: Until) -> None:
    await until(lambda: "Import an agent file" in texts(started.window))
    first = started.window.focusWidget()
    assert first is not None
    assert first.accessibleName() == "Open the sample"
    await until(lambda: not started.window.unmade)


async def test_that_whoever_drives_the_window_waits_for_what_is_read_after_the_request(
    started: Studio,
) -> None:
    contents = started.contents
    contents.workspace.open(started.opener.path)
    await file_shown(contents, started.opener.path)
    assert contents.workspace.file.agent_id in contents.workspace.file.contents
    assert showpiece(contents) is not None
