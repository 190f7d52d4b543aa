"""The actions that copy the Request, or a part of it, in one form or another."""

from __future__ import annotations

from collections.abc import Callable

from inspector.domain.exchange import RequestFormat
from inspector.domain.requests import Piece, Request
from inspector.domain.wire.values import WireForm
from inspector.ui.actions import SEPARATOR, Action
from inspector.ui.presentation.request_output import RequestOutput
from inspector.ui.widgets.request_view import RequestView
from inspector.ui.wording import tr

COPY_MENU = (
    "request.copy",
    "request.copy_markdown",
    "request.copy_json",
    "request.copy_curl",
    "request.copy_report",
    SEPARATOR,
    "request.copy_selection",
    "request.copy_piece",
    "request.copy_words",
)


class RequestCopies:
    """Makes the actions that copy, and says why one can't be done now.

    Args:
        output: Writes what is copied.
        request: Gives the Request that is shown.
        form: Gives the provider whose JSON is shown, None for the text.
        view: Gives the view in front.
    """

    def __init__(
        self,
        output: RequestOutput,
        request: Callable[[], Request | None],
        form: Callable[[], WireForm | None],
        view: Callable[[], RequestView],
    ) -> None:
        self._output, self._request, self._form, self._view = output, request, form, view

    def actions(self) -> tuple[Action, ...]:
        """One for each form and each part."""
        nothing, unbuilt = self._nothing, self._unbuilt
        return (
            Action(
                "request.copy", tr("Copy the Request as text"), self._all, "Ctrl+Shift+C", "copy", nothing
            ),
            self._as("markdown", tr("Copy the Request as Markdown"), RequestFormat.MARKDOWN, unbuilt),
            self._as("json", tr("Copy the Request as JSON"), RequestFormat.JSON, unbuilt),
            self._as("curl", tr("Copy the Request as a curl command"), RequestFormat.CURL, unbuilt),
            Action(
                "request.copy_report",
                tr("Copy a report without secrets"),
                lambda: self._write(RequestFormat.REPORT_MARKDOWN),
                why_not=unbuilt,
                words=tr("redacted masked"),
            ),
            Action(
                "request.copy_selection",
                tr("Copy the marked text"),
                self._selection,
                why_not=self._unmarked,
            ),
            Action(
                "request.copy_piece",
                tr("Copy the selected piece or message"),
                self._piece,
                why_not=self._unselected,
            ),
            Action(
                "request.copy_words",
                tr("Copy the selected message without its headings"),
                self._words,
                why_not=self._unselected,
            ),
        )

    def _as(self, name: str, title: str, wish: RequestFormat, why_not: Callable[[], str]) -> Action:
        return Action(f"request.copy_{name}", title, lambda: self._write(wish), why_not=why_not)

    def _nothing(self) -> str:
        return "" if self._request() else tr("no Request is shown")

    def _unbuilt(self) -> str:
        request = self._request()
        if request is None:
            return tr("no Request is shown")
        return "" if self._output.snapshot(request) else tr("only the text of a sent Request is stored")

    def _unmarked(self) -> str:
        return "" if self._view().chosen_text else tr("no text is marked")

    def _unselected(self) -> str:
        return "" if self._selected() else tr("no piece is selected")

    def _selected(self) -> Piece | None:
        view = self._view()
        return view.rows.piece(view.selected_piece) if view.rows and view.selected_piece else None

    def _all(self) -> None:
        request = self._request()
        if request is not None:
            self._output.copy_text(request.text)

    def _write(self, wish: RequestFormat) -> None:
        request = self._request()
        if request is not None:
            is_text = wish in (RequestFormat.MARKDOWN, RequestFormat.REPORT_MARKDOWN)
            form = None if is_text else self._form()
            self._output.copy(request, wish, form)

    def _selection(self) -> None:
        self._output.copy_text(self._view().chosen_text)

    def _piece(self) -> None:
        piece = self._selected()
        if piece is not None:
            self._output.copy_text(piece.text)

    def _words(self) -> None:
        piece = self._selected()
        if piece is not None:
            self._output.copy_text("\n".join(run.text for run in piece.runs if run.sent))
