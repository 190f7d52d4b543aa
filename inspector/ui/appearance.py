"""The present look of the window: theme, text scale, fonts and distances."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from inspector.runtime.resources import FIXED_FONT, INTERFACE_FONT
from inspector.ui.marks import MarkPictures
from inspector.ui.style import style_sheet
from inspector.ui.theme import Theme

MINIMUM_SCALE, MAXIMUM_SCALE = 0.75, 2.0
_SMALLEST_POINTS = 9.0
_LOG = logging.getLogger(__name__)
_GRID = 4
_LINE_SPACING, _LINE_STEPS = 1.25, 5


class ThemeChoice(StrEnum):
    """What the user asked for."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class FontChoice(StrEnum):
    """Whose fonts the window uses."""

    SHIPPED = "shipped"
    SYSTEM = "system"


class TextSize(StrEnum):
    """The three sizes of text."""

    SMALL = "small"
    NORMAL = "normal"
    LARGE = "large"


_FACTORS = {TextSize.SMALL: 0.9, TextSize.NORMAL: 1.0, TextSize.LARGE: 1.7}


def set_features(font: QFont, *, figures: bool) -> None:
    """Have a font draw every sign as it is and, with `figures`, all of these as wide as each other."""
    for ligatures in ("calt", "liga"):
        # An arrow that is two signs has to look like two signs.
        font.setFeature(QFont.Tag(ligatures), 0)
    if figures:
        font.setFeature(QFont.Tag("tnum"), 1)


@cache
def load_fonts(files: tuple[Path, ...]) -> None:
    """Let Qt know fonts by their files, for as long as the program runs; one that it can't read is left out."""
    for file in files:
        if QFontDatabase.addApplicationFont(str(file)) < 0:
            _LOG.warning("%s can't be used as a font", file)


class Appearance(QObject):
    """The theme and text scale of the application; whoever paints asks here and repaints on `changed`."""

    changed = Signal()

    def __init__(
        self, application: QApplication, themes: Mapping[str, Theme], fonts: Callable[[str], Sequence[Path]]
    ) -> None:
        """`fonts` gives the files of a shipped font by its name, asked for when it is used first."""
        super().__init__(application)
        self._fonts = fonts
        self._application = application
        self._themes = themes
        self._hints = application.styleHints()
        self._system_is_dark = application.palette().window().color().lightnessF() < 0.5
        self._points = max(
            QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).pointSizeF(), _SMALLEST_POINTS
        )
        self._choice = ThemeChoice.SYSTEM
        self._scale = 1.0
        self._font_choice = FontChoice.SYSTEM
        self._sheet = ""
        self._windows: list[QWidget] = []
        self._made_fonts: dict[tuple[TextSize, bool, bool, bool], QFont] = {}
        application.fontDatabaseChanged.connect(self._made_fonts.clear)
        self._marks = MarkPictures()
        self._hints.colorSchemeChanged.connect(self._follow_system)

    @property
    def choice(self) -> ThemeChoice:
        return self._choice

    @property
    def scale(self) -> float:
        return self._scale

    @property
    def font_choice(self) -> FontChoice:
        return self._font_choice

    @property
    def theme(self) -> Theme:
        return self._themes["dark" if self._is_dark() else "light"]

    def apply(self, choice: ThemeChoice, scale: float, fonts: FontChoice | None = None) -> None:
        """Switch theme, text scale and, if given, fonts at once, everywhere."""
        self._choice = choice
        self._font_choice = fonts or self._font_choice
        self._scale = min(MAXIMUM_SCALE, max(MINIMUM_SCALE, scale))
        schemes = {ThemeChoice.DARK: Qt.ColorScheme.Dark, ThemeChoice.LIGHT: Qt.ColorScheme.Light}
        self._hints.setColorScheme(schemes.get(choice, Qt.ColorScheme.Unknown))
        self._dress()

    def dress(self, window: QWidget) -> None:
        """Keep a window, with all that it ever holds and its dialogs, in the present look until `undress`.

        A style sheet of the whole application would be worked out anew for a panel's every part whenever the part
        is put into another: half of what it takes to make one.
        """
        self._windows.append(window)
        window.setStyleSheet(self._sheet)
        # Until something of it is polished, Qt would keep this style sheet whatever came after it.
        window.ensurePolished()

    def undress(self, window: QWidget) -> None:
        """Let a window go: under a style sheet, Qt keeps pointers to docks and menu bars that are being destroyed."""
        if window in self._windows:
            self._windows.remove(window)
            window.setStyleSheet("")

    def set_choice(self, choice: ThemeChoice) -> None:
        self.apply(choice, self._scale)

    def set_scale(self, scale: float) -> None:
        self.apply(self._choice, scale)

    def font(
        self,
        size: TextSize = TextSize.NORMAL,
        *,
        fixed: bool = False,
        bold: bool = False,
        figures: bool = False,
    ) -> QFont:
        """A font of the interface, or the fixed-width one of prompts.

        With `figures` they are as wide as each other, for columns of them: in words that parts hyphens from letters.
        """
        wanted = size, fixed, bold, figures
        made = self._made_fonts.get(wanted)
        if made is None:
            made = self._made_fonts[wanted] = self._make_font(size, fixed=fixed, bold=bold)
            set_features(made, figures=figures)
        # A copy shares what Qt has looked up for the font until somebody changes it.
        return QFont(made)

    def _make_font(self, size: TextSize, *, fixed: bool, bold: bool) -> QFont:
        kind = QFontDatabase.SystemFont.FixedFont if fixed else QFontDatabase.SystemFont.GeneralFont
        font = QFontDatabase.systemFont(kind)
        if self._font_choice is FontChoice.SHIPPED:
            name = FIXED_FONT if fixed else INTERFACE_FONT
            load_fonts(tuple(self._fonts(name)))
            # The system's stands behind it for the scripts that it lacks.
            font.setFamilies([name, font.family()])
        font.setPointSizeF(self._points * self._scale * _FACTORS[size])
        font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        return font

    def space(self, steps: float = 1) -> int:
        """A distance on the 4-pixel grid, following the text scale."""
        return round(_GRID * steps * self._scale)

    def line_pitch(self) -> int:
        """From one line of a prompt to the next, in the Request and in editors alike."""
        natural = QFontMetricsF(self.font(fixed=True)).height() * _LINE_SPACING
        return max(round(natural), self.space(_LINE_STEPS))

    def row_height(self) -> int:
        return round(QFontMetricsF(self.font()).height()) + self.space(2)

    def _is_dark(self) -> bool:
        if self._choice is not ThemeChoice.SYSTEM:
            return self._choice is ThemeChoice.DARK
        scheme = self._hints.colorScheme()
        return self._system_is_dark if scheme == Qt.ColorScheme.Unknown else scheme == Qt.ColorScheme.Dark

    def _follow_system(self) -> None:
        if self._choice is ThemeChoice.SYSTEM:
            self._dress()

    def _dress(self) -> None:
        self._made_fonts.clear()
        self._application.setFont(self.font())
        self._application.setPalette(self.theme.palette())
        pictures = {
            "tick": self._marks.tick(self.theme.on_accent),
            "tick_off": self._marks.tick(self.theme.muted),
            "arrow": self._marks.arrow(self.theme.muted),
            "folded": self._marks.folded(self.theme.muted),
            "back": self._marks.back(self.theme.muted),
        }
        points = self._points * self._scale
        self._sheet = style_sheet(self.theme, points, self._scale, pictures)
        self._windows = [each for each in self._windows if isValid(each)]
        for window in self._windows:
            window.setStyleSheet(self._sheet)
        self.changed.emit()
