"""Theme, text size and fonts change at once, everywhere."""

from itertools import product
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFont, QFontDatabase, QFontInfo, QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import QApplication, QDialog, QHBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from inspector.ui.appearance import Appearance, FontChoice, TextSize, ThemeChoice, load_fonts
from inspector.ui.models.columns import figures_font
from inspector.ui.widgets.controls import arrange, button


def test_that_switching_the_theme_changes_the_application_at_once(
    appearance: Appearance, qapp: QApplication
) -> None:
    said: list[str] = []
    appearance.changed.connect(lambda: said.append(appearance.theme.name))
    appearance.set_choice(ThemeChoice.LIGHT)
    appearance.set_choice(ThemeChoice.DARK)
    assert said == ["light", "dark"]
    assert qapp.palette().window().color() == appearance.theme.surface


def test_that_the_text_scale_moves_fonts_and_distances_together(appearance: Appearance) -> None:
    before = appearance.font().pointSizeF()
    appearance.set_scale(2.0)
    assert appearance.font().pointSizeF() == 2 * before
    assert appearance.space(3) == 24


def test_that_the_text_scale_stays_within_its_bounds(appearance: Appearance) -> None:
    appearance.set_scale(9)
    assert appearance.scale == 2.0
    appearance.set_scale(0)
    assert appearance.scale == 0.75


def test_that_a_font_is_made_once_and_stays_as_it_was_made(
    appearance: Appearance, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []
    of_system = QFontDatabase.systemFont

    def count(kind: QFontDatabase.SystemFont) -> QFont:
        made.append(kind)
        return of_system(kind)

    appearance.set_scale(1.25)
    monkeypatch.setattr(QFontDatabase, "systemFont", count)
    for _ in range(3):
        appearance.font(TextSize.LARGE, bold=True).setItalic(True)
    assert len(made) == 1
    assert not appearance.font(TextSize.LARGE, bold=True).italic()


def test_that_there_are_three_sizes_of_text(appearance: Appearance) -> None:
    sizes = {appearance.font(size).pointSizeF() for size in TextSize}
    assert len(sizes) == 3


def test_that_figures_in_columns_are_as_wide_as_each_other_and_words_keep_their_hyphens(
    appearance: Appearance,
) -> None:
    figures, words = (QFontMetricsF(appearance.font(figures=each)) for each in (True, False))
    assert figures.horizontalAdvance("111") == figures.horizontalAdvance("888")
    assert words.horizontalAdvance("-") < figures.horizontalAdvance("-")
    in_cells = QFontMetricsF(figures_font().resolve(appearance.font()))
    assert in_cells.horizontalAdvance("111") == in_cells.horizontalAdvance("888")


def test_that_the_prompt_font_is_of_fixed_width(appearance: Appearance) -> None:
    assert appearance.font(fixed=True).family() != appearance.font().family()


@pytest.mark.parametrize(("fixed", "family"), [(False, "Inter"), (True, "JetBrains Mono")])
def test_that_the_shipped_fonts_are_those_that_are_drawn(
    appearance: Appearance, *, fixed: bool, family: str
) -> None:
    font = appearance.font(fixed=fixed)
    assert QFontInfo(font).family() == family
    assert QFontInfo(font).fixedPitch() is fixed
    strong = appearance.font(fixed=fixed, bold=True)
    assert QFontInfo(strong).family() == family
    assert QFontInfo(strong).weight() >= QFont.Weight.DemiBold
    width = QFontMetricsF(font).horizontalAdvance
    figure = QFontMetricsF(appearance.font(fixed=fixed, figures=True)).horizontalAdvance
    assert figure("1") == figure("8")
    # Every sign as it is: no arrow in place of two signs, no joined letters.
    for text in ("->", "!=", "===", "<!--", "2x4", "fi"):
        assert width(text) == pytest.approx(sum(width(sign) for sign in text), abs=1.0)
        assert _ink(font, text) == _ink(font, *text)


def test_that_scripts_the_shipped_fonts_lack_are_drawn_all_the_same(appearance: Appearance) -> None:
    for fixed in (False, True):
        font = appearance.font(fixed=fixed)
        assert len(font.families()) == 2
        assert _ink(font, "漢字") != _ink(font, "\uffff\uffff")


def test_that_the_fonts_are_the_systems_if_one_wants(appearance: Appearance, qapp: QApplication) -> None:
    appearance.apply(appearance.choice, 1.0, FontChoice.SYSTEM)
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
    assert appearance.font().family() == system == qapp.font().family()
    appearance.apply(appearance.choice, 1.0, FontChoice.SHIPPED)
    assert qapp.font().family() == "Inter"


def test_that_a_line_of_a_prompt_is_twenty_pixels_high(appearance: Appearance) -> None:
    assert appearance.line_pitch() == 20


def test_that_a_font_file_that_is_none_is_left_out(tmp_path: Path) -> None:
    broken = tmp_path / "broken.ttf"
    broken.write_bytes(b"no font")
    load_fonts((broken,))


def _ink(font: QFont, *parts: str) -> bytes:
    """What is painted, each part where the one before ends."""
    image = QImage(160, 40, QImage.Format.Format_Grayscale8)
    image.fill(255)
    with QPainter(image) as painter:
        painter.setFont(font)
        at = 4.0
        for part in parts:
            painter.drawText(QPointF(at, 24), part)
            at += QFontMetricsF(font).horizontalAdvance(part)
    return bytes(image.constBits())


def test_that_a_button_with_the_keyboard_has_one_ring(qtbot: QtBot, appearance: Appearance) -> None:
    page = QWidget()
    one = button("Close", page.hide)
    arrange(QHBoxLayout(page), one)
    qtbot.addWidget(page)
    page.show()
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    one.setFocus()
    ring = one.grab().toImage()
    # After the Tab key, Qt draws a frame of its own around what has the keyboard.
    page.setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
    assert one.hasFocus()
    assert one.grab().toImage() == ring


def test_that_a_window_changes_with_the_theme_until_it_is_let_go(
    qapp: QApplication, appearance: Appearance
) -> None:
    def ground(of: QWidget) -> str:
        return of.grab().toImage().pixelColor(1, 1).name()

    stays, goes, gone = QDialog(), QDialog(), QDialog()
    for each in (stays, goes, gone):
        appearance.dress(each)
    stays.fontMetrics()
    dark = appearance.theme.surface.name()
    appearance.undress(goes)
    shiboken6.delete(gone)
    appearance.set_choice(ThemeChoice.LIGHT)
    light = appearance.theme.surface.name()
    stays.show()
    assert ground(stays) == light != dark
    assert goes.styleSheet() == ""
    stays.close()


def test_that_a_flat_button_looks_disabled_only_when_it_is(qtbot: QtBot, appearance: Appearance) -> None:
    page = QWidget()
    flat = button("Copy", page.hide, role="flat")
    arrange(QHBoxLayout(page), flat)
    qtbot.addWidget(page)
    page.show()
    assert flat.palette().buttonText().color() == appearance.theme.text
    flat.setEnabled(False)
    assert flat.palette().buttonText().color() == appearance.theme.muted


def test_that_a_shipped_font_is_loaded_once(appearance: Appearance, qapp: QApplication) -> None:
    """Each time that a font comes, Qt forgets all it has looked up."""
    appearance.apply(appearance.choice, appearance.scale, FontChoice.SHIPPED)
    appearance.font(fixed=True)
    changes: list[None] = []
    qapp.fontDatabaseChanged.connect(lambda: changes.append(None))
    for size, fixed in product(TextSize, (False, True)):
        appearance.font(size, fixed=fixed)
    appearance.apply(appearance.choice, 1.5)
    appearance.font(fixed=True)
    assert changes == []
