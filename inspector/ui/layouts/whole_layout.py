"""The form of what goes for a whole layout: wrapper, separators, templates, and what bounds memory and history."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.domain.blocks import FieldDef, FieldType
from inspector.domain.content import FieldItem
from inspector.domain.layouts import Layout, Share, Wrapper
from inspector.domain.limits import STRATEGIES
from inspector.domain.rendering.block_template import LINE, VALUE
from inspector.ui.editors.fields import FieldRow
from inspector.ui.editors.part import EditorTools
from inspector.ui.presentation.what_if import strategy_name
from inspector.ui.widgets.controls import arrange
from inspector.ui.wording import tr

_LINE_END = tr("Write \\n for a new line.")


def _wrappers() -> Mapping[str, str]:
    return {Wrapper.ELEMENT: tr("A tag with the block's label"), Wrapper.NONE: tr("Nothing")}


def _shares() -> Mapping[str, str]:
    return {Share.LIMIT: tr("The model's or the agent's limit"), Share.REST: tr("All that the window leaves")}


def _strategies() -> Mapping[str, str]:
    return {"": tr("The agent's own"), **{each.kind: strategy_name(each.kind) for each in STRATEGIES}}


def whole_fields() -> Mapping[str, FieldDef]:
    """The fields by the names of the layout's own."""

    def choice(title: str, titles: Mapping[str, str], help_: str = "") -> FieldDef:
        return FieldDef(title, FieldType.TEXT, help_, required=True, choices=tuple(titles.values()))

    text = FieldType.TEXT
    return {
        "description": FieldDef(tr("Description")),
        "wrapper": choice(tr("Around each block"), _wrappers()),
        "join": FieldDef(tr("Between sections"), text, _LINE_END),
        "gap": FieldDef(tr("Between blocks"), text, _LINE_END),
        "memory": choice(tr("Limits the memory"), _shares()),
        "history": choice(tr("Limits the history"), _shares()),
        "strategy": choice(tr("History strategy"), _strategies(), tr("For agents that have not chosen one.")),
        "empty_blocks": FieldDef(tr("Show empty blocks"), FieldType.BOOLEAN),
        "block": FieldDef(
            tr("Template for blocks"),
            text,
            tr("Replaces the tag. {value} is the text.", value=VALUE),
        ),
        "line": FieldDef(tr("Template for lines"), text, tr("For each line. {line} is its text.", line=LINE)),
    }


class WholeLayoutForm(QWidget):
    """Edits what goes for the whole layout. `typed` carries a changed layout."""

    typed = Signal(object)

    def __init__(self, tools: EditorTools) -> None:
        super().__init__()
        space = tools.appearance.space
        self._layout: Layout | None = None
        self.rows = {name: FieldRow(each, tools, plain=True) for name, each in whole_fields().items()}
        arrange(QVBoxLayout(self), *self.rows.values(), None, margins=space(3), spacing=space(2))
        for name, row in self.rows.items():
            row.typed.connect(partial(self._take, name))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """It may be wider than what is seen of it, which decides."""
        seen = self.parentWidget()
        for row in self.rows.values():
            row.fit(self.width() if seen is None else seen.width())

    def show_layout(self, layout: Layout) -> None:
        """Show the values of a layout."""
        if self._layout is None or self._layout.name != layout.name:
            for each in self.rows.values():
                each.clear_fault()
        self._layout = layout
        for name, row in self.rows.items():
            row.show_value(_shown(layout, name), changed=False)

    def set_open(self, *, is_open: bool) -> None:
        """Let it be changed, or only read."""
        for each in self.rows.values():
            each.set_open(is_open)

    def _take(self, name: str, value: FieldItem) -> None:
        if self._layout is not None:
            self._layout = replace(self._layout, **{name: _read(name, value)})
            self.typed.emit(self._layout)


def _shown(layout: Layout, name: str) -> FieldItem:
    value: Any = getattr(layout, name)
    if name in _CHOICES:
        return _CHOICES[name]().get(value, str(value))
    if name in ("join", "gap"):
        return str(value).replace("\\", "\\\\").replace("\n", "\\n")
    return value if isinstance(value, bool) else str(value) or None


def _read(name: str, value: FieldItem) -> Any:
    if name == "empty_blocks":
        return value is True
    text = value if isinstance(value, str) else ""
    if name in _CHOICES:
        return next((each for each, title in _CHOICES[name]().items() if title == text), text)
    if name in ("join", "gap"):
        return "\\".join(each.replace("\\n", "\n") for each in text.split("\\\\"))
    return text


_CHOICES: Mapping[str, Callable[[], Mapping[str, str]]] = {
    "wrapper": _wrappers,
    "memory": _shares,
    "history": _shares,
    "strategy": _strategies,
}
