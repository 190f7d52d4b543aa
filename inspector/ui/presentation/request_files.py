"""The actions that save the Request as a file: in any form that a name's suffix asks for, or as a redacted report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

from inspector.domain.exchange import RequestFormat
from inspector.domain.requests import Request
from inspector.domain.wire.values import WireForm
from inspector.ui.actions import Action
from inspector.ui.file_state import LiveFile
from inspector.ui.presentation.request_output import RequestOutput
from inspector.ui.safe_text import one_line
from inspector.ui.widgets.file_dialog import FileDialog
from inspector.ui.wording import tr

SAVE_MENU = ("request.save", "request.save_report")
_UNSAFE = '<>:"/\\|?*'
_NAME_LENGTH = 40


class RequestFiles:
    """Asks for a place and writes what is shown there. Nothing that is there already is replaced.

    Args:
        output: Writes what is saved.
        live: The open file.
        parent: The widget over which a place is asked for.
        request: Gives the Request that is shown.
        form: Gives the provider whose JSON is shown, None for the text.
    """

    def __init__(
        self,
        output: RequestOutput,
        live: LiveFile,
        parent: QWidget,
        request: Callable[[], Request | None],
        form: Callable[[], WireForm | None],
    ) -> None:
        self._output, self._live, self._parent = output, live, parent
        self._request, self._form = request, form

    def actions(self) -> tuple[Action, ...]:
        """Saving in a form by name, and as a report."""
        return (
            Action("request.save", tr("Save the Request as …"), self._ask, None, "save", self._unbuilt),
            Action(
                "request.save_report",
                tr("Save a report without secrets …"),
                self._ask_report,
                None,
                "export",
                self._unbuilt,
            ),
        )

    def _unbuilt(self) -> str:
        request = self._request()
        if request is None:
            return tr("no Request is shown")
        return "" if self._output.snapshot(request) else tr("only the text of a sent Request is stored")

    def _ask(self) -> None:
        kinds = {
            ".txt": tr("Text"),
            ".md": tr("Markdown"),
            ".json": tr("JSON"),
            ".csv": tr("Table of tokens"),
            ".sh": tr("curl command"),
            ".ps1": tr("PowerShell command"),
            ".html": tr("Report without secrets"),
        }
        filters = ";;".join(f"{name} (*{suffix})" for suffix, name in kinds.items())
        self._open_dialog(tr("Save the Request"), filters, ".txt")

    def _ask_report(self) -> None:
        filters = tr("Web page (*.html);;Markdown (*.md)")
        self._open_dialog(tr("Save a report without secrets"), filters, ".html", is_report=True)

    def _open_dialog(self, title: str, filters: str, suffix: str, *, is_report: bool = False) -> None:
        folder = self._live.state.path.parent if self._live.state.path is not None else Path.home()
        dialog = FileDialog(self._parent, title, str(folder), filters)
        dialog.setAcceptMode(FileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix.lstrip("."))
        # Qt's own question would take a file name for markup; nothing here ever replaces a file anyway.
        dialog.setOption(FileDialog.Option.DontConfirmOverwrite)
        dialog.selectFile(self._first_name(suffix))
        dialog.fileSelected.connect(lambda name: self.save(Path(name), is_report=is_report))
        dialog.open()

    def save(self, path: Path, *, is_report: bool = False) -> None:
        """Write what is shown to a new file, in the form that its suffix asks for."""
        request = self._request()
        if request is None:
            return
        wish = RequestFormat.of_suffix(path.suffix)
        if is_report:
            wish = RequestFormat.REPORT_MARKDOWN if path.suffix.lower() == ".md" else RequestFormat.REPORT
        form = (
            self._form()
            if wish in (RequestFormat.JSON, RequestFormat.CURL, RequestFormat.POWERSHELL)
            else None
        )
        self._output.save(request, wish, form, path)

    def _first_name(self, suffix: str) -> str:
        request = self._request()
        name = one_line(request.agent_name, _NAME_LENGTH) if request is not None else ""
        # A sign that can't be seen has no place in a file's name either.
        safe = "".join(each if each.isprintable() and each not in _UNSAFE else "-" for each in name).strip(
            ". "
        )
        return f"{safe or 'request'}-request{suffix}"
