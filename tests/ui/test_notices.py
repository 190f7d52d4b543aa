"""Notices below the centre: each fact once, one at a time, and short words where the file cannot be read."""

import logging
import os
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from inspector.domain.errors import Problem, Severity
from inspector.ui.panels.block import BlockPanel
from inspector.ui.widgets.banner import Banners, Notice
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file, texts
from tests.ui.world import NOTES, QUESTIONS


async def test_that_a_read_only_file_is_said_once(studio: Studio, until: Until) -> None:
    problem = Problem("file.read_only", Severity.WARNING, "", {"path": "harbor.constellation"})
    studio.opener.prepare = lambda session: setattr(session, "read_only", problem)
    await open_file(studio, until)
    studio.contents.services.selection.open(QUESTIONS)
    assert texts(studio.window).count("harbor.constellation is open read-only.") == 1


async def test_that_of_several_notices_one_is_shown_and_the_others_are_a_click_away(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    banners = studio.window.banners
    banners.show_notice(Notice("a", "First."))
    high = banners.sizeHint().height()
    for key, text in (("b", "Second."), ("c", "Third.")):
        banners.show_notice(Notice(key, text))
    assert "Third." in texts(banners)
    assert "First." not in texts(banners)
    assert banners.sizeHint().height() < 2 * high
    seen = []
    for _ in range(3):
        found = (each for each in banners.findChildren(QPushButton) if each.isVisible())
        more = next(each for each in found if each.accessibleName() == "2 more notices")
        assert more.text() == "+2"
        QTest.mouseClick(more, Qt.MouseButton.LeftButton)
        seen.append(next(word for word in ("First.", "Second.", "Third.") if word in texts(banners)))
    assert seen == ["Second.", "First.", "Third."]


def _is_there(banners: Banners) -> bool:
    return banners.isVisible() and banners.height() > 20


async def test_that_the_text_stays_where_it_is_when_a_notice_comes_and_goes(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    studio.contents.services.selection.open(NOTES)
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, BlockPanel)
    editor = panel.page.editor
    # As far down as it goes, where a lower view has the least room to stay.
    editor.select_range(len(editor.text), len(editor.text))
    await calm(studio, until)
    assert editor.verticalScrollBar().value() > 0

    def place() -> tuple[QPoint, int]:
        return editor.viewport().mapTo(
            studio.window, editor.cursorRect().topLeft()
        ), editor.verticalScrollBar().value()

    before = place()
    for banners in (panel.banners, studio.window.banners):
        banners.show_notice(
            Notice("a", "Somebody wrote.", "Saving merges both.", choices=(("Review", lambda: None),))
        )
        await until(partial(_is_there, banners))
        await calm(studio, until)
        assert place() == before
        banners.close_notice("a")
        await calm(studio, until)
        assert place() == before


def test_that_the_same_words_are_shown_once(studio: Studio) -> None:
    banners = studio.window.banners
    banners.show_notice(Notice("a", "The file is read-only."))
    banners.show_notice(Notice("b", "The file is read-only."))
    assert [each.key for each in banners.notices] == ["b"]


async def test_that_a_file_without_permission_is_refused_in_one_plain_sentence(
    studio: Studio,
    until: Until,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    path = tmp_path / "noperm.constellation"
    path.write_bytes(studio.opener.path.read_bytes())
    path.chmod(0)
    # Whoever may do everything may read that too.
    access = os.access
    monkeypatch.setattr(os, "access", lambda at, mode: Path(at) != path and access(at, mode))
    with caplog.at_level(logging.WARNING):
        studio.contents.workspace.open(path)
        await until(lambda: studio.window.banners.notices)
    assert "You don't have permission to read" in studio.window.banners.notices[0].text
    assert "noperm.constellation" in studio.window.banners.notices[0].text
    assert "Traceback" not in caplog.text
