"""A field of a whole number, such as the limit of a block, that takes every digit that is typed or pasted."""

from __future__ import annotations

from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QSpinBox


class NumberBox(QSpinBox):
    """A whole number from `least` to `most`, in groups of three digits.

    A larger one becomes `most` as it is typed. Qt's box would drop the digit, or all that was pasted, and keep what
    stood there before, without a word.
    """

    def __init__(self, least: int, most: int) -> None:
        super().__init__()
        self.setRange(least, most)
        self.setGroupSeparatorShown(True)

    def validate(self, text: str, at: int) -> tuple[QValidator.State, str, int]:
        """Qt's verdict, or the largest number for digits of a larger one. Read as a float: they can be thousands."""
        digits = text.replace(self.locale().groupSeparator(), "").strip()
        if digits.isdecimal() and float(digits) > self.maximum():
            most = str(self.maximum())
            return QValidator.State.Acceptable, most, len(most)
        return super().validate(text, at)
