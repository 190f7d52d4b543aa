"""The form of a block's settings: label, description, place, rights, limit and pin, each with its fault beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from inspector.domain.blocks import Block, BlockType, Permission
from inspector.domain.schema_faults import MOST
from inspector.ui.editors.fields import TextField, WheelGuard
from inspector.ui.editors.part import EditorTools
from inspector.ui.presentation.card import level_name
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.controls import FORM_STEPS, arrange
from inspector.ui.widgets.number_box import NumberBox
from inspector.ui.wording import number, tr, tr_count

_NAME_STEPS = 36
_FIGURE_STEPS = 28
_LIMIT_STEP = 500


def _type_hints() -> dict[BlockType, tuple[str, str]]:
    return {
        BlockType.CORE: (tr("Core"), tr("Always in the Request.")),
        BlockType.WORKING: (tr("Working"), tr("In the Request while there is room, pinned ones first.")),
        BlockType.LOG: (tr("Log"), tr("Its newest entries are in the Request.")),
        BlockType.ARCHIVAL: (tr("Archival"), tr("Never in the Request by itself. Agents search it.")),
    }


def figure_box(least: int) -> NumberBox:
    """A field of a whole number from `least` on. Arrow keys step it; the wheel scrolls what it stands in."""
    made = NumberBox(least, MOST)
    # Its buttons are taken away by the style sheet: with those of Qt, its line has no width.
    made.setProperty("role", "figure")
    made.lineEdit().setTextMargins(4, 0, 4, 0)
    made.installEventFilter(WheelGuard(made))
    return made


class FormLine(QWidget):
    """One setting: its name, its control, a hint below it, and what is wrong with it."""

    def __init__(self, name: str, control: QWidget, tools: EditorTools, *, wide: bool = False) -> None:
        super().__init__()
        space = tools.appearance.space
        title = PlainLabel(name, tone="muted")
        title.setFixedWidth(space(_NAME_STEPS))
        title.setMinimumHeight(tools.appearance.row_height())
        control.setAccessibleName(name)
        self._control = control
        self.hint = PlainLabel("", tone="muted", size="small", wrap=True)
        self.fault = PlainLabel("", tone="error", size="small", wrap=True)
        column, line = QVBoxLayout(), QHBoxLayout()
        beside = QHBoxLayout()
        arrange(beside, control, *(() if wide else (None,)))
        arrange(column, spacing=space(0.5))
        column.addLayout(beside)
        column.addWidget(self.hint)
        column.addWidget(self.fault)
        arrange(line, title, column, spacing=space(2))
        line.setAlignment(title, Qt.AlignmentFlag.AlignTop)
        line.setStretch(1, 1)
        arrange(QVBoxLayout(self), line)
        self.tell("", "")

    def tell(self, hint: str, fault: str) -> None:
        """Show a hint, and what is wrong if anything is."""
        for label, text in ((self.hint, hint), (self.fault, fault)):
            label.setText(text)
            label.setVisible(bool(text))
        self._control.setAccessibleDescription(fault or hint)


class BlockForm(QWidget):
    """Shows a block's settings and what a person makes of them. `changed` tells of every change by a person.

    `label_fault` says why a label can't be given.
    """

    changed = Signal()

    def __init__(self, tools: EditorTools) -> None:
        super().__init__()
        self.label_fault: Callable[[str], str] = lambda _: ""
        self.label = QLineEdit()
        self.description = TextField(tools.appearance, tr("Description"))
        self.type_box, self.level_box = QComboBox(), QComboBox()
        for name, _ in _type_hints().values():
            self.type_box.addItem(name)
        for level in Permission:
            self.level_box.addItem(level_name(level).capitalize())
        self.limit = figure_box(0)
        self.limit.setSpecialValueText(tr("No limit"))
        self.limit.setSingleStep(_LIMIT_STEP)
        for box in (self.type_box, self.level_box):
            box.installEventFilter(WheelGuard(box))
        self.limit.setMinimumWidth(tools.appearance.space(_FIGURE_STEPS))
        self.pinned = QCheckBox(tr("Pinned"))
        self.lines = {
            "label": FormLine(tr("Label"), self.label, tools, wide=True),
            "description": FormLine(tr("Description"), self.description, tools, wide=True),
            "type": FormLine(tr("Place"), self.type_box, tools),
            "level": FormLine(tr("Agents may"), self.level_box, tools),
            "limit": FormLine(tr("Character limit"), self.limit, tools),
            "pinned": FormLine(tr("Pin"), self.pinned, tools),
        }
        arrange(QVBoxLayout(self), *self.lines.values(), spacing=tools.appearance.space(2))
        self.setMaximumWidth(tools.appearance.space(FORM_STEPS))
        self.setFocusProxy(self.label)
        self._connect()

    def show_block(self, block: Block) -> None:
        """Show settings; what is shown already is not touched, so that a cursor stays where it is."""
        blockers = [QSignalBlocker(each) for each in (self.label, self.limit, self.pinned)]
        if self.label.text() != block.label:
            self.label.setText(block.label)
        if self.description.text != block.description:
            self.description.load(block.description)
        self.type_box.setCurrentIndex(list(BlockType).index(block.block_type))
        self.level_box.setCurrentIndex(list(Permission).index(block.permission))
        self.limit.setValue(min(block.char_limit, MOST))
        self.pinned.setChecked(block.pinned)
        del blockers

    def tell(self, characters: int, stored: Block) -> None:
        """Say what each setting means for the block as it is."""
        block = self.block_in(stored)
        self.lines["label"].tell("", self.fault_in(stored))
        self.lines["type"].tell(_type_hints()[block.block_type][1], "")
        self.lines["pinned"].tell(tr("Pinned blocks go into the Request before other working blocks."), "")
        text = tr_count("{count} character now.", "{count} characters now.", characters)
        if 0 < block.char_limit < characters:
            text = tr("{count} characters now: it can only get shorter.", count=number(characters))
        self.lines["limit"].tell(text, "")

    def fault_in(self, stored: Block) -> str:
        """Why the label can't be stored; the one that is stored can stay."""
        label = self.label.text()
        return "" if label == stored.label else self.label_fault(label)

    def block_in(self, stored: Block) -> Block:
        """The block with the settings that are shown; its schema stays."""
        limit = self.limit.value()
        return replace(
            stored,
            label=self.label.text(),
            description=self.description.text,
            block_type=list(BlockType)[self.type_box.currentIndex()],
            permission=list(Permission)[self.level_box.currentIndex()],
            char_limit=stored.char_limit if limit == min(stored.char_limit, MOST) else limit,
            pinned=self.pinned.isChecked(),
        )

    def set_open(self, *, is_open: bool) -> None:
        """Let them be changed, or only read."""
        self.label.setReadOnly(not is_open)
        self.description.setReadOnly(not is_open)
        for each in (self.type_box, self.level_box, self.limit, self.pinned):
            each.setEnabled(is_open)

    def _connect(self) -> None:
        for signal in (
            self.label.textEdited,
            self.description.edited,
            self.type_box.activated,
            self.level_box.activated,
            self.limit.valueChanged,
            self.pinned.toggled,
        ):
            signal.connect(self._tell)

    def _tell(self, *_: object) -> None:
        self.changed.emit()
