"""The approvals panel: what agents ask a person for, what it would change, the answers, and what holds for good."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.domain.consent import ConsentGrant, ConsentRequest, ConsentState
from inspector.domain.ref import Ref, RefKind
from inspector.ui.actions import SEPARATOR, Action
from inspector.ui.approvals.answer_bar import TURN, AnswerBar
from inspector.ui.approvals.answering import Answering
from inspector.ui.approvals.reader import ApprovalReader, ProposedEdit
from inspector.ui.approvals.words import browser_words, effect_text, warnings_of
from inspector.ui.editors.page_part import PagePart
from inspector.ui.editors.record_browser import RecordBrowser
from inspector.ui.file_state import What
from inspector.ui.history.difference_view import DifferenceView
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.presentation.approvals import (
    ALL,
    STANDING,
    WAITING,
    empty_texts,
    facts_text,
    fits,
    grant_row,
    grant_state,
    grant_text,
    listed_keys,
    request_row,
    state_text,
    wish_text,
)
from inspector.ui.safe_text import safe_tooltip
from inspector.ui.search.opening import HitOpener
from inspector.ui.widgets.agent_filter import AgentFilter
from inspector.ui.widgets.controls import button
from inspector.ui.widgets.record_rows import RecordRow
from inspector.ui.wording import tr, tr_count

_LIST = "consent"
_MENU = (
    "consent.allow",
    "consent.edit",
    "consent.answer",
    "consent.ignore",
    SEPARATOR,
    "consent.block",
    "consent.revoke",
)


class ApprovalsPanel(Panel):
    """A centre tab. Its list is of requests, or of the approvals that stand."""

    def __init__(self, services: PanelServices, _ref: Ref | None = None) -> None:
        super().__init__(services)
        self.reader = ApprovalReader(services, self)
        self._answering = Answering(services, self.reader.refresh)
        self._opener = HitOpener(services, self)
        self.browser = RecordBrowser(
            services.appearance, services.icons, self._row, lambda _: False, browser_words()
        )
        self.agents = AgentFilter()
        self.answers = AnswerBar()
        names = tr("Difference to now"), tr("The block now"), tr("The block with this edit")
        self.difference = DifferenceView(services.appearance, names)
        self._proposal: ProposedEdit | None = None
        self._awaited: Ref | None = None
        self.edit_button = button(tr("Edit first"), self._edit)
        self.revoke_button = button(tr("Revoke"), self._revoke)
        self.act(*self._actions())
        page = self.browser.page
        page.add_buttons(self.edit_button, self.revoke_button)
        page.below.addWidget(self.answers)
        self.browser.add_to_bar(self.agents)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.browser)
        self._connect()

    def first_focus(self) -> QWidget:
        return self.browser.table

    def views_to_draw(self) -> Iterator[str]:
        """The last request that waits, and what stands."""
        self.browser.select_last()
        yield "reading"
        self.browser.set_filter(STANDING)
        yield "standing"
        self.browser.set_filter(WAITING)

    def follow(self, what: What) -> None:
        """List again when another file is open."""
        if what & What.FILE:
            self._answering.forget()
        if what & (What.FILE | What.AGENTS):
            file = self.services.workspace.file
            self.agents.show_agents([(each.id, each.name) for each in file.agents])
            self.reader.refresh()
        if what & (What.FILE | What.PROBLEMS | What.DRAFTS):
            self._tell()

    def came(self) -> None:
        self.reader.resume()

    def went(self) -> None:
        self.reader.pause()

    def _actions(self) -> tuple[Action, ...]:
        table, waits = self.browser.table, self._not_waiting
        return (
            Action(
                "consent.allow",
                tr("Allow the request"),
                self._allow,
                "Ctrl+Shift+Return",
                "ok",
                self._not_allowable,
            ),
            Action(
                "consent.edit", tr("Edit, then allow"), self._edit, "Ctrl+E", "rename", self._not_editable
            ),
            Action("consent.answer", tr("Answer in words"), self._go_to_words, None, "message", waits),
            Action(
                "consent.ignore", tr("Ignore the request"), self._ignore, "Del", "close", waits, scope=table
            ),
            Action(
                "consent.block", tr("Go to the block"), self._open_block, None, "open", self._not_of_block
            ),
            Action(
                "consent.revoke",
                tr("Revoke the standing approval"),
                self._revoke,
                None,
                "delete",
                self._not_revocable,
            ),
            Action("edit.find", tr("Filter approvals"), self.browser.find_words, "Ctrl+F", "search"),
        )

    def _connect(self) -> None:
        browser, answers, services = self.browser, self.answers, self.services
        browser.filtered.connect(self._fill)
        self.agents.currentIndexChanged.connect(lambda _: self._fill())
        browser.moved.connect(self._show)
        browser.table.entered.connect(self._enter)
        self.offer_menu(browser.table, _MENU)
        answers.allowed.connect(self._allow)
        answers.ignored.connect(self._ignore)
        answers.answered.connect(self._say)
        answers.scopes.currentIndexChanged.connect(lambda _: self._show())
        self.reader.changed.connect(self._fill)
        self.follow_selection()
        self._fill()
        self.follow(What.EVERYTHING)
        self.reveal(services.selection.ref, opened=True)

    def _fill(self) -> None:
        """List what the filters let through."""
        listed, state = self.reader.list, self.browser.state
        now, words = self.services.workspace.now(), self.browser.words_field.text().casefold().split()
        keys = listed_keys(listed, state, self.agents.agent_id, now)
        keys = [each for each in keys if fits(self._row(each), words)]
        self.browser.set_keys(keys)
        self._say_count(len(keys))
        if self._awaited is not None and self.reader.is_read:
            awaited, self._awaited = self._awaited, None
            self._go_to(awaited)
        self._show()

    def _say_count(self, count: int) -> None:
        listed, state = self.reader.list, self.browser.state
        text = tr_count("{count} listed", "{count} listed", count)
        if listed.unreadable:
            text += " · " + tr_count("{count} unreadable", "{count} unreadable", listed.unreadable)
        self.browser.count_note.setText(text)
        waiting = sum(each.state is ConsentState.PENDING for each in listed.requests.values())
        self.set_heading(tr("Approvals"), marked=bool(waiting))
        self.browser.empty.tell(*empty_texts(state, is_read=self.reader.is_read))

    def _row(self, key: str) -> RecordRow:
        listed, now = self.reader.list, self.services.workspace.now()
        request = listed.requests.get(key)
        if request is not None:
            return request_row(request, listed, now)
        grant = listed.grants.get(key)
        return RecordRow("") if grant is None else grant_row(grant, listed, now)

    @property
    def _request(self) -> ConsentRequest | None:
        return self.reader.list.requests.get(self.browser.key or "")

    @property
    def _grant(self) -> ConsentGrant | None:
        return self.reader.list.grants.get(self.browser.key or "")

    def _show(self) -> None:
        """Show the current row: a request with its difference, or a standing approval."""
        request, grant, page = self._request, self._grant, self.browser.page
        key = self.browser.key or ""
        if key != page.shown_key:
            self._proposal = None
            self.answers.begin()
        elif self._proposal is not None and self._proposal.together != self._together_ids(request):
            self._proposal = None
        if request is not None:
            self._show_request(request)
        elif grant is not None:
            self._show_grant(grant)
        else:
            page.show_parts("", "", ())
            page.cover(None)
        self._tell()
        ref = self._ref
        if ref is not None and self.browser.table.hasFocus():
            self.services.selection.select(ref)

    @property
    def _ref(self) -> Ref | None:
        request, grant = self._request, self._grant
        if request is not None:
            return Ref(RefKind.CONSENT, request.id)
        return None if grant is None else Ref(RefKind.GRANT, grant.id)

    def _show_part(self, request: ConsentRequest, part: PagePart) -> None:
        listed = self.reader.list
        title = tr("{agent} asks", agent=listed.agent(request.agent_id))
        note = " · ".join((wish_text(request, listed), state_text(request)))
        self.browser.page.show_parts(title, note, (part,), key=request.id)

    def _show_request(self, request: ConsentRequest) -> None:
        page, found = self.browser.page, self._proposal
        if request.state is ConsentState.PENDING:
            self.answers.offer(len(self.reader.list.of_turn(request)))
            after = found.preview.after if found is not None else tr("Reading …")
            self._show_part(request, PagePart(tr("Result"), after))
            page.cover(self.difference if found is not None else None)
            self.reader.preview(request, self._together_ids(request), self._take)
        else:
            self._show_part(request, PagePart(tr("Request"), facts_text(request, self._now)))
            page.cover(None)

    def _together(self, request: ConsentRequest) -> tuple[ConsentRequest, ...]:
        """The requests that allowing one allows, in the order in which they were asked."""
        if self.answers.scope != TURN or self._is_drafted(request):
            return (request,)
        return tuple(each for each in self.reader.list.of_turn(request) if not self._is_drafted(each))

    def _together_ids(self, request: ConsentRequest | None) -> tuple[str, ...]:
        return () if request is None else tuple(each.id for each in self._together(request))

    @property
    def _now(self) -> Any:
        return self.services.workspace.now()

    def _show_grant(self, grant: ConsentGrant) -> None:
        listed, page = self.reader.list, self.browser.page
        text = f"{grant_text(grant, listed)}.\n{grant_state(grant, self._now)}"
        part = PagePart(tr("Standing approval"), text)
        page.show_parts(listed.agent(grant.agent_id), tr("standing approval"), (part,), key=grant.id)
        page.cover(None)

    def _take(self, proposal: ProposedEdit) -> None:
        request = self._request
        if request is None or proposal.preview.request.id != request.id:
            return
        if proposal.together != self._together_ids(request):
            return
        is_other, self._proposal = proposal != self._proposal, proposal
        if is_other:
            self._show_part(request, PagePart(tr("Result"), proposal.preview.after))
            self.browser.page.cover(self.difference)
            self.difference.show_difference(proposal.shown)
            self.difference.go_to(0)
        self._tell()

    def _say_effect(self) -> None:
        """Say what allowing does to the figures, and what stands in its way."""
        request, proposal, effect, warnings = self._request, self._proposal, "", ""
        waits = request is not None and request.state is ConsentState.PENDING
        facts = ""
        if request is not None and waits:
            facts = facts_text(request, self._now)
            if proposal is not None:
                effect = effect_text(proposal, self._together(request), self.reader.list)
                warnings = warnings_of(proposal)
        self.answers.setVisible(waits)
        self.answers.show_request(facts, effect, waits=waits, why_not=self._not_waiting() if waits else "")
        self.browser.page.tell(warnings)

    def _tell(self) -> None:
        """Say and enable what is so now."""
        self._say_effect()
        request, grant = self._request, self._grant
        waits = request is not None and request.state is ConsentState.PENDING
        for each, is_shown, is_enabled in (
            (self.edit_button, waits, not self._not_editable()),
            (self.revoke_button, grant is not None, not self._not_revocable()),
        ):
            each.setVisible(is_shown)
            each.setEnabled(is_enabled)
        safe_tooltip(self.edit_button, self._not_editable())
        self.answers.allow_button.setEnabled(not self._not_allowable())
        safe_tooltip(self.answers.allow_button, self._not_allowable())
        if self.isVisible():
            self.services.actions.refresh()

    def _not_waiting(self) -> str:
        request = self._request
        if request is None:
            return tr("no request is selected")
        if request.state is not ConsentState.PENDING:
            return tr("the request doesn't wait any more")
        if self._answering.is_sent(request):
            return tr("the answer is being saved")
        proposal = self._proposal
        if proposal is not None and proposal.preview.request.id == request.id and proposal.barred is not None:
            return tr("only the file's partner can answer it")
        return self.not_writable()

    def _not_allowable(self) -> str:
        request = self._request
        if request is not None and self._is_drafted(request):
            # Allowed as it is and saved from the draft, the agent's text would be stored twice.
            return tr("save or discard the draft in its block first")
        why, proposal = self._not_waiting(), self._proposal
        if why or proposal is None:
            # Nobody allows what isn't shown yet.
            return why or tr("the difference is being read")
        return tr("it can't be allowed as it is") if proposal.preview.refusal is not None else ""

    def _not_editable(self) -> str:
        why, proposal = self._not_waiting(), self._proposal
        if why or proposal is None:
            return why or tr("the difference is being read")
        file, request = self.services.workspace.file, proposal.preview.request
        if self._is_drafted(request):
            return ""
        if request.edit.target.id in file.drafts:
            return tr("save or discard the draft in its block first")
        return "" if proposal.content is not None else tr("what it asks for can't be edited, only allowed")

    def _is_drafted(self, request: ConsentRequest) -> bool:
        """Whether a person edits it already, in the block's editor."""
        return Ref(RefKind.CONSENT, request.id) in self.services.workspace.file.answers

    def _not_of_block(self) -> str:
        return "" if self._block_id else tr("no request of a block is selected")

    def _not_revocable(self) -> str:
        grant = self._grant
        if grant is None:
            return tr("no standing approval is selected")
        if not grant.holds_at(self._now):
            return tr("it has ended")
        return self.not_writable()

    @property
    def _block_id(self) -> str | None:
        request, grant = self._request, self._grant
        return (
            request.edit.target.id if request is not None else grant.block_id if grant is not None else None
        )

    def _allow(self) -> None:
        request = self._request
        if request is None or self._not_allowable():
            return
        self._answering.allow(self._together(request), self.answers.scope)

    def _edit(self) -> None:
        request, proposal = self._request, self._proposal
        if request is None or proposal is None or self._not_editable():
            return
        if proposal.content is None:
            self._open_block()
        else:
            self._answering.edit_first(proposal.preview.request, proposal.content, self.answers.scope)

    def _go_to_words(self) -> None:
        self.answers.words_field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _say(self) -> None:
        request, words = self._request, self.answers.words_field.text().strip()
        if request is not None and words and not self._not_waiting():
            self._answering.say(request, words)

    def _ignore(self) -> None:
        request = self._request
        if request is not None and not self._not_waiting():
            self._answering.ignore(request)

    def _revoke(self) -> None:
        if not self._not_revocable() and self._grant is not None:
            self._answering.revoke([self._grant.id])

    def _open_block(self) -> None:
        asked = self._request or self._grant
        if self._block_id and asked is not None:
            self._opener.open_block(self._block_id, asked.agent_id)

    def _enter(self) -> None:
        """Go from the list to the answers."""
        first = self.answers.scopes if self.answers.isVisible() else self.revoke_button
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    def reveal(self, ref: Ref | None, *, opened: bool = False) -> None:
        """Go to a request that was selected elsewhere, or list those of an agent whose list was opened."""
        if ref is None:
            return
        if opened and ref.kind is RefKind.SECTION and ref.part == _LIST:
            self.agents.choose(ref.id)
        elif ref.kind in (RefKind.CONSENT, RefKind.GRANT) and ref.id != self.browser.key:
            if self.reader.is_read:
                self._go_to(ref)
            else:
                self._awaited = ref

    def _go_to(self, ref: Ref) -> None:
        if not self.browser.select(ref.id):
            self.agents.choose("")
            self.browser.set_filter(STANDING if ref.kind is RefKind.GRANT else ALL)
            self.browser.select(ref.id)
