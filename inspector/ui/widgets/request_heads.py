"""Paints the heads of messages, tool calls, results and tools in a Request, and says what a click on one is for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from enum import Enum

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from inspector.domain.messages import Role
from inspector.domain.requests import Piece
from inspector.ui.appearance import Appearance, TextSize
from inspector.ui.safe_text import one_line
from inspector.ui.theme import contrast
from inspector.ui.widgets.piece_rows import call_words, excerpt, head_words
from inspector.ui.widgets.request_folds import is_foldable
from inspector.ui.widgets.request_rows import RowPosition
from inspector.ui.widgets.text_rows import TextRowKind
from inspector.ui.wording import tr

_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_CENTRE = Qt.AlignmentFlag.AlignCenter
_EXCERPT = 240
_CHIP_SHARE = 0.16
_LEGIBLE = 4.5
"""The contrast of a word that is read."""
_ROOMY_STEPS = 120
"""The width from which a head has room for the time."""
_DESCRIPTION = re.compile(r'\{"description":("(?:[^"\\]|\\.){1,400})')
_PAIRED = ("tool_call", "tool_result")


class HeadSpot(Enum):
    """A place on a row that does something else than select."""

    FOLD = "fold"
    FORMAT = "format"
    WHOLE = "whole"


class HeadPainter:
    """Paints heads. `notes` gives what stands at the right of a piece's head. Call `dress` as for rows."""

    def __init__(self, appearance: Appearance) -> None:
        self._appearance = appearance
        self.notes: Callable[[Piece], str] = lambda _: ""
        self.dress()

    def dress(self) -> None:
        """Take the fonts over, after a change of the text size."""
        self._normal = self._appearance.font(TextSize.NORMAL)
        self._small = self._appearance.font(TextSize.SMALL)
        self._strong = self._appearance.font(TextSize.SMALL, bold=True)

    def paint(
        self, painter: QPainter, box: QRectF, place: RowPosition, left: float, called: Mapping[str, str]
    ) -> None:
        """Paint a head whose text begins at `left`. `called` names tools by the calls' ids."""
        theme, space = self._appearance.theme, self._appearance.space
        if place.piece is None or place.row is None or place.cut is None:
            return
        is_first = place.row == place.cut.rows[0]
        if is_first and is_foldable(place.piece):
            painter.setFont(self._normal)
            painter.setPen(theme.muted)
            sign = "▸" if place.cut.form.folded else "▾"
            painter.drawText(self._fold_box(box, left), _MIDDLE, sign)
        right = box.right() - space(3)
        if is_first:
            right = self._right(painter, box, right, self._note(place.piece, box), theme.muted)
        label = self._label(place)
        if label:
            right = self._right(painter, box, right, label, theme.accent)
        x = left + space(4)
        if place.kind is TextRowKind.RESULT and is_paired(place):
            x = self._elbow(painter, box, left)
        chip, colour = self._chip_of(place)
        x = self._chip(painter, box, x, (chip, colour))
        for text, strong in self._words(place, called):
            x = self._word(painter, box, (x, right), (text, strong))

    def join(self, painter: QPainter, box: QRectF, place: RowPosition, left: float, above: int) -> None:
        """Paint the line that leads from a call to its result, beside what stands between them."""
        if not is_paired(place) or place.kind is TextRowKind.CALL:
            return
        x = self._line_at(left)
        top = box.top() - above
        bottom = box.center().y() if place.kind is TextRowKind.RESULT else box.bottom()
        painter.fillRect(QRectF(x, top, 1, bottom - top), self._appearance.theme.muted)

    def spot(self, point: QPointF, box: QRectF, place: RowPosition, left: float) -> HeadSpot | None:
        """What a click at a point of a row is for; None where it selects."""
        if place.piece is None or place.row is None or place.cut is None:
            return None
        is_first = place.row == place.cut.rows[0]
        folds = place.kind.is_head and is_first and is_foldable(place.piece)
        if folds and self._fold_box(box, left).contains(point):
            return HeadSpot.FOLD
        label, right = self._label(place), box.right() - self._appearance.space(3)
        right -= self._width(self._note(place.piece, box)) if is_first else 0
        if label and right - self._width(label) <= point.x() < right:
            return HeadSpot.WHOLE if place.kind is TextRowKind.DATA else HeadSpot.FORMAT
        return None

    def offer_whole(self, painter: QPainter, box: QRectF, place: RowPosition) -> None:
        """Offer all of the long data that a row shows the beginning of."""
        if place.kind is TextRowKind.DATA:
            right = box.right() - self._appearance.space(3)
            self._right(painter, box, right, self._label(place), self._appearance.theme.accent)

    def _note(self, piece: Piece, box: QRectF) -> str:
        """What stands at the right; where there is little room, only its last part."""
        note = self.notes(piece)
        return note if box.width() >= self._appearance.space(_ROOMY_STEPS) else note.rpartition(" · ")[2]

    def ink(self, colour: QColor) -> tuple[QColor, QColor]:
        """The ground of a chip and its word, which is legible on it, for the colour of a role."""
        theme = self._appearance.theme
        ground = theme.blend(colour, theme.background, _CHIP_SHARE)
        shades = (theme.blend(colour, theme.text, share / 10) for share in range(10, 0, -1))
        word = next((each for each in shades if contrast(each, ground) >= _LEGIBLE), theme.text)
        return ground, word

    def _fold_box(self, box: QRectF, left: float) -> QRectF:
        return QRectF(left, box.top(), self._appearance.space(3.5), box.height())

    def _line_at(self, left: float) -> float:
        return left + self._appearance.space(5.5)

    def _label(self, place: RowPosition) -> str:
        cut = place.cut
        if place.kind is TextRowKind.DATA:
            return tr("Show all")
        if cut is None or not cut.has_json or cut.form.folded or not place.kind.is_head:
            return ""
        if place.kind is TextRowKind.PART or (place.kind is TextRowKind.MESSAGE and cut.calls):
            return ""
        return tr("As sent") if cut.form.formatted else tr("Format")

    def _width(self, text: str) -> float:
        return QFontMetricsF(self._small).horizontalAdvance(text) + self._appearance.space(3) if text else 0.0

    def _right(self, painter: QPainter, box: QRectF, right: float, text: str, colour: QColor) -> float:
        """Paint a word that ends at `right`; gives where it begins."""
        if not text:
            return right
        width = self._width(text)
        painter.setFont(self._small)
        painter.setPen(colour)
        gap = self._appearance.space(3)
        painter.drawText(QRectF(right - width + gap, box.top(), width, box.height()), _MIDDLE, text)
        return right - width

    def _elbow(self, painter: QPainter, box: QRectF, left: float) -> float:
        x, space = self._line_at(left), self._appearance.space
        painter.fillRect(QRectF(x, box.center().y(), space(3.5), 1), self._appearance.theme.muted)
        return x + space(4.5)

    def _chip_of(self, place: RowPosition) -> tuple[str, QColor]:
        theme = self._appearance.theme
        tools = theme.section("tools")
        if place.kind is TextRowKind.MESSAGE and place.piece is not None and place.row is not None:
            role = head_words(place.piece, place.row)
            return _role_word(role), {
                Role.USER.value: theme.accent,
                Role.ASSISTANT.value: theme.ok,
                Role.TOOL.value: tools,
            }.get(role, theme.section("instructions"))
        words = {
            TextRowKind.CALL: (tr("Call"), tools),
            TextRowKind.RESULT: (tr("Result"), tools),
            TextRowKind.TOOL: (tr("Tool"), tools),
        }
        return words.get(place.kind, (tr("Part"), theme.muted))

    def _chip(self, painter: QPainter, box: QRectF, x: float, chip: tuple[str, QColor]) -> float:
        space = self._appearance.space
        text, colour = chip
        width = QFontMetricsF(self._strong).horizontalAdvance(text) + space(3)
        ground = QRectF(x, box.top() + 1.5, width, box.height() - 3)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        fill, word = self.ink(colour)
        painter.setBrush(fill)
        painter.drawRoundedRect(ground, space(1), space(1))
        painter.restore()
        painter.setFont(self._strong)
        painter.setPen(word)
        painter.drawText(ground, _CENTRE, text)
        return x + width + space(2)

    def _word(
        self, painter: QPainter, box: QRectF, room: tuple[float, float], word: tuple[str, bool]
    ) -> float:
        text, strong = word
        x, right = room
        theme = self._appearance.theme
        font = self._strong if strong else self._small
        metrics = QFontMetricsF(font)
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0.0, right - x))
        if not text or right - x < self._appearance.space(4):
            return x
        painter.setFont(font)
        painter.setPen(theme.text if strong else theme.muted)
        painter.drawText(QRectF(x, box.top(), right - x, box.height()), _MIDDLE, shown)
        return x + metrics.horizontalAdvance(shown) + self._appearance.space(2)

    def _words(self, place: RowPosition, called: Mapping[str, str]) -> tuple[tuple[str, bool], ...]:
        """What stands behind the chip: the name, strong, and what else there is to say."""
        piece, row, cut = place.piece, place.row, place.cut
        if piece is None or row is None or cut is None:
            return ()
        said = one_line(excerpt(piece, _EXCERPT)) if cut.form.folded else ""
        if place.kind in (TextRowKind.CALL, TextRowKind.RESULT):
            name, call_id = call_words(piece, row)
            return (one_line(name or called.get(call_id, "")), True), (said or one_line(call_id), False)
        if place.kind is TextRowKind.TOOL:
            name, words = one_line(piece.source.label or ""), description(piece.text) if not said else ""
            return (name, True), (words or description(piece.text), False)
        if place.kind is TextRowKind.PART:
            return ((one_line(head_words(piece, row)), False),)
        return ((said, False),)


def is_paired(place: RowPosition) -> bool:
    """Whether a row belongs to a tool call or to its result."""
    if place.piece is None or place.row is None or place.kind is TextRowKind.MESSAGE:
        return False
    at = place.row.start
    return any(each.kind in _PAIRED and each.start <= at < each.end for each in place.piece.marks)


def description(text: str) -> str:
    """What a tool's definition says of it, for one line; nothing where that can't be found at its beginning."""
    found = _DESCRIPTION.match(text)
    if found is None:
        return ""
    try:
        return one_line(str(json.loads(found.group(1) + '"')))
    except ValueError:
        return ""


def _role_word(role: str) -> str:
    words = {
        Role.USER.value: tr("User"),
        Role.ASSISTANT.value: tr("Assistant"),
        Role.TOOL.value: tr("Tool"),
        "system": tr("System"),
    }
    return words.get(role, one_line(role, 24))
