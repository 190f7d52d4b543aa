"""The queue panel: messages that wait for agents, what failed of them, and wakeups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.domain.changes import Change
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import DeleteRow
from inspector.domain.edits.rows import SetQueueState
from inspector.domain.records import QueuedMessage, QueueState, Wakeup
from inspector.domain.ref import Ref, RefKind
from inspector.ui.actions import Action
from inspector.ui.editors.page_part import PagePart
from inspector.ui.editors.record_browser import BrowserWords, RecordBrowser
from inspector.ui.file_state import What
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.presentation.queue import (
    ORDER,
    WAKEUP,
    QueueList,
    every_text,
    heading_text,
    message_facts,
    message_row,
    read_queue,
    state_text,
    wakeup_row,
)
from inspector.ui.safe_text import PlainLabel, safe_tooltip
from inspector.ui.widgets.agent_filter import AgentFilter
from inspector.ui.widgets.controls import button
from inspector.ui.widgets.record_rows import RecordRow
from inspector.ui.wording import moment, tr, tr_count

_LIST = "queue"
_MENU = ("queue.retry", "queue.bury", "queue.cancel_wakeup")
_SOON_MILLISECONDS = 60
_ALL = "all"
_KINDS = frozenset({RefKind.QUEUE, RefKind.WAKEUP, RefKind.FILE, RefKind.AGENT})
_RETRIED = frozenset({QueueState.FAILED, QueueState.DEAD, QueueState.RUNNING})
_BURIED = frozenset({QueueState.FAILED, QueueState.PENDING, QueueState.RUNNING})
_Key = tuple[str, str]
"""The kind of a row (a state, or wakeup) and its id; a heading has no id."""


class QueuePanel(Panel):
    """A centre tab. It lists by state, what needs a person first."""

    def __init__(self, services: PanelServices, _ref: Ref | None = None) -> None:
        super().__init__(services)
        self._list = QueueList()
        self._counts: dict[str, int] = {}
        self._is_read = self._is_hidden = False
        self._awaited: tuple[Ref, bool] | None = None
        self.browser = RecordBrowser(services.appearance, services.icons, self._row, _is_heading, _words())
        self.agents = AgentFilter()
        self.facts = PlainLabel("", tone="muted", wrap=True)
        self.retry_button = button(tr("Retry"), self._retry)
        self.bury_button = button(tr("Move to dead letters"), self._bury)
        self.cancel_button = button(tr("Cancel wakeup"), self._cancel)
        self.act(*self._actions())
        page = self.browser.page
        page.add_buttons(self.retry_button, self.bury_button, self.cancel_button)
        page.below.addWidget(self.facts)
        self.browser.add_to_bar(self.agents)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.browser)
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MILLISECONDS)
        self._soon.timeout.connect(self._read)
        self._connect()

    def first_focus(self) -> QWidget:
        return self.browser.table

    def views_to_draw(self) -> Iterator[str]:
        """The first message, to read."""
        first = next((each for each in self.browser.model.keys if not _is_heading(each)), None)
        if first is not None:
            self.browser.select(first)
        yield "reading"

    def follow(self, what: What) -> None:
        """List again when another file is open."""
        if what & (What.FILE | What.AGENTS):
            file = self.services.workspace.file
            self.agents.show_agents([(each.id, each.name) for each in file.agents])
            self._soon.start()
        if what & (What.FILE | What.PROBLEMS):
            self._tell()

    def came(self) -> None:
        self._is_hidden = False
        self._soon.start()

    def went(self) -> None:
        self._is_hidden = True

    def _actions(self) -> tuple[Action, ...]:
        table = self.browser.table
        return (
            Action(
                "queue.retry",
                tr("Try the message again"),
                self._retry,
                None,
                "refresh",
                self._not_retried,
                words=tr("retry"),
            ),
            Action(
                "queue.bury",
                tr("Move the message to the dead letters"),
                self._bury,
                "Del",
                "archive",
                self._not_buried,
                scope=table,
            ),
            Action(
                "queue.cancel_wakeup", tr("Cancel the wakeup"), self._cancel, None, "delete", self._not_wakeup
            ),
            Action("edit.find", tr("Filter the queue"), self.browser.find_words, "Ctrl+F", "search"),
        )

    def _connect(self) -> None:
        browser, selection = self.browser, self.services.selection
        browser.filtered.connect(self._fill)
        self.agents.currentIndexChanged.connect(lambda _: self._fill())
        browser.moved.connect(self._show)
        browser.table.entered.connect(browser.enter_page)
        self.offer_menu(browser.table, _MENU)
        self.services.bridge.changed.connect(self._note)
        self.follow_selection()
        self._fill()
        self.follow(What.EVERYTHING)
        self.reveal(selection.ref, opened=True)

    def _note(self, news: object) -> None:
        if isinstance(news, Change) and news.ref.kind in _KINDS:
            self._soon.start()

    def _read(self) -> None:
        session = self.services.workspace.live.session
        if session is None:
            self._take(QueueList())
        elif not self._is_hidden:
            self.services.bridge.supersede(
                ("queue", self), read_queue(session), name=tr("Reading the queue"), on_done=self._take
            )

    def _take(self, listed: QueueList) -> None:
        self._list, self._is_read = listed, True
        self._fill()

    def _fill(self) -> None:
        """List what the filters let through, by state."""
        wanted, words = self.browser.state, self.browser.words_field.text().casefold().split()
        found: dict[str, list[_Key]] = {kind: [] for kind in (*(each.value for each in ORDER), WAKEUP)}
        for message in self._list.messages.values():
            found[message.state.value].append((message.state.value, message.id))
        found[WAKEUP] = [(WAKEUP, each) for each in self._list.wakeups]
        keys: list[_Key] = []
        self._counts = {}
        for kind, rows in found.items():
            fitting = [each for each in rows if wanted in (_ALL, kind) and self._fits(each, words)]
            self._counts[kind] = len(fitting)
            keys += [(kind, ""), *fitting] if fitting else []
        self.browser.set_keys(keys)
        self._say_count()
        if self._awaited is not None and self._is_read:
            (ref, opened), self._awaited = self._awaited, None
            self._go_to(ref, opened=opened)
        self._show()

    def _fits(self, key: _Key, words: Sequence[str]) -> bool:
        kind, id_ = key
        found = (
            self._list.wakeups[id_].agent_id if kind == WAKEUP else self._list.messages[id_].target_agent_id
        )
        if self.agents.agent_id not in ("", found):
            return False
        if not words:
            return True
        row = self._row(key)
        text = f"{row.lead} {row.text} {row.note} {row.tip}".casefold()
        return all(each in text for each in words)

    def _say_count(self) -> None:
        text = tr_count("{count} listed", "{count} listed", sum(self._counts.values()))
        if self._list.unreadable:
            text += " · " + tr_count("{count} unreadable", "{count} unreadable", self._list.unreadable)
        self.browser.count_note.setText(text)
        is_any = bool(self._list.messages or self._list.wakeups)
        if not self._is_read:
            self.browser.empty.tell(tr("Reading the queue …"))
        elif is_any:
            self.browser.empty.tell(
                tr("Nothing matches"), tr("Choose all states and all agents to list the rest.")
            )
        else:
            self.browser.empty.tell(
                tr("The queue is empty"),
                tr("Messages that wait for an agent, and times at which one wakes, appear here."),
            )

    def _row(self, key: _Key) -> RecordRow:
        kind, id_ = key
        if not id_:
            count = tr_count("{count} row", "{count} rows", self._counts.get(kind, 0))
            return RecordRow(f"{heading_text(kind)} · {count}", heading=True)
        now = self.services.workspace.now()
        if kind == WAKEUP:
            return wakeup_row(self._list.wakeups[id_], self._list, now)
        return message_row(self._list.messages[id_], self._list, now)

    def _chosen(self, states: frozenset[QueueState]) -> list[QueuedMessage]:
        messages = [self._list.messages.get(id_) for kind, id_ in self.browser.chosen if kind != WAKEUP]
        return [each for each in messages if each is not None and each.state in states]

    @property
    def _wakeups(self) -> list[Wakeup]:
        return [self._list.wakeups[id_] for kind, id_ in self.browser.chosen if kind == WAKEUP]

    def _show(self) -> None:
        """Show the current message or wakeup."""
        key, page, now = self.browser.key, self.browser.page, self.services.workspace.now()
        self.browser.model.tell_changed()
        kind, id_ = key or ("", "")
        message, wakeup = self._list.messages.get(id_), self._list.wakeups.get(id_)
        ref = None
        self.facts.setText("")
        page.tell("")
        if kind == WAKEUP and wakeup is not None:
            title = tr("Wakeup of {agent}", agent=self._list.agent(wakeup.agent_id))
            page.show_parts(title, every_text(wakeup), (PagePart(tr("Text"), wakeup.content),), key=id_)
            self.facts.setText(tr("Next {when}", when=moment(wakeup.at, now)))
            ref = Ref(RefKind.WAKEUP, id_)
        elif message is not None:
            title = tr("Message to {agent}", agent=self._list.agent(message.target_agent_id))
            page.show_parts(
                title, state_text(message.state), (PagePart(tr("Text"), message.content),), key=id_
            )
            self.facts.setText(message_facts(message, self._list, now))
            ref = Ref(RefKind.QUEUE, id_)
        else:
            page.show_parts("", "", ())
        page.set_editing(False)
        if message is not None and message.last_error and kind != WAKEUP:
            page.tell(tr("Last error: {error}", error=message.last_error))
        self._tell()
        if ref is not None and self.browser.table.hasFocus():
            self.services.selection.select(ref)

    def _tell(self) -> None:
        kind = (self.browser.key or ("", ""))[0]
        is_message = bool(kind) and kind != WAKEUP
        for each, is_shown, why_not in (
            (self.retry_button, is_message, self._not_retried()),
            (self.bury_button, is_message, self._not_buried()),
            (self.cancel_button, kind == WAKEUP, self._not_wakeup()),
        ):
            each.setVisible(is_shown)
            each.setEnabled(not why_not)
            safe_tooltip(each, why_not)
        if self.isVisible():
            self.services.actions.refresh()

    def _not_retried(self) -> str:
        return self.not_writable() or (
            "" if self._chosen(_RETRIED) else tr("select a message that failed or is a dead letter")
        )

    def _not_buried(self) -> str:
        return self.not_writable() or (
            "" if self._chosen(_BURIED) else tr("select a message that still waits or failed")
        )

    def _not_wakeup(self) -> str:
        return self.not_writable() or ("" if self._wakeups else tr("no wakeup is selected"))

    def _retry(self) -> None:
        text = tr_count(
            "Message will be retried.", "{count} messages will be retried.", len(self._chosen(_RETRIED))
        )
        self._move(self._chosen(_RETRIED), QueueState.PENDING, text)

    def _bury(self) -> None:
        count = len(self._chosen(_BURIED))
        text = tr_count("Moved to the dead letters.", "{count} messages moved to the dead letters.", count)
        self._move(self._chosen(_BURIED), QueueState.DEAD, text)

    def _move(self, messages: Sequence[QueuedMessage], state: QueueState, text: str) -> None:
        edits = [Edit(Ref(RefKind.QUEUE, each.id), SetQueueState(state)) for each in messages]
        if edits and not self.not_writable():
            # A message that moves stands under another heading, where its row is found again.
            target = edits[0].target

            def moved(_: object) -> None:
                self._awaited = target, False

            self.services.workspace.apply(edits, text=text, on_done=moved)

    def _cancel(self) -> None:
        edits = [Edit(Ref(RefKind.WAKEUP, each.id), DeleteRow()) for each in self._wakeups]
        if edits and not self.not_writable():
            text = tr_count("Wakeup cancelled.", "{count} wakeups cancelled.", len(edits))
            self.services.workspace.apply(edits, text=text)

    def reveal(self, ref: Ref | None, *, opened: bool = False) -> None:
        """Go to what was selected elsewhere, or list what is of an agent whose list was opened."""
        if ref is None:
            return
        if opened and ref.kind is RefKind.SECTION and ref.part == _LIST:
            self.agents.choose(ref.id)
        elif ref.kind in (RefKind.QUEUE, RefKind.WAKEUP) and ref.id != (self.browser.key or ("", ""))[1]:
            if self._is_read:
                self._go_to(ref, opened=opened)
            else:
                self._awaited = ref, opened

    def _go_to(self, ref: Ref, *, opened: bool) -> None:
        """Make a row current; what was opened is listed even if a filter keeps it back."""
        message = self._list.messages.get(ref.id)
        kind = WAKEUP if ref.kind is RefKind.WAKEUP else message.state.value if message is not None else ""
        if not self.browser.select((kind, ref.id)) and opened:
            self.agents.choose("")
            self.browser.set_filter(_ALL)
            self.browser.select((kind, ref.id))


def _is_heading(key: Any) -> bool:
    return not str(key[1])


def _words() -> BrowserWords:
    return BrowserWords(
        tr("Queue"),
        tr("Filter the queue"),
        (
            (_ALL, tr("All states")),
            *((each.value, heading_text(each.value)) for each in ORDER),
            (WAKEUP, heading_text(WAKEUP)),
        ),
        tr("Queued message"),
        tr("Select a message or wakeup to read it"),
    )
