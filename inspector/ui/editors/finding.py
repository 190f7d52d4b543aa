"""Finds and replaces in an editor: quick searches at once, others away from the interface's thread."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Coroutine, Sequence
from functools import partial

from PySide6.QtCore import QObject, QTimer

from inspector.ui.bridge import Bridge
from inspector.ui.editors.text import TextEditor
from inspector.ui.editors.text_search import (
    SearchFault,
    TextMatches,
    TextQuery,
    search,
    search_and_replace,
)
from inspector.ui.widgets.find_bar import FindBar
from inspector.ui.wording import tr, tr_count

LOOK_AGAIN_MILLISECONDS = 150
_AT_ONCE = 100_000
"""Characters up to which words are looked for at every key; patterns never are, where there is another thread."""
_SECONDS_AT_ONCE = 0.1

Then = Callable[[], None]


class Finder(QObject):
    """Connects a find bar with its editor. Without a bridge it stops at what can be found at once."""

    def __init__(self, editor: TextEditor, bar: FindBar, bridge: Bridge | None, parent: QObject) -> None:
        super().__init__(parent)
        self._editor, self._bar, self._bridge = editor, bar, bridge
        self._result = TextMatches(TextQuery(""))
        self._of = self._text = ""
        """What the result is of, and what is searched now."""
        self._then: Then | None = None
        self._keeps_note = False
        self._again = QTimer(self, singleShot=True, interval=LOOK_AGAIN_MILLISECONDS)
        # What waits for a search that this one takes over waits for this one.
        self._again.timeout.connect(lambda: self._look(self._then))
        editor.textChanged.connect(self._text_changed)
        bar.changed.connect(lambda _: self.search())
        bar.stepped.connect(self._step)
        bar.replace_one.connect(self._replace_one)
        bar.replace_all.connect(self._replace_all)
        bar.closed.connect(self._leave)

    def search(self) -> None:
        """Look from where the selection begins, so that more letters stay at the same place."""
        self._keeps_note = False
        self._look(self._go_on)

    @property
    def _query(self) -> TextQuery:
        bar = self._bar
        return TextQuery(bar.words, bar.is_pattern, bar.matches_case, bar.whole_words)

    @property
    def _found(self) -> Sequence[tuple[int, int]]:
        return self._result.found

    def _text_changed(self) -> None:
        if self._bar.isVisible():
            self._again.start()

    def _look(self, then: Then | None = None) -> None:
        """Search, unless the result is still right; then do something with it."""
        self._then = then
        # What this looks at is what a changed text waits for.
        self._again.stop()
        query, text = self._query, self._editor.text
        is_known = self._result.query == query and self._of == text and self._result.fault is None
        self._text = text
        if is_known:
            self._take(self._result)
            return
        if self._is_quick(query, text):
            self._take(search(text, query, _SECONDS_AT_ONCE))
        else:
            self._start(asyncio.to_thread(search, text, query), self._take)

    def _is_quick(self, query: TextQuery, text: str) -> bool:
        return self._bridge is None or (len(text) <= _AT_ONCE and not query.is_pattern)

    def _start(
        self, work: Coroutine[object, object, TextMatches], done: Callable[[TextMatches], None]
    ) -> None:
        if self._bridge is None:
            work.close()
            return
        if not self._keeps_note:
            self._bar.say(tr("Searching …"))
        self._bridge.supersede(("search", self), work, name=tr("Searching the text"), on_done=done)

    def _take(self, result: TextMatches) -> None:
        """Show what was found, unless the text or what is looked for is another by now."""
        if not self._bar.isVisible():
            return
        if result.query != self._query or self._text != self._editor.text:
            self._look(self._then)
            return
        then, self._then = self._then, None
        self._result, self._of = result, self._text
        self._editor.mark_found(result.found)
        self._tell()
        if then is not None:
            then()

    def _go_on(self) -> None:
        start, _ = self._editor.selected_range()
        self._go_to(next((at for at, each in enumerate(self._found) if each[0] >= start), 0))

    def _step(self, by: int) -> None:
        self._keeps_note = False
        self._look(partial(self._go_by, by))

    def _go_by(self, by: int) -> None:
        start, end = self._editor.selected_range()
        if by > 0:
            place = bisect_left(self._found, (end if end > start else start, 0))
            self._go_to(place if place < len(self._found) else 0)
        else:
            self._go_to(bisect_left(self._found, (start, 0)) - 1)

    def _go_to(self, place: int) -> None:
        if self._found:
            self._editor.select_range(*self._found[place])
        self._tell()

    def _replace_one(self) -> None:
        """Replace what is selected if it was found, and go on."""
        self._keeps_note = False
        selected = self._editor.selected_range()
        if selected in self._found and self._of == self._editor.text and not self._editor.isReadOnly():
            self._replace(self._put_one)
        else:
            self._step(1)

    def _replace_all(self) -> None:
        if not self._editor.isReadOnly():
            self._replace(self._put_all)

    def _replace(self, put: Callable[[TextMatches], None]) -> None:
        query, text = self._query, self._editor.text
        self._text = text
        if self._is_quick(query, text):
            put(search_and_replace(text, query, self._bar.replacement, _SECONDS_AT_ONCE))
        else:
            work = asyncio.to_thread(search_and_replace, text, query, self._bar.replacement)
            self._start(work, put)

    def _put_one(self, result: TextMatches) -> None:
        selected = self._editor.selected_range()
        if self._fits(result) and selected in result.found:
            text = result.texts[result.found.index(selected)]
            self._editor.replace_range(selected[0], selected[1] - selected[0], text)
            self._step(1)

    def _put_all(self, result: TextMatches) -> None:
        if self._fits(result):
            count = self._editor.replace_found(result.found, result.texts)
            self._keeps_note = True
            self._look()
            self._bar.say(tr_count("{count} replaced", "{count} replaced", count))

    def _fits(self, result: TextMatches) -> bool:
        """Whether a replacement can be made; where it can't, the bar says why."""
        if result.fault is not None:
            self._say_fault(result)
        elif self._text != self._editor.text:
            self._bar.say(tr("The text changed. Try again."), fault=True)
        return result.fault is None and self._text == self._editor.text

    def _tell(self) -> None:
        if self._result.fault is not None:
            self._say_fault(self._result)
        elif not self._keeps_note:
            here = self._editor.selected_range()
            place = bisect_left(self._found, here)
            is_there = place < len(self._found) and self._found[place] == here
            self._bar.tell(place if is_there else -1, len(self._found), more=self._result.is_cut)

    def _say_fault(self, result: TextMatches) -> None:
        words = {
            SearchFault.PATTERN: tr("Invalid pattern: {why}", why=result.why),
            SearchFault.REPLACEMENT: tr("Invalid replacement: {why}", why=result.why),
            SearchFault.SLOW: tr("Stopped: this pattern takes too long"),
        }
        if result.fault is not None:
            self._bar.say(words[result.fault], fault=True)

    def _leave(self) -> None:
        if self._bridge is not None:
            self._bridge.cancel(("search", self))
        self._result, self._of = TextMatches(TextQuery("")), ""
        self._editor.mark_found(())
        self._editor.setFocus()
