"""The search panel: one query over everything in the file, a list of hits that stays, and F4 from hit to hit."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from inspector.domain.errors import InputError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search import SentOnce, SentText
from inspector.runtime.session import FileSession
from inspector.ui.actions import Action
from inspector.ui.file_state import What
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.safe_text import one_line
from inspector.ui.search.found_list import FoundList
from inspector.ui.search.opening import HitOpener, Named, find_named
from inspector.ui.search.page import SearchPage
from inspector.ui.search.words import sent_words
from inspector.ui.widgets.controls import arrange
from inspector.ui.widgets.request_view import RequestView
from inspector.ui.wording import tr, tr_error

_WIDE_STEPS, _HIGH_STEPS = 200, 60
_ASKED_LENGTH = 60


@runtime_checkable
class _SelectsText(Protocol):
    """An editor of text. Its module is loaded after the first Request is painted."""

    def selected_text(self) -> str: ...


class SearchPanel(Panel):
    """A dock. The arrow keys select hits, Enter opens one, F4 and Shift+F4 go on from anywhere."""

    def __init__(self, services: PanelServices, _ref: Ref | None = None) -> None:
        super().__init__(services)
        self.found = FoundList(services.bridge, services.workspace.live, self)
        self.page = SearchPage(services, self.found, self._ask_sent)
        self.opener = HitOpener(services, self)
        self._is_stepping = False
        arrange(QVBoxLayout(self), self.page)
        self.page.field.returnPressed.connect(self._enter)
        self.page.field.pasted.connect(self._go_to_pasted)
        self.page.table.entered.connect(self._open)
        self.page.sent.opened.connect(self._open_sent)
        self.found.moved.connect(self._select)
        self.found.changed.connect(lambda: services.actions.refresh())
        services.actions.add(*self._actions())

    def follow(self, what: What) -> None:
        """Another file: nothing of the last one stays."""
        if what & What.FILE:
            self.page.field.clear()
            self.found.search("")
            self.page.show_sent(None)
        elif what & What.AGENTS:
            self.page.show_found()

    def first_focus(self) -> QWidget:
        return self.page.field

    def sizeHint(self) -> QSize:
        """Wide: beside another panel it gets its part by what each would like to have."""
        space = self.services.appearance.space
        return QSize(space(_WIDE_STEPS), space(_HIGH_STEPS))

    def look_for(self, text: str) -> None:
        """Look for a text, with the keyboard in the field."""
        focused = QApplication.focusWidget()
        if not self.isVisible() or focused is None or not self.isAncestorOf(focused):
            self.services.actions.run("view.search")
        self.page.type(text)
        self.page.field.setFocus()

    def _actions(self) -> tuple[Action, ...]:
        return (
            Action("search.next", tr("Next search hit"), lambda: self._step(1), "F4", "", self._no_hits),
            Action(
                "search.previous",
                tr("Previous search hit"),
                lambda: self._step(-1),
                "Shift+F4",
                why_not=self._no_hits,
            ),
            Action(
                "search.selection",
                tr("Search everywhere for the selected text"),
                self._search_selection,
                None,
                "search",
                self._no_file,
            ),
            Action(
                "search.sent",
                tr("In which Requests was this text?"),
                self._ask_sent,
                None,
                "send",
                self._no_file,
            ),
        )

    def _no_file(self) -> str:
        return "" if self.services.workspace.file.path else tr("no file is open")

    def _no_hits(self) -> str:
        return "" if self.found.rows else tr("nothing was found in Search")

    def _step(self, by: int) -> None:
        """Go to the next hit and open it; if its page is being read, once that is there."""
        self._is_stepping = True
        is_there = self.found.step(by)
        if is_there and self._is_stepping:
            # The only hit there is was the current one before.
            self._open()

    def _select(self) -> None:
        """A hit that was stepped to is opened; one that the arrow keys came to is only selected."""
        hit = self.found.hit
        if self._is_stepping:
            self._open()
        elif hit is not None and self.page.table.hasFocus():
            self.services.selection.select(hit.ref)

    def _enter(self) -> None:
        if self.found.named is not None:
            self.go_to_id(self.page.field.text())
        else:
            self._step(1)

    def _open(self) -> None:
        self._is_stepping = False
        hit = self.found.hit
        if hit is not None:
            self.opener.open(hit)

    def go_to_id(self, text: str) -> None:
        """Open the thing whose id a text is; say so if nothing has it."""
        self._find_named(text, self._take_named)

    def _go_to_pasted(self, text: str) -> None:
        """Open the thing whose id was pasted; any other text is a search like others."""
        self._find_named(text, self._take_pasted)

    def _find_named(self, text: str, then: Callable[[Named | None], None]) -> None:
        session = self.services.workspace.live.session
        if session is not None:
            work = find_named(session, text)
            self.services.bridge.supersede(("named", self), work, name=tr("Searching"), on_done=then)

    def _take_pasted(self, found: Named | None) -> None:
        if found is not None:
            self.opener.open_named(found)

    def _take_named(self, found: Named | None) -> None:
        self._take_pasted(found)
        if found is None:
            self.services.bridge.noticed.emit(tr("Nothing in this file has that id."))

    def _search_selection(self) -> None:
        words = _chosen_words()
        if words:
            text = " ".join(words.replace('"', " ").split())
            self.look_for(f'"{text}"')
        else:
            self.services.bridge.noticed.emit(tr("Select a text first."))

    def _ask_sent(self) -> None:
        """Say in which Requests the selected text was sent, else the words looked for, else the current hit."""
        session, words = self.services.workspace.live.session, _chosen_words()
        if session is None:
            return
        if self.page.isAncestorOf(QApplication.focusWidget() or self.page):
            words = ""
        self.services.bridge.supersede(
            ("sent", self),
            _sent(session, words, self.found, self.services.workspace.now()),
            name=tr("Searching the sent Requests"),
            on_done=self._take_sent,
            on_error=self._say_fault,
        )

    def _take_sent(self, asked: tuple[SentText, str] | None) -> None:
        if asked is None:
            self.services.bridge.noticed.emit(tr("Type or select a text, or select a hit first."))
            return
        found, what = asked
        self.page.show_sent(found, what)
        if not self.isVisible():
            self.services.bridge.noticed.emit(sent_words(found, what, self.services.workspace.now()))

    def _say_fault(self, error: BaseException) -> bool:
        """Say why a text can't be looked for."""
        if isinstance(error, InputError):
            self.services.bridge.noticed.emit(tr_error(error))
        return isinstance(error, InputError)

    def _open_sent(self, once: SentOnce) -> None:
        self.opener.open_ref(Ref(RefKind.RUN, once.run_id), once.agent_id)


async def _sent(
    session: FileSession, words: str, listed: FoundList, now: datetime
) -> tuple[SentText, str] | None:
    """In which Requests a text was, else the words that are looked for, else a hit, with the name of that."""
    hit = listed.hit
    found = await session.engine.search.sent(words) if words else None
    if found is None and listed.text.strip():
        found = await session.engine.search.sent_words(listed.text, now)
    if found is not None:
        return found, tr("“{text}”", text=one_line(found.looked_for, _ASKED_LENGTH))
    if hit is None:
        return None
    name = hit.title.text or hit.snippet.text
    return await session.engine.search.sent_with(hit.ref), one_line(name, _ASKED_LENGTH)


def _chosen_words() -> str:
    """The text that is selected where the keyboard is."""
    focused = QApplication.focusWidget()
    if isinstance(focused, _SelectsText):
        return focused.selected_text()
    return focused.chosen_text if isinstance(focused, RequestView) else ""
