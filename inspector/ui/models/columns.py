"""A column of a panel's table or tree as data: text, alignment and sort key of each row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cache
from typing import Any, Final, Generic, TypeVar

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from inspector.domain.dataclass import dataclass
from inspector.ui.appearance import set_features
from inspector.ui.safe_text import one_line, tooltip_text

T = TypeVar("T")

Index = QModelIndex | QPersistentModelIndex
NO_INDEX: Final[Index] = QModelIndex()
"""What Qt means by the parent of the outermost rows. It can't be changed, so that it may be a default value."""

# Joined once: a view asks for them at every cell that it paints.
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

VALUE_ROLE = Qt.ItemDataRole.UserRole + 1
"""The row's value itself, for delegates and panels."""
KEY_ROLE = Qt.ItemDataRole.UserRole + 2
"""The row's key."""
SORT_ROLE = Qt.ItemDataRole.UserRole + 3
"""What the column sorts by."""

_ANSWERED = frozenset(
    (
        Qt.ItemDataRole.DisplayRole,
        VALUE_ROLE,
        SORT_ROLE,
        Qt.ItemDataRole.TextAlignmentRole,
        Qt.ItemDataRole.ToolTipRole,
        Qt.ItemDataRole.AccessibleTextRole,
    )
)
"""The roles that every column answers. A view asks for as many others at each cell that it paints."""


@dataclass(frozen=True, slots=True)
class Column(Generic[T]):
    """One column of a table or tree.

    Attributes:
        id: Stable; saved widths use it.
        title: In the user's language.
        text: What a cell says.
        right: Whether cells stand right, as figures do.
        tip: A cell's tool tip.
        spoken: What a screen reader says instead of the text.
        sort: What is compared when sorting; the text if not given.
        roles: Anything more by Qt role, also another alignment.
    """

    id: str
    title: str
    text: Callable[[T], str]
    right: bool = False
    tip: Callable[[T], str] | None = None
    spoken: Callable[[T], str] | None = None
    sort: Callable[[T], Any] | None = None
    roles: Mapping[int, Callable[[T], Any]] = field(default_factory=dict)


@cache
def figures_font() -> QFont:
    """What a view resolves with its own font: figures that stand below each other."""
    font = QFont()
    set_features(font, figures=True)
    return font


def cell(column: Column[Any], value: Any, role: int) -> Any:
    """What a model answers for one cell, None where it has nothing to say."""
    if role not in _ANSWERED:
        own = column.roles.get(role)
        if own is None and column.right and role == Qt.ItemDataRole.FontRole:
            return figures_font()
        return own(value) if own else None
    if role == Qt.ItemDataRole.DisplayRole:
        return one_line(column.text(value))
    if role == VALUE_ROLE:
        return value
    if role == SORT_ROLE:
        return column.sort(value) if column.sort else column.text(value)
    if role == Qt.ItemDataRole.TextAlignmentRole:
        own = column.roles.get(role)
        return own(value) if own else _RIGHT if column.right else _LEFT
    if role == Qt.ItemDataRole.ToolTipRole:
        return tooltip_text(column.tip(value)) if column.tip else None
    return one_line(column.spoken(value) if column.spoken else column.text(value))


def heading(column: Column[Any], role: int) -> Any:
    """What a model answers for a column's head."""
    if role == Qt.ItemDataRole.DisplayRole:
        return column.title
    if role == Qt.ItemDataRole.TextAlignmentRole:
        return _RIGHT if column.right else _LEFT
    return None


def value_at(kind: type[T], index: Index) -> T | None:
    """What a cell shows, as an object of `kind`; None if it shows something of another kind."""
    value = index.data(VALUE_ROLE)
    return value if isinstance(value, kind) else None
