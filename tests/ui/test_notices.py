"""Notices above the centre: each fact once, one at a time, and short words where the file cannot be read."""

import logging
import os
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from inspector.domain.errors import Problem, Severity
from inspector.ui.widgets.banner import Notice
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import open_file, texts
from tests.ui.world import QUESTIONS


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
    more = next(each for each in banners.findChildren(QPushButton) if each.text() == "2 more notices")
    seen = []
    for _ in range(3):
        QTest.mouseClick(more, Qt.MouseButton.LeftButton)
        seen.append(next(word for word in ("First.", "Second.", "Third.") if word in texts(banners)))
    assert seen == ["Second.", "First.", "Third."]


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
