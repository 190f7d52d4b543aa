"""The page on which a draft and what somebody else wrote meanwhile are decided about, before it is saved."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from inspector.domain.content import Content, TextContent
from inspector.domain.history import ThreeWay
from inspector.domain.resolution import Choice
from inspector.ui.appearance import Appearance
from inspector.ui.editors.review_table import TableReview
from inspector.ui.editors.review_text import TextReview
from inspector.ui.safe_text import ElidedLabel
from inspector.ui.widgets.controls import arrange, button, name_help
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.wording import tr, tr_count


class ReviewPage(QWidget):
    """Conflicts one by one. `changed` tells of another decision, `closed` that a person goes back to the editor."""

    changed = Signal()
    closed = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        name_help(self, "Review a conflict")
        self._appearance = appearance
        self.sides: ThreeWay | None = None
        self._is_stale = False
        self._views = QStackedWidget()
        self._where = ElidedLabel("", strong=True)
        self._previous = button(tr("Previous"), lambda: self.step(-1))
        self._next = button(tr("Next"), lambda: self.step(1))
        self._one = tuple(button(text, self._chooser(choice)) for text, choice in _choices())
        self._all = tuple(
            button(text, self._chooser(choice, everywhere=True))
            for text, choice in ((tr("All theirs"), Choice.THEIRS), (tr("All mine"), Choice.MINE))
        )
        self._back = button(tr("Back to editing"), self.closed.emit)
        self._lay_out(appearance)

    # Its editors take long to make, and most pages never show a conflict.
    @cached_property
    def text(self) -> TextReview:
        """The panes for texts, made when they are first asked for."""
        made = TextReview(self._appearance)
        made.changed.connect(self._tell)
        self._views.addWidget(made)
        return made

    @cached_property
    def table(self) -> TableReview:
        """The table for structured contents, made when it is first asked for."""
        made = TableReview(self._appearance)
        made.changed.connect(self._tell)
        self._views.addWidget(made)
        return made

    @property
    def view(self) -> TextReview | TableReview:
        """What shows the sides that are compared."""
        is_table = self.sides is not None and not isinstance(self.sides.base, TextContent)
        return self.table if is_table else self.text

    @property
    def content(self) -> Content:
        """The merged content as it is decided now."""
        return self.view.content

    @property
    def undecided(self) -> int:
        return self.view.undecided

    @property
    def is_touched(self) -> bool:
        """Whether a person decided or typed anything since the sides were shown."""
        return self.view.is_touched

    @property
    def place_text(self) -> str:
        """Which conflict is in front, and what is to be decided."""
        return self._where.original

    def tell_stale(self) -> None:
        """Say that the other version is another by now; what was decided stays."""
        self._is_stale = True
        self._tell()

    def show_sides(self, sides: ThreeWay, name: str) -> None:
        """Show a draft beside what was stored meanwhile by `name`; the same ones keep what was decided."""
        is_same = self.sides is not None and _key(self.sides) == _key(sides)
        self.sides, self._is_stale = sides, False
        self._views.setCurrentWidget(self.view)
        if not is_same:
            self.view.show_sides(sides, name)
        self.setFocusProxy(self.first_focus())
        self._tell()

    def step(self, by: int) -> None:
        """Go to the next conflict or the one before; after the last comes the first."""
        self.view.go_to(self.view.current + by)

    def choose(self, choice: Choice) -> None:
        """Decide the current conflict and go to the next one that is not decided."""
        view = self.view
        if choice is Choice.BOTH and not view.has_both:
            return
        view.choose(choice)
        for at in range(view.current + 1, view.current + view.count):
            if not view.undecided:
                break
            view.go_to(at)
            if not view.is_current_decided:
                break

    def choose_all(self, choice: Choice) -> None:
        """Decide all conflicts the same way."""
        self.view.choose_all(choice)

    def first_focus(self) -> QWidget:
        return self.view.first_focus()

    def _chooser(self, choice: Choice, *, everywhere: bool = False) -> Callable[[], None]:
        return lambda: self.choose_all(choice) if everywhere else self.choose(choice)

    def _tell(self) -> None:
        view = self.view
        again = tr("changed again meanwhile: Save compares anew") if self._is_stale else ""
        self._where.setText(" · ".join(filter(None, (_where(view), again))))
        self._where.set_tone("warning" if again else "")
        for each in (self._previous, self._next):
            each.setEnabled(view.count > 1)
        for each in (*self._one, *self._all):
            each.setVisible(view.conflicts > 0)
        self._one[2].setVisible(view.conflicts > 0 and view.has_both)
        self.changed.emit()

    def _lay_out(self, appearance: Appearance) -> None:
        bar = QFrame()
        bar.setProperty("role", "dock_title")
        buttons = (self._previous, self._next, *self._one, *self._all)
        row = FlowLayout(*buttons, spacing=appearance.space(2))
        rows, head = QVBoxLayout(bar), QHBoxLayout()
        arrange(head, self._where, self._back, spacing=appearance.space(2))
        head.setStretch(0, 1)
        arrange(rows, head, row, spacing=appearance.space(2))
        rows.setContentsMargins(
            appearance.space(3), appearance.space(2), appearance.space(3), appearance.space(2)
        )
        arrange(QVBoxLayout(self), bar, self._views)
        rows.setAlignment(Qt.AlignmentFlag.AlignTop)


def _choices() -> tuple[tuple[str, Choice], ...]:
    return (
        (tr("Take theirs"), Choice.THEIRS),
        (tr("Take mine"), Choice.MINE),
        (tr("Take both"), Choice.BOTH),
    )


def _where(view: TextReview | TableReview) -> str:
    if not view.count:
        return tr("Nothing differs.")
    place = tr("{at} of {count}", at=view.current + 1, count=view.count)
    if not view.conflicts:
        return tr("Change {place} · {where} · no conflicts: Save merges both", place=place, where=view.place)
    state = tr("decided") if view.is_current_decided else tr("not decided")
    left = view.undecided - (not view.is_current_decided)
    others = tr_count("{count} more to decide", "{count} more to decide", left) if left else ""
    ready = "" if view.undecided else tr("ready to save")
    parts = (tr("Conflict {place}", place=place), state, others, ready, view.place)
    return " · ".join(each for each in parts if each)


def _key(sides: ThreeWay) -> tuple[object, ...]:
    return sides.theirs_version, sides.base, sides.mine
