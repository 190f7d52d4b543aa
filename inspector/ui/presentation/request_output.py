"""Writes the Request that is shown in other forms: for the clipboard, and as a provider is sent it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from inspector.domain.errors import InspectorError, Parameters
from inspector.domain.exchange import RequestExport, RequestFormat, WrittenRequest
from inspector.domain.requests import Request
from inspector.domain.snapshot import Snapshot
from inspector.domain.wire.values import WireForm
from inspector.runtime.session import FileSession
from inspector.ui.bridge import Bridge, is_gone
from inspector.ui.exact_text import copy_text
from inspector.ui.file_state import LiveFile
from inspector.ui.presentation.wire_text import WireText, wire_text
from inspector.ui.wording import tr, tr_code, tr_count


class RequestOutput:
    """Works in worker threads, on what the Request was built from.

    `of_past` gives what a Request of the past was built from. `marks_cache` says whether a provider's JSON marks where
    the cached prefixes end.
    """

    def __init__(
        self,
        bridge: Bridge,
        live: LiveFile,
        of_past: Callable[[Request], Snapshot | None] = lambda _: None,
        marks_cache: Callable[[], bool] = lambda: False,
    ) -> None:
        self._bridge = bridge
        self._live = live
        self._of_past = of_past
        self._marks_cache = marks_cache

    def snapshot(self, request: Request) -> Snapshot | None:
        """What a Request was built from, None where that is gone, and for one that was sent."""
        session = self._live.session
        return (
            None if session is None else self._of_past(request) or session.engine.context.snapshot_of(request)
        )

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
        work = asyncio.to_thread(_wire, session, (request, snapshot), form, cached=self._marks_cache())
        name = tr("Writing the Request for {form}", form=form_name(form))
        self._bridge.supersede(("request wire", self), work, name=name, on_done=on_done, on_error=failed)

    def copy(self, request: Request, wish: RequestFormat, form: WireForm | None) -> None:
        """Copy a Request. JSON is the provider's where a form is given, else the program's own."""
        session, snapshot = self._live.session, self.snapshot(request)
        if session is None or snapshot is None:
            return
        built = request, snapshot
        work = asyncio.to_thread(_written, session, built, wish, form, cached=self._marks_cache())
        key = ("request copy", self)
        name = tr("Copying the Request")
        self._bridge.supersede(key, work, name=name, on_done=lambda made: self.copy_text(made.text))

    def save(self, request: Request, wish: RequestFormat, form: WireForm | None, path: Path) -> None:
        """Write a Request to a new file, as `copy` has it, and say so."""
        session, snapshot = self._live.session, self.snapshot(request)
        if session is None or snapshot is None:
            return

        built, cached = (request, snapshot), self._marks_cache()

        async def place() -> WrittenRequest:
            made = await asyncio.to_thread(_written, session, built, wish, form, cached=cached)
            await session.engine.exchange.place_text(path, made.text)
            return made

        def done(made: WrittenRequest) -> None:
            facts: Parameters = {
                "path": str(path),
                "size": len(made.text.encode()),
                "redacted": made.redacted,
            }
            is_report = wish in (RequestFormat.REPORT, RequestFormat.REPORT_MARKDOWN)
            self._bridge.noticed.emit(tr_code(f"told.{'report' if is_report else 'request'}_written", facts))

        self._bridge.spawn(place(), name=tr("Saving the Request"), on_done=done)

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
    names = {
        WireForm.ANTHROPIC: "Anthropic",
        WireForm.OPENAI: "OpenAI",
        WireForm.OPENAI_RESPONSES: "OpenAI Responses",
        WireForm.GEMINI: "Gemini",
        WireForm.OLLAMA: "Ollama",
    }
    return names.get(form, form.value)


def _wire(session: FileSession, built: tuple[Request, Snapshot], form: WireForm, *, cached: bool) -> WireText:
    request, snapshot = built
    return wire_text(request, session.engine.wire.request(request, snapshot, form, cached=cached))


def _written(
    session: FileSession,
    built: tuple[Request, Snapshot],
    wish: RequestFormat,
    form: WireForm | None,
    *,
    cached: bool,
) -> WrittenRequest:
    request, snapshot = built
    service = session.engine.wire
    if wish in (RequestFormat.CURL, RequestFormat.POWERSHELL) and form is None:
        form = service.usual_form(request) or WireForm.OPENAI
    wire = None if form is None else service.request(request, snapshot, form, cached=cached)
    return service.export(request, snapshot, RequestExport(wish), wire)
