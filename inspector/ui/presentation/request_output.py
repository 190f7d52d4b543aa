"""Writes the Request that is shown in other forms: for the clipboard, and as a provider is sent it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from inspector.domain.errors import InspectorError
from inspector.domain.exchange import RequestExport, RequestFormat
from inspector.domain.requests import Request
from inspector.domain.snapshot import Snapshot
from inspector.domain.wire.values import WireForm
from inspector.runtime.session import FileSession
from inspector.ui.bridge import Bridge, is_gone
from inspector.ui.exact_text import copy_text
from inspector.ui.file_state import LiveFile
from inspector.ui.presentation.wire_text import WireText, wire_text
from inspector.ui.wording import tr, tr_count


class RequestOutput:
    """Works in worker threads, on what the Request was built from."""

    def __init__(self, bridge: Bridge, live: LiveFile) -> None:
        self._bridge = bridge
        self._live = live

    def snapshot(self, request: Request) -> Snapshot | None:
        """What a Request was built from, None where that is gone."""
        session = self._live.session
        return None if session is None else session.engine.context.snapshot_of(request)

    def show(
        self,
        request: Request,
        form: WireForm,
        on_done: Callable[[WireText], None],
        on_failed: Callable[[WireForm, InspectorError], None],
    ) -> None:
        """Write a Request for a provider; a newer wish takes the place of one that is not done."""

        def failed(error: BaseException) -> bool:
            if isinstance(error, InspectorError) and not is_gone(on_failed):
                on_failed(form, error)
                return True
            return False

        session, snapshot = self._live.session, self.snapshot(request)
        if session is None or snapshot is None:
            return
        work = asyncio.to_thread(_wire, session, (request, snapshot), form)
        name = tr("Writing the Request for {form}", form=form_name(form))
        self._bridge.supersede(("request wire", self), work, name=name, on_done=on_done, on_error=failed)

    def copy(self, request: Request, wish: RequestFormat, form: WireForm | None) -> None:
        """Copy a Request. JSON is the provider's where a form is given, else the program's own."""
        session, snapshot = self._live.session, self.snapshot(request)
        if session is None or snapshot is None:
            return
        work = asyncio.to_thread(_written, session, (request, snapshot), wish, form)
        key = ("request copy", self)
        self._bridge.supersede(key, work, name=tr("Copying the Request"), on_done=self.copy_text)

    def copy_text(self, text: str) -> None:
        """Copy a text and say so."""
        copy_text(text)
        self.note_copied(text)

    def note_copied(self, text: str) -> None:
        """Say that a text was copied."""
        sentence = tr_count("Copied {count} character", "Copied {count} characters", len(text))
        self._bridge.noticed.emit(sentence)


def form_name(form: WireForm) -> str:
    """A provider's form as people call it."""
    names = {WireForm.ANTHROPIC: "Anthropic", WireForm.OPENAI: "OpenAI", WireForm.GEMINI: "Gemini"}
    return names.get(form, form.value)


def _wire(session: FileSession, built: tuple[Request, Snapshot], form: WireForm) -> WireText:
    request, snapshot = built
    return wire_text(request, session.engine.wire.request(request, snapshot, form))


def _written(
    session: FileSession, built: tuple[Request, Snapshot], wish: RequestFormat, form: WireForm | None
) -> str:
    request, snapshot = built
    service = session.engine.wire
    if wish is RequestFormat.CURL and form is None:
        form = service.usual_form(request) or WireForm.OPENAI
    wire = None if form is None else service.request(request, snapshot, form)
    return service.export(request, snapshot, RequestExport(wish), wire).text
