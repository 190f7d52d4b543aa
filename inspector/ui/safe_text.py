"""The widgets and calls that could read a text as markup, made safe.

Qt guesses whether a label, a message box or a tool tip holds rich text, and rich text of a stranger can read
files, fake controls or freeze the program. Here everything is plain, invisible and direction characters are
shown as marks, and what is too long for a glance is cut. No other module names `QLabel`, `QMessageBox`,
`QErrorMessage`, `QProgressDialog`, `setToolTip`, `setWhatsThis`, `setHtml` or `setMarkdown`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from inspector.domain.dataclass import dataclass

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMessageBox

_TIP_LENGTH = 2_000
_LINE = 50
_BOX_LINES, _BOX_LENGTH = 16, 2_000
"""As much as leaves a question's buttons on a small screen."""
_LABEL_LENGTH = 10_000
_ELLIPSIS = "…"
_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
"""As `html.escape` has it, which would load all entities before the first paint."""

# What hides, turns round or counterfeits text: controls (line feed and tab are shown by themselves), soft hyphen,
# joiners and direction marks, separators, byte-order mark, annotations, tags, the second range of variation
# selectors, non-characters and lone surrogates.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U000e0000-\U000e0fff]"
)
_HIDDEN_BYTES = bytes(code for code in range(0x80) if _HIDDEN.match(chr(code)))
_NAMES = {
    0x00AD: "SHY",
    0x061C: "ALM",
    0x200B: "ZWSP",
    0x200C: "ZWNJ",
    0x200D: "ZWJ",
    0x200E: "LRM",
    0x200F: "RLM",
    0x2028: "LSEP",
    0x2029: "PSEP",
    0x202A: "LRE",
    0x202B: "RLE",
    0x202C: "PDF",
    0x202D: "LRO",
    0x202E: "RLO",
    0x2060: "WJ",
    0x2066: "LRI",
    0x2067: "RLI",
    0x2068: "FSI",
    0x2069: "PDI",
    0xFEFF: "BOM",
}
# A line may break behind a solidus or a hyphen that a letter follows, as in paths: those stay as they are.
_UNBROKEN = re.compile(r"(?:[^\s/-]|[/-](?![^\W\d_])){40}(?=\S)")
_MAY_BREAK = "\u200b"
_PICTURES, _DELETE_PICTURE = 0x2400, "\u2421"


def badge(character: str) -> str:
    """The visible mark that stands for a hidden character: ``␀``, ``[RLO]``, ``[U+E0041]``."""
    code = ord(character)
    if code < 0x20:
        return chr(_PICTURES + code)
    if code == 0x7F:
        return _DELETE_PICTURE
    return f"[{_NAMES.get(code, f'U+{code:04X}')}]"


def show_controls(text: str) -> str:
    """The text with every hidden, control or direction character replaced by its mark."""
    return _HIDDEN.sub(lambda match: badge(match.group()), text)


def count_hidden(text: str) -> int:
    """How many characters `show_controls` would replace."""
    if text.isascii():
        # Done at each key, and many times as fast.
        plain = text.encode()
        return len(plain) - len(plain.translate(None, _HIDDEN_BYTES))
    return len(_HIDDEN.findall(text))


def hidden_at(text: str) -> tuple[int, ...]:
    """The positions of those characters, in code points."""
    return tuple(match.start() for match in _HIDDEN.finditer(text))


def shorten(text: str, length: int) -> str:
    """At most `length` characters, the last an ellipsis where some were cut."""
    return text if len(text) <= length else text[: length - 1] + _ELLIPSIS


def few_lines(text: str, lines: int = 6, length: int = 600) -> str:
    """The beginning of a text that must leave room for others: so many lines and characters at most."""
    kept = shorten(text, length).splitlines()
    return "\n".join(kept) if len(kept) <= lines else "\n".join((*kept[: lines - 1], _ELLIPSIS))


def shorten_start(text: str, length: int) -> str:
    """At most `length` characters, the first an ellipsis where some were cut: of a path the end tells more."""
    return text if len(text) <= length else _ELLIPSIS + text[1 - length :]


def one_line(text: str, length: int = 200) -> str:
    """A text for one line of a list: breaks become spaces, the hidden is shown, the long cut."""
    return shorten(show_controls(" ".join(shorten(text, 4 * length).split())), length)


def breakable(text: str) -> str:
    """A text whose long words may break: a label that wraps is at least as wide as its widest word."""
    return _UNBROKEN.sub(lambda match: match.group() + _MAY_BREAK, text)


def without_mnemonic(text: str, length: int = 120) -> str:
    """A text for a menu, button or tab, where an ampersand would be taken for a shortcut's mark; the long is cut."""
    return one_line(text, length).replace("&", "&&")


def window_title(text: str) -> str:
    """A text for a window's title, where ``[*]`` would be taken for the mark of a changed document."""
    return show_controls(text).replace("[*]", "[*][*]")


def tooltip_text(text: str) -> str:
    """A text for a tool tip or a model's tool-tip role: markup whose only content is this text."""
    if not text:
        return ""
    lines = breakable(show_controls(shorten(text, _TIP_LENGTH))).translate(_MARKUP).split("\n")
    return f"<qt>{'<br>'.join(line.replace('  ', ' &nbsp;') for line in lines)}</qt>"


class _HasToolTip(Protocol):
    def setToolTip(self, text: str, /) -> None: ...


class _HasColumnToolTips(Protocol):
    def setToolTip(self, column: int, text: str, /) -> None: ...


def column_tooltip(item: _HasColumnToolTips, column: int, text: str) -> None:
    """Give a cell of a tree's row a tool tip."""
    item.setToolTip(column, tooltip_text(text))


def safe_tooltip(target: _HasToolTip, text: str) -> None:
    """Give a widget or an action a tool tip."""
    target.setToolTip(tooltip_text(text))


def polish_again(widget: QWidget) -> None:
    """Have a widget look as the style sheet says of its properties now; one that wasn't shown yet will anyway."""
    # PySide makes hundreds of names for the style's object, for which the first paint doesn't wait.
    if widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
        style = widget.style()
        style.unpolish(widget)
        style.polish(widget)


class PlainLabel(QLabel):
    """A label that shows its text as it is. `tone` and `size` are those of the style sheet."""

    def __init__(
        self, text: str = "", *, tone: str = "", size: str = "", strong: bool = False, wrap: bool = False
    ) -> None:
        super().__init__()
        super().setTextFormat(Qt.TextFormat.PlainText)
        self._original = ""
        self.setWordWrap(wrap)
        self.setProperty("tone", tone)
        self.setProperty("textSize", size)
        if strong:
            self.setProperty("weight", "strong")
        self.setText(text)

    @property
    def original(self) -> str:
        return self._original

    def setText(self, text: str) -> None:
        self._original = text
        shown = show_controls(shorten(text, _LABEL_LENGTH))
        super().setText(breakable(shown) if self.wordWrap() else shown)

    def minimumSizeHint(self) -> QSize:
        """As Qt has it; but no word, however wide its letters, makes a label that wraps wider than a line."""
        hint = super().minimumSizeHint()
        if self.wordWrap():
            hint.setWidth(min(hint.width(), _LINE * self.fontMetrics().averageCharWidth()))
        return hint

    def setTextFormat(self, format_: Qt.TextFormat) -> None:
        if format_ != Qt.TextFormat.PlainText:
            raise ValueError(format_)

    def set_tone(self, tone: str) -> None:
        if self.property("tone") != tone:
            self.setProperty("tone", tone)
            polish_again(self)


class ElidedLabel(PlainLabel):
    """A label of one line that ends in an ellipsis where the room ends; its tool tip then has all of it."""

    def __init__(self, text: str = "", *, tone: str = "", size: str = "", strong: bool = False) -> None:
        self._more = ""
        super().__init__(text, tone=tone, size=size, strong=strong)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def set_more(self, text: str) -> None:
        """Say more in the tool tip than the label does."""
        self._more = text
        self._tell()

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance("mmm"), super().minimumSizeHint().height())

    def setText(self, text: str) -> None:
        super().setText(" ".join(text.split()))
        self._tell()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            metrics = QFontMetrics(self.font())
            shown = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width())
            painter.setPen(self.palette().color(self.foregroundRole()))
            painter.drawText(self.contentsRect(), int(self.alignment()), shown)

    def _tell(self) -> None:
        fits = QFontMetrics(self.font()).horizontalAdvance(self.text()) <= self.contentsRect().width()
        safe_tooltip(self, "\n".join(filter(None, ("" if fits else self.original, self._more))))


class MessageTone(StrEnum):
    """How a message is marked."""

    INFORMATION = "information"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class QuestionButton:
    """One button of a question. `id` is what the answer says."""

    id: str
    label: str
    primary: bool = False
    destructive: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: in short, then what it means; `details` are shown on demand."""

    title: str
    text: str
    meaning: str = ""
    details: str = ""
    choices: tuple[QuestionButton, ...] = ()
    weight: MessageTone = MessageTone.INFORMATION


def safe_message(
    parent: QWidget | None, question: Question, answered: Callable[[str], None] | None = None
) -> QMessageBox:
    """Show a message or a question without stopping anything else.

    Args:
        parent: Above which window.
        question: What it says; without choices it has one button that closes it.
        answered: Told the chosen button's id, ``""`` when it was closed without one.
    """
    # PySide takes long to load it, for which the first paint doesn't wait.
    from PySide6.QtWidgets import QMessageBox  # noqa: PLC0415

    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setWindowTitle(window_title(question.title))
    box.setText(breakable(show_controls(few_lines(question.text, _BOX_LINES, _BOX_LENGTH))))
    box.setInformativeText(breakable(show_controls(few_lines(question.meaning, _BOX_LINES, _BOX_LENGTH))))
    if question.details:
        box.setDetailedText(_bounded(question.details))
    warning = question.weight is MessageTone.WARNING
    box.setIcon(QMessageBox.Icon.Warning if warning else QMessageBox.Icon.Information)
    for label in box.findChildren(QLabel):
        label.setTextFormat(Qt.TextFormat.PlainText)
    buttons = {_add_button(box, choice): choice.id for choice in question.choices}
    if not buttons:
        box.addButton(QMessageBox.StandardButton.Close)

    def finish() -> None:
        if answered is not None:
            answered(next((id_ for button, id_ in buttons.items() if button is box.clickedButton()), ""))

    box.finished.connect(finish)
    box.open()
    return box


def _add_button(box: QMessageBox, choice: QuestionButton) -> QWidget:
    roles = box.ButtonRole
    role = (
        roles.DestructiveRole
        if choice.destructive
        else roles.AcceptRole
        if choice.primary
        else roles.RejectRole
    )
    button = box.addButton(without_mnemonic(choice.label), role)
    if choice.primary:
        button.setProperty("role", "primary")
        box.setDefaultButton(button)
    return button


def _bounded(text: str) -> str:
    return show_controls(shorten(text, _LABEL_LENGTH))
