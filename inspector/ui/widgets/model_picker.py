"""A popup in which a person finds a model by a few letters, or names one that isn't listed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QFrame, QHeaderView, QTableView, QVBoxLayout, QWidget

from inspector.domain.counts import Method
from inspector.domain.dataclass import dataclass
from inspector.domain.model_offers import ModelOffer
from inspector.ui.appearance import Appearance, TextSize
from inspector.ui.safe_text import PlainLabel, one_line, safe_tooltip
from inspector.ui.widgets.controls import arrange, field
from inspector.ui.widgets.rows_view import dress_table
from inspector.ui.wording import number, tr

_WIDTH, _HEIGHT = 420, 480
_LONGEST_NAME = 200
_PAGE = 10
_BETWEEN = str.maketrans("", "", "-._")
_LINE_ROLE = int(Qt.ItemDataRole.UserRole) + 1
_MARKS = {Method.EXACT: "=", Method.RECONSTRUCTED: "≈"}
_PROVIDERS = {
    "anthropic": "Anthropic",
    "openai": "OpenAI",
    "gemini": "Google Gemini",
    "ollama": "Ollama",
    "deepseek": "DeepSeek",
    "mistral": "Mistral",
    "letta": "Letta",
    "openai_compatible": "OpenAI-compatible",
}


@dataclass(frozen=True, slots=True)
class ModelLine:
    """One line of the list: a model, a group's heading (no `id`), or a name that isn't listed (no `offer`)."""

    group: str
    id: str = ""
    offer: ModelOffer | None = None
    note: str = ""

    @property
    def title(self) -> str:
        if not self.id:
            return self.group
        if self.offer is None:
            return tr("Use “{name}” (unknown model: token counts are estimates)", name=one_line(self.id, 60))
        return tr("{name} · {note}", name=self.id, note=self.note) if self.note else self.id


def model_lines(
    offers: Sequence[ModelOffer], words: str = "", *, own: str = "", recent: Sequence[str] = ()
) -> list[ModelLine]:
    """The lines for what was typed: the agent's own model and recent ones, then by provider, then the name itself.

    Without words a model of the first group stands in its provider's group too.
    """
    by_id = {each.id: each for each in offers}
    head = [by_id.get(each) or ModelOffer(each, "") for each in dict.fromkeys([own, *recent]) if each]
    # The order of the providers is that of the table, where those with the most recent models stand first.
    groups: dict[str, list[ModelOffer]] = {
        tr("The agent's model"): head[:1] if own else [],
        tr("Recent"): head[1:] if own else head,
    }
    listed = {each.id for each in head} if words.strip() else set()
    for each in offers:
        group = _PROVIDERS.get(each.provider, each.provider)
        groups.setdefault(group, []).extend([] if each.id in listed else [each])
    found = [line for group, rows in groups.items() for line in _group(group, rows, words, own)]
    typed = words.strip()[:_LONGEST_NAME]
    if typed and typed.casefold() not in {each.id.casefold() for each in (*offers, *head)}:
        found.append(ModelLine("", typed))
    return found


def _group(group: str, offers: Sequence[ModelOffer], words: str, own: str) -> Iterator[ModelLine]:
    wanted, start = [_letters(word) for word in words.split()], _letters(words)
    named = f" {_letters(group)}"
    fitting = [each for each in offers if all(word in _letters(each.id) + named for word in wanted)]
    if fitting:
        yield ModelLine(group)
    for each in sorted(fitting, key=lambda offer: not _letters(offer.id).startswith(start)):
        yield ModelLine(group, each.id, each, tr("own") if each.id == own else "")


def _letters(text: str) -> str:
    """A text without what people write otherwise in names of models: gpt-5-mini is gpt 5 mini and gpt5mini."""
    return "".join(text.casefold().translate(_BETWEEN).split())


def _window(line: ModelLine) -> str:
    return "" if line.offer is None else "–" if line.offer.window is None else number(line.offer.window)


def _mark(line: ModelLine) -> str:
    return "" if line.offer is None else _MARKS.get(line.offer.method, "~")


def _price(dollars: float | None) -> str:
    if dollars is None:
        return "–"
    return f"{dollars:,.2f}" if round(dollars, 2) == dollars else f"{dollars:,.3f}"


def _input_price(line: ModelLine) -> str:
    return "" if line.offer is None else _price(line.offer.input_price)


def _output_price(line: ModelLine) -> str:
    return "" if line.offer is None else _price(line.offer.output_price)


def _spoken(line: ModelLine) -> str:
    if line.offer is None:
        return line.title
    return tr(
        "{name}, window {window}, tokens {method}, {input} dollars in, {output} dollars out",
        name=line.title,
        window=_window(line),
        method=tr(line.offer.method.value),
        input=_input_price(line),
        output=_output_price(line),
    )


def _titles() -> tuple[str, ...]:
    return tr("Model"), tr("Window"), "", tr("$ in"), tr("$ out")


def _side(place: int) -> Qt.AlignmentFlag:
    """Names stand left, figures right."""
    return (
        Qt.AlignmentFlag.AlignRight if place else Qt.AlignmentFlag.AlignLeft
    ) | Qt.AlignmentFlag.AlignVCenter


class ModelPicker(QFrame):
    """A filter over a list of models. `chosen` carries a model's name, `closed` says that it went.

    Arrows move, Enter chooses, Escape closes; the keyboard then is where it was.
    """

    chosen = Signal(str)
    closed = Signal()

    def __init__(self, parent: QWidget, appearance: Appearance) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "overlay")
        self.setAccessibleName(tr("Choose a model"))
        self._appearance = appearance
        self._offers: Sequence[ModelOffer] = ()
        self._own, self._current = "", ""
        self._recent: Sequence[str] = ()
        self.search = field(tr("Find a model"), role="filter")
        self.search.textChanged.connect(self._show_lines)
        self.search.installEventFilter(self)
        self._table = QStandardItemModel(0, len(_titles()), self)
        self._table.setHorizontalHeaderLabels(_titles())
        for place in range(len(_titles())):
            self._table.horizontalHeaderItem(place).setTextAlignment(_side(place))
        self.list = QTableView()
        self.list.setModel(self._table)
        self._dress()
        # A heading keeps the colour and the font that it was made with.
        appearance.changed.connect(self._dress_lines)
        self._legend = PlainLabel(
            tr("Tokens: = exact, ≈ reconstructed, ~ estimate. Prices: US dollars per million tokens."),
            tone="muted",
            size="small",
            wrap=True,
        )
        arrange(QVBoxLayout(self), self.search, self.list, self._legend, margins=8, spacing=8)

    @property
    def lines(self) -> tuple[ModelLine, ...]:
        """What is listed now, headings and all, from top to bottom."""
        return tuple(self._table.item(row).data(_LINE_ROLE) for row in range(self._table.rowCount()))

    def open_at(
        self,
        anchor: QWidget,
        offers: Sequence[ModelOffer],
        *,
        own: str = "",
        current: str = "",
        recent: Sequence[str] = (),
    ) -> None:
        """Show the models under a widget, as far as the screen has room, with an empty filter.

        Args:
            anchor: What was pressed.
            offers: The models, in the order in which they are listed.
            own: The agent's own model.
            current: The model that is marked at first; the own one if not given.
            recent: Models that were chosen lately, the newest first.
        """
        self._offers, self._own, self._recent = tuple(offers), own, tuple(recent)
        self._current = current or own
        self.search.clear()
        self._show_lines()
        self._place(anchor)
        self.show()
        self.search.setFocus(Qt.FocusReason.PopupFocusReason)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.closed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the filter's arrow keys move in the list."""
        if watched is self.search and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._key(event)
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        keys = Qt.Key
        steps = {keys.Key_Down: 1, keys.Key_Up: -1, keys.Key_PageDown: _PAGE, keys.Key_PageUp: -_PAGE}
        if event.key() in steps:
            self._step(steps[keys(event.key())])
            return True
        if event.key() in (keys.Key_Return, keys.Key_Enter):
            self._choose(self.list.currentIndex())
            return True
        if event.key() == keys.Key_Escape:
            self.hide()
            return True
        return False

    def _step(self, by: int) -> None:
        rows = [at for at, line in enumerate(self.lines) if line.id]
        now = self.list.currentIndex().row()
        if rows:
            place = rows.index(now) + by if now in rows else 0
            self._mark_row(rows[max(0, min(len(rows) - 1, place))])

    def _mark_row(self, row: int) -> None:
        self.list.setCurrentIndex(self._table.index(row, 0))
        # With the heading above it, where there is one.
        self.list.scrollTo(self._table.index(max(0, row - 1), 0))
        self.list.scrollTo(self._table.index(row, 0))

    def _choose(self, index: QModelIndex) -> None:
        line = index.data(_LINE_ROLE)
        if isinstance(line, ModelLine) and line.id:
            self.hide()
            self.chosen.emit(line.id)

    def _show_lines(self, _: str = "") -> None:
        words = self.search.text()
        lines = model_lines(self._offers, words, own=self._own, recent=self._recent)
        self.list.clearSpans()
        self._table.setRowCount(0)
        for line in lines:
            self._table.appendRow(self._cells(line))
        for at, line in enumerate(lines):
            if line.offer is None:
                self.list.setSpan(at, 0, 1, self._table.columnCount())
        wanted = "" if words.strip() else self._current
        rows = [at for at, line in enumerate(lines) if line.id]
        if rows:
            self._mark_row(next((at for at in rows if lines[at].id == wanted), rows[0]))

    def _dress_lines(self) -> None:
        if self.isVisible():
            self._show_lines()

    def _cells(self, line: ModelLine) -> list[QStandardItem]:
        texts = (line.title, _window(line), _mark(line), _input_price(line), _output_price(line))
        return [self._cell(line, place, text) for place, text in enumerate(texts)]

    def _cell(self, line: ModelLine, place: int, text: str) -> QStandardItem:
        made = QStandardItem(one_line(text))
        made.setData(line, _LINE_ROLE)
        made.setTextAlignment(_side(place))
        if place == 0:
            made.setAccessibleText(one_line(_spoken(line)))
            safe_tooltip(made, line.id)
        if not line.id:
            made.setFlags(Qt.ItemFlag.ItemIsEnabled)
            made.setFont(self._appearance.font(TextSize.SMALL, bold=True))
            made.setForeground(self._appearance.theme.muted)
        return made

    def _dress(self) -> None:
        dress_table(self.list, self._appearance, tr("Models"))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.clicked.connect(self._choose)
        head = self.list.horizontalHeader()
        head.setStretchLastSection(False)
        head.setMinimumSectionSize(1)
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        head.setSectionsClickable(False)

    def _place(self, anchor: QWidget) -> None:
        room = anchor.screen().availableGeometry()
        scale = self._appearance.scale
        size = QSize(round(_WIDTH * scale), round(_HEIGHT * scale)).boundedTo(room.size())
        below = anchor.mapToGlobal(QPoint(0, anchor.height()))
        box = QRect(below, size)
        box.moveLeft(max(room.left(), min(box.left(), room.right() + 1 - size.width())))
        box.moveTop(max(room.top(), min(box.top(), room.bottom() + 1 - size.height())))
        self.setGeometry(box)
