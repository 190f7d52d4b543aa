"""The tokens of rendered parts, counted away from the interface's thread and remembered by their text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from inspector.domain.counts import Count
from inspector.ui.wording import counted

OnCounts = Callable[[Sequence[Count]], None]
CountTexts = Callable[[Sequence[str], OnCounts], None]

_MOST = 20_000
"""Texts that are remembered."""


class TokenFigures(QObject):
    """Figures for the parts in sight. `changed` carries the places whose figures are new, None for all.

    Asking for a figure that is not remembered yet has it counted; until then the last one that stood at its place is
    given, so that figures do not flicker while somebody types.
    """

    changed = Signal(object)

    def __init__(self, count: CountTexts, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._count = count
        self._counts: dict[str, Count] = {}
        self._last: dict[object, Count] = {}
        self._wanted: dict[str, set[object]] = {}
        self._asked: dict[str, set[object]] = {}
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._ask)

    def of(self, text: str, place: object) -> str:
        """The figure of a text as it is shown at a place; nothing where none is remembered yet."""
        found = self._counts.get(text)
        if found is None:
            self._wanted.setdefault(text, set()).add(place)
            if not self._asked and not self._soon.isActive():
                self._soon.start()
            found = self._last.get(place)
        else:
            self._last[place] = found
        return "" if found is None else counted(found)

    def count_all(self, texts: Sequence[str], on_done: Callable[[Sequence[int]], None]) -> None:
        """Count these texts, those that are remembered already at once."""
        remembered = {each: self._counts[each] for each in texts if each in self._counts}
        missing = tuple(dict.fromkeys(each for each in texts if each not in remembered))

        def done(counts: Sequence[Count]) -> None:
            found = {**remembered, **dict(zip(missing, counts, strict=True))}
            on_done([found[each].tokens for each in texts])

        if missing:
            self._count(missing, done)
        else:
            done(())

    def forget(self) -> None:
        """Count everything anew: it is counted for another model now."""
        self._counts.clear()
        self._last.clear()
        self.changed.emit(None)

    def _ask(self) -> None:
        if len(self._counts) > _MOST:
            self._counts.clear()
            self._last.clear()
        self._asked, self._wanted = self._wanted, {}
        if self._asked:
            self._count(tuple(self._asked), self._take)

    def _take(self, counts: Sequence[Count]) -> None:
        self._counts |= dict(zip(self._asked, counts, strict=True))
        places: Collection[object] = set().union(*self._asked.values())
        self._asked = {}
        self.changed.emit(places)
        if self._wanted:
            self._soon.start()
