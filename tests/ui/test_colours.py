"""What is seen by its colour: comments that wrap, boxes that are not ticked, rows under the pointer."""

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QHoverEvent, QImage
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QTreeView

from inspector.ui.appearance import Appearance, ThemeChoice
from inspector.ui.theme import contrast
from inspector.ui.widgets.request_rows import RowCutter
from inspector.ui.widgets.request_text import is_comment, is_tag, shown_text
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import open_file
from tests.ui.values import made_request


def test_that_a_comment_or_tag_that_wraps_is_one_in_all_its_rows() -> None:
    words = "of many words " * 12
    text = f"<!-- a comment {words}-->\nplain {words}\n<tag with={words.replace(' ', '_')}>\n"
    rows = RowCutter().rows(made_request({"core": [text]}), 40)
    places = [rows.place(at) for at in range(rows.count)]
    shown = [place for place in places if shown_text(place)]
    comments = [place for place in shown if is_comment(place)]
    tags = [place for place in shown if is_tag(place) and not is_comment(place)]
    assert len(comments) > 2
    assert "".join(map(shown_text, comments)).strip() == text.splitlines()[0]
    assert len(tags) > 2
    assert "".join(map(shown_text, tags)).strip() == text.splitlines()[2]


@pytest.mark.parametrize("choice", [ThemeChoice.DARK, ThemeChoice.LIGHT])
def test_that_a_box_that_is_not_ticked_is_seen(
    qapp: QApplication, appearance: Appearance, choice: ThemeChoice
) -> None:
    appearance.apply(choice, 1.0)
    box = QCheckBox("Reopen the last file")
    appearance.dress(box)
    box.resize(box.sizeHint())
    box.show()
    qapp.processEvents()
    image, theme = box.grab().toImage(), appearance.theme
    assert best_contrast(image, theme.surface, box.height()) >= 3
    assert contrast(theme.control, theme.raised) >= 3
    assert contrast(theme.control, theme.background) >= 3
    box.close()


@pytest.mark.parametrize("choice", [ThemeChoice.DARK, ThemeChoice.LIGHT])
def test_that_a_ticked_box_is_filled_and_has_a_tick(
    qapp: QApplication, appearance: Appearance, choice: ThemeChoice
) -> None:
    appearance.apply(choice, 1.0)
    box = QCheckBox("Reopen the last file")
    box.setChecked(True)
    appearance.dress(box)
    box.resize(box.sizeHint())
    box.show()
    qapp.processEvents()
    image, theme = box.grab().toImage(), appearance.theme
    assert contrast(theme.accent, theme.surface) >= 3
    assert best_contrast(image, theme.accent, box.height()) >= 3
    middle = box.height() // 2
    assert theme.accent.name() in {image.pixelColor(x, middle).name() for x in range(16)}
    box.close()


@pytest.mark.parametrize("choice", [ThemeChoice.DARK, ThemeChoice.LIGHT])
def test_that_a_choice_is_a_flat_field_with_an_arrow(
    qapp: QApplication, appearance: Appearance, choice: ThemeChoice
) -> None:
    appearance.apply(choice, 1.0)
    box = QComboBox()
    box.addItem("")
    appearance.dress(box)
    box.resize(120, box.sizeHint().height())
    box.show()
    qapp.processEvents()
    image, theme = box.grab().toImage(), appearance.theme
    inside = [image.pixelColor(60, y).name() for y in range(3, box.height() - 3)]
    # The pointer of a test may stand on it.
    assert len(set(inside)) == 1
    ground = theme.background if choice is ThemeChoice.DARK else theme.surface
    assert set(inside) <= {ground.name(), theme.hover.name()}
    arrow = [image.pixelColor(x, y) for x in range(96, 118) for y in range(3, box.height() - 3)]
    assert max(contrast(each, theme.background) for each in arrow) >= 3
    box.close()


def best_contrast(image: QImage, ground: QColor, width: int) -> float:
    """The strongest contrast in the square at the left, where the box is."""
    places = ((x, y) for x in range(min(width, 16)) for y in range(image.height()))
    return max(contrast(image.pixelColor(x, y), ground) for x, y in places)


@pytest.mark.parametrize("panel", ["navigator", "budget"])
async def test_that_the_row_under_the_pointer_has_one_colour(
    studio: Studio, until: Until, panel: str
) -> None:
    await open_file(studio, until)
    studio.contents.services.selection.select(None)
    tree = studio.window.panel(panel).findChild(QTreeView)
    assert tree is not None
    row = tree.model().index(0, 0)
    if panel == "navigator":
        row = tree.model().index(0, 0, tree.model().index(0, 0, row))
    box = tree.visualRect(row)
    at = QPointF(box.center())
    QApplication.sendEvent(tree.viewport(), QHoverEvent(QEvent.Type.HoverMove, at, at, QPointF(0, 0)))
    image = tree.viewport().grab().toImage()
    y = box.top() + 2
    places = [QPoint(1, y), QPoint(box.center().x(), y), QPoint(tree.viewport().width() - 3, y)]
    wanted = studio.contents.services.appearance.theme.hover
    assert [image.pixelColor(place).name() for place in places] == [wanted.name()] * 3


async def test_that_the_layout_button_looks_at_rest_after_its_menu_was_left(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    button = studio.window.top_bar.layout_
    button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, True)
    button.menu().aboutToHide.emit()
    await until(lambda: not button.underMouse())
