from collections.abc import Callable

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QApplication, QPushButton, QStackedWidget, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from inspector.ui.appearance import Appearance
from inspector.ui.failures import failure_of
from inspector.ui.icons import Icons
from inspector.ui.widgets.banner import Banner, Banners, Notice, failure_notice
from inspector.ui.widgets.controls import arrange


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


def test_that_a_notice_with_its_buttons_below_takes_no_more_room_than_it_needs(
    banners: Banners, qapp: QApplication
) -> None:
    whole, view = QWidget(), QStackedWidget()
    arrange(QVBoxLayout(whole), view, banners)
    whole.resize(400, 800)
    whole.show()
    choices = (("Restart in safe mode", lambda: None), ("Copy details", lambda: None))
    banners.show_notice(Notice("unclean", "It didn't close properly.", "Nothing was sent.", choices=choices))
    for _ in range(3):
        qapp.processEvents()
    (banner,) = banners.findChildren(Banner)
    buttons = [each for each in banner.findChildren(QPushButton) if each.isVisible()]
    assert buttons[0].mapTo(banner, buttons[0].rect().center()).y() > banner.height() // 2
    assert banner.height() < 160
    banners.setParent(None)
    whole.close()
