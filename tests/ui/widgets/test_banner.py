from collections.abc import Callable

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from inspector.ui.appearance import Appearance
from inspector.ui.failures import failure_of
from inspector.ui.icons import Icons
from inspector.ui.widgets.banner import Banners, Notice, failure_notice


@pytest.fixture
def banners(qtbot: QtBot, appearance: Appearance, icons: Icons) -> Banners:
    made = Banners(appearance, icons)
    made.resize(800, 900)
    qtbot.addWidget(made)
    return made


def press(banners: Banners, name: str) -> None:
    next(each for each in banners.findChildren(QAbstractButton) if each.accessibleName() == name).click()


def test_that_a_notice_takes_the_place_of_its_like(banners: Banners) -> None:
    banners.show_notice(Notice("a", "one"))
    banners.show_notice(Notice("a", "two"))
    assert [notice.text for notice in banners.notices] == ["two"]


def test_that_closing_the_last_leaves_no_room_taken(banners: Banners) -> None:
    banners.show_notice(Notice("a", "one"))
    press(banners, "Close this notice")
    assert banners.notices == ()
    assert banners.isHidden()


def test_that_many_notices_keep_the_newest_and_those_that_must_stay(banners: Banners) -> None:
    banners.show_notice(Notice("moved", "moved", closable=False))
    for number in range(6):
        banners.show_notice(Notice(f"n{number}", f"n{number}"))
    assert [notice.key for notice in banners.notices] == ["moved", "n3", "n4", "n5"]


def test_that_a_choice_is_done_and_details_are_copied(banners: Banners) -> None:
    done: list[int] = []
    run: Callable[[], None] = lambda: done.append(1)  # noqa: E731
    banners.show_notice(
        Notice("a", "text", "remark", details="where it arose", choices=(("Open again", run),))
    )
    press(banners, "Open again")
    press(banners, "Copy details")
    assert done == [1]
    assert QGuiApplication.clipboard().text() == "text\nremark\nwhere it arose"


def test_that_a_fault_of_ours_and_a_refusal_look_different() -> None:
    assert failure_notice(failure_of(KeyError("x"), doing="Saving")).tone == "error"
    assert failure_notice(failure_of(OSError(28, "No space"), doing="Saving")).tone == "warning"
