"""The ground of a row that a delegate of the window paints: selected, under the pointer, with the keyboard."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from inspector.ui.appearance import Appearance

_STRIPE_STEPS = 0.5


def paint_row_ground(
    painter: QPainter, appearance: Appearance, option: QStyleOptionViewItem, *, ring: bool = True
) -> None:
    """Paint what lies under a row.

    A selected row has a stripe at the view's left edge, for its ground alone is hardly seen on white. `ring` draws
    a line around the row that has the keyboard; without it, the stripe takes the accent's colour.
    """
    theme, rect, states = appearance.theme, QRect(option.rect), QStyle.StateFlag
    has_keyboard = bool(option.state & states.State_HasFocus)
    if option.state & states.State_Selected:
        painter.fillRect(rect, theme.selection)
        stripe = QRect(0, rect.top(), appearance.space(_STRIPE_STEPS), rect.height())
        painter.fillRect(stripe, theme.accent if has_keyboard else theme.control)
    elif option.state & states.State_MouseOver:
        painter.fillRect(rect, theme.hover)
    if has_keyboard and ring:
        painter.setPen(theme.accent)
        painter.drawRect(rect.adjusted(0, 0, -1, -1))
