import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QAction, QColor, QImage

from inspector.domain.errors import NotFoundError
from inspector.runtime.resources import icon_names
from inspector.ui.appearance import Appearance, ThemeChoice
from inspector.ui.icons import Icons
from inspector.ui.panels import PANELS
from tests.ui.conftest import Studio


def ink(image: QImage) -> set[str]:
    """The colours of the opaque pixels."""
    found = set()
    for x in range(image.width()):
        for y in range(image.height()):
            colour: QColor = image.pixelColor(x, y)
            if colour.alpha() == 255:
                found.add(colour.name())
    return found


@pytest.mark.parametrize("name", [*icon_names(), "app"])
def test_that_every_icon_is_drawn_in_the_themes_colour(
    icons: Icons, appearance: Appearance, name: str
) -> None:
    image = icons.pixmap(name, 48, "accent").toImage()
    assert ink(image) == {appearance.theme.accent.name()}


def test_that_a_bound_icon_changes_with_the_theme(icons: Icons, appearance: Appearance) -> None:
    action = QAction()
    icons.bind(action, "add", "text")
    before = ink(action.icon().pixmap(48, 48).toImage())
    appearance.set_choice(ThemeChoice.LIGHT)
    assert ink(action.icon().pixmap(48, 48).toImage()) != before


def test_that_an_unknown_icon_is_an_error(icons: Icons) -> None:
    with pytest.raises(NotFoundError):
        icons.icon("no_such_icon")


def test_that_every_panel_and_action_names_an_icon_that_is_there(studio: Studio) -> None:
    wanted = {row.icon for row in PANELS if row.icon}
    wanted |= {action.icon for action in studio.contents.services.actions if action.icon}
    assert wanted <= set(icon_names())


def test_that_no_two_panels_share_an_icon() -> None:
    drawn = [row.icon for row in PANELS if row.icon]
    assert {icon for icon in drawn if drawn.count(icon) > 1} == set()


def test_that_an_icon_without_room_draws_nothing(icons: Icons) -> None:
    assert icons.icon("add").pixmap(0, 0).isNull()


def test_that_an_icon_in_a_narrow_place_keeps_its_shape(icons: Icons) -> None:
    image = icons.icon("close").pixmap(QSize(30, 60)).toImage()
    drawn = [y for y in range(60) for x in range(30) if image.pixelColor(x, y).alpha() == 255]
    assert max(drawn) - min(drawn) < 30
