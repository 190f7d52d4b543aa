"""Docks stand around the centre where there is room for that, and fold into tabs where there is none."""

import asyncio

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDockWidget, QTabBar, QWidget

from inspector.ui.appearance import Appearance
from inspector.ui.dock_layout import DockArrangement, DockLayout, DockSpec, standing_for
from inspector.ui.safe_text import ElidedLabel
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import open_file

AREAS = Qt.DockWidgetArea


@pytest.mark.parametrize(
    ("size", "scale", "standing"),
    [
        ((1280, 800), 1.0, DockArrangement.AROUND),
        ((1440, 900), 1.0, DockArrangement.AROUND),
        ((1440, 900), 1.25, DockArrangement.AROUND),
        ((1440, 900), 1.5, DockArrangement.NARROW),
        ((1440, 900), 2.0, DockArrangement.SMALL),
        ((1920, 1080), 1.5, DockArrangement.AROUND),
        ((1920, 1080), 2.0, DockArrangement.SMALL),
        ((1024, 768), 1.0, DockArrangement.NARROW),
        ((1280, 500), 1.0, DockArrangement.SMALL),
    ],
)
def test_that_docks_fold_where_there_is_no_room(
    qapp: object, size: tuple[int, int], scale: float, standing: DockArrangement
) -> None:
    sides = [
        DockSpec("navigator", "", AREAS.LeftDockWidgetArea, QWidget, size=248),
        DockSpec("budget", "", AREAS.RightDockWidgetArea, QWidget, size=404),
        DockSpec("detail", "", AREAS.BottomDockWidgetArea, QWidget, size=172),
        DockSpec("problems", "", AREAS.BottomDockWidgetArea, QWidget, shown=False, size=172),
    ]
    assert standing_for(sides, *size, scale) is standing


async def opened(studio: Studio, until: Until, size: QSize) -> None:
    studio.window.resize(size)
    await open_file(studio, until)


def tabbed(studio: Studio) -> set[str]:
    """The docks that share tabs with the navigator."""
    window = studio.window
    return {each.objectName() for each in window.tabifiedDockWidgets(window.dock("navigator"))}


async def test_that_large_text_leaves_the_centre_half_of_the_window(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until, appearance: Appearance
) -> None:
    appearance.set_scale(2.0)
    await opened(studio, until, QSize(1440, 900))
    assert tabbed(studio) >= {"dock_budget", "dock_detail"}
    assert studio.window.centre.width() >= 1440 * 0.5
    assert studio.window.size() == QSize(1440, 900)


async def test_that_a_click_on_its_tab_shows_a_folded_dock(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until, appearance: Appearance
) -> None:
    appearance.set_scale(2.0)
    await opened(studio, until, QSize(1440, 900))
    window = studio.window
    (bar,) = (
        bar
        for bar in window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
        if bar.isVisible()
    )
    names = [bar.tabText(place) for place in range(bar.count())]
    assert names[:3] == ["Navigator", "Budget", "Detail"]
    assert bar.accessibleName() == "Panels"
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(1).center())
    await until(lambda: not window.panel("budget").visibleRegion().isEmpty())
    assert window.panel("navigator").visibleRegion().isEmpty()


async def test_that_docks_fold_and_unfold_with_the_window_and_with_the_text(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until, appearance: Appearance
) -> None:
    await opened(studio, until, QSize(1440, 900))
    assert tabbed(studio) == set()
    studio.window.resize(1000, 900)
    await until(lambda: "dock_budget" in tabbed(studio))
    studio.window.resize(1440, 900)
    await until(lambda: not tabbed(studio))
    appearance.set_scale(2.0)
    await until(lambda: "dock_budget" in tabbed(studio))
    appearance.set_scale(1.0)
    await until(lambda: not tabbed(studio))


async def test_that_each_way_of_standing_remembers_how_it_was_left(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await opened(studio, until, QSize(1440, 900))
    studio.window.dock("detail").hide()
    studio.window.resize(1000, 900)
    await until(lambda: "dock_budget" in tabbed(studio))
    assert studio.window.dock("detail").isVisible()
    studio.window.resize(1440, 900)
    await until(lambda: not tabbed(studio))
    assert not studio.window.dock("detail").isVisible()
    studio.contents.services.actions.run("layout.reset")
    assert studio.window.dock("detail").isVisible()


async def test_that_docks_are_as_wide_as_before_once_a_small_window_is_large_again(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await opened(studio, until, QSize(1440, 900))
    docks = [studio.window.dock(each) for each in ("navigator", "budget", "detail")]
    studio.window.resizeDocks([docks[0]], [300], Qt.Orientation.Horizontal)
    await until(lambda: docks[0].width() == 300)
    before = [each.size() for each in docks]
    for size in ((1000, 650), (900, 500)):
        # How they stand is noted once nothing moves.
        await asyncio.sleep(0.3)
        studio.window.resize(*size)
        await until(lambda: "dock_budget" in tabbed(studio))
        studio.window.resize(1440, 900)
        await until(lambda: not tabbed(studio))
        await until(lambda: [each.size() for each in docks] == before)


async def test_that_docks_grow_with_their_text(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until, appearance: Appearance
) -> None:
    await opened(studio, until, QSize(1900, 1000))
    before = studio.window.dock("navigator").width()
    appearance.set_scale(1.25)
    await until(lambda: studio.window.dock("navigator").width() >= round(before * 1.2))
    visible = [each for each in studio.window.findChildren(QDockWidget) if each.isVisible()]
    assert len(visible) == 3


async def test_that_a_panel_below_comes_back_as_wide_as_it_was(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await opened(studio, until, QSize(1440, 900))
    window, changes = studio.window, studio.window.dock("changes")
    window.go_to_panel("changes")
    await until(lambda: changes.width() > window.dock("detail").width())
    width = changes.width()
    changes.hide()
    await until(lambda: window.dock("detail").width() > width)
    window.go_to_panel("changes")
    await until(lambda: abs(changes.width() - width) < 5)


async def test_that_a_tab_and_the_panel_below_it_do_not_both_show_its_name(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await opened(studio, until, QSize(1440, 900))
    title = studio.window.dock("navigator").titleBarWidget()
    heading = next(each for each in title.findChildren(ElidedLabel) if each.original == "Navigator")
    assert heading.isVisible()
    studio.window.resize(1000, 900)
    await until(lambda: "dock_budget" in tabbed(studio) and not heading.isVisible())
    studio.window.resize(1440, 900)
    await until(lambda: not tabbed(studio) and heading.isVisible())


async def test_that_tabs_of_folded_docks_keep_their_whole_names(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until, appearance: Appearance
) -> None:
    appearance.set_scale(2.0)
    await opened(studio, until, QSize(1280, 800))
    window = studio.window
    window.go_to_panel("search")
    [layout] = window.findChildren(DockLayout)
    [bar] = [each for each in layout.tab_bars() if each.isVisible()]
    await until(lambda: bar.count() == 4)
    await until(lambda: bar.rect().contains(bar.tabRect(bar.currentIndex())))
    assert bar.tabText(bar.currentIndex()) == "Search"
    for place in range(bar.count()):
        least = bar.fontMetrics().horizontalAdvance(bar.tabText(place))
        assert bar.tabRect(place).width() > least, bar.tabText(place)


async def test_that_the_docks_below_are_as_low_as_before_once_a_high_one_is_closed(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await opened(studio, until, QSize(1440, 900))
    window, detail, send = studio.window, studio.window.dock("detail"), studio.window.dock("send")
    before = detail.height()
    window.go_to_panel("send")
    await until(lambda: detail.height() > before + 20)
    send.hide()
    await until(lambda: abs(detail.height() - before) < 5)
    window.go_to_panel("send")
    await until(lambda: detail.height() > before + 20)
    window.resizeDocks([detail], [before + 90], Qt.Orientation.Vertical)
    await until(lambda: detail.height() > before + 60)
    send.hide()
    await asyncio.sleep(0.1)
    assert detail.height() > before + 60
