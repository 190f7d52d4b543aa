"""Actions on files: open, import, create, copy and close, also by dropping one on the window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, takewhile
from pathlib import Path

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from inspector.domain.errors import InputError, Parameters, Severity
from inspector.domain.exchange import Exported, ExportFormat, ExportOptions, ImportPlan, ImportSource
from inspector.runtime.environment import data_folder
from inspector.ui.actions import Action
from inspector.ui.panel import PanelServices
from inspector.ui.safe_text import few_lines
from inspector.ui.widgets.banner import Banners, Notice
from inspector.ui.widgets.file_dialog import FileDialog
from inspector.ui.widgets.import_preview import ImportPreview
from inspector.ui.wording import tr, tr_code

SUFFIX = ".constellation"
_SHOWN_LINES = 4


class FileCommands:
    """Registers the file actions of a window."""

    def __init__(self, services: PanelServices, window: QWidget, banners: Banners) -> None:
        self._services = services
        self._window = window
        self._banners = banners
        keys = QKeySequence.StandardKey
        services.actions.add(
            Action("file.open", tr("Open …"), self._ask_open, keys.Open, "open"),
            Action("file.import", tr("Import an agent file …"), self._ask_import, "Ctrl+I", "import"),
            Action("file.new", tr("New constellation …"), self._ask_new, keys.New, "new_file"),
            Action("file.sample", tr("Open the sample"), self.see_sample, None, "sample"),
            Action("file.new_sample", tr("Create a new copy of the sample"), self.new_sample, None, "sample"),
            Action(
                "file.export_agent",
                tr("Export this agent as .af …"),
                self._ask_export_agent,
                None,
                "export",
                self._no_agent,
            ),
            Action("file.export", tr("Export as JSON …"), self._ask_export, None, "export", self._no_file),
            Action("file.save_copy", tr("Save a copy …"), self._ask_copy, keys.SaveAs, "copy", self._no_file),
            Action(
                "file.debug_bundle",
                tr("Save a debug bundle …"),
                self._ask_bundle,
                None,
                "export",
                self._no_file,
            ),
            Action("file.close", tr("Close file"), self._close, None, "close", self._no_file),
        )

    def take(self, path: Path) -> None:
        """Open a file of ours, or look at what importing it would make."""
        if path.suffix == SUFFIX:
            # What bears our name is told of as ours, even where it is none or is broken.
            self._services.workspace.open(path)
            return
        self._services.bridge.spawn(
            self._services.workspace.files.is_constellation(path),
            name=tr("Reading {file}", file=path.name),
            on_done=lambda ours: self._services.workspace.open(path) if ours else self.import_(path),
        )

    def import_(self, path: Path) -> None:
        """Show what a file holds and what importing it would make."""
        self._services.bridge.supersede(
            "import",
            self._first_look(path),
            name=tr("Importing {file}", file=path.name),
            on_done=lambda found: self._preview(path, *found),
        )

    def import_plan(self, plan: ImportPlan, target: Path) -> None:
        """Make what a plan says, in a file that is made for it or is there, and show that file."""
        services = self._services
        services.bridge.supersede(
            "import",
            services.workspace.files.import_into(plan, target),
            name=tr("Importing into {file}", file=target.name),
            on_done=services.workspace.show,
        )

    def see_sample(self) -> None:
        """Open the sample as it was left, the one that was made last; it is made where it is not there yet."""
        there = self.samples()
        if there:
            self._services.workspace.open(there[-1])
        else:
            self.new_sample()

    def samples(self) -> tuple[Path, ...]:
        """The samples that are there, the oldest first."""
        return tuple(takewhile(Path.exists, _samples()))

    def new_sample(self) -> None:
        """Make the sample as of now, beside those that are there, and open it."""
        target = next(path for path in _samples() if not path.exists())
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._services.workspace.create_sample(target)

    def copy_to(self, path: Path) -> None:
        """Write everything to a new file and say so."""

        def copied(_: None) -> None:
            text = tr("Saved a copy as {file}.", file=str(path))
            remark = tr("This window still shows the original.")
            choices = ((tr("Switch to the copy"), lambda: self._services.workspace.open(path)),)
            self._banners.show_notice(Notice("copied", text, remark, "ok", choices=choices))

        if not self._refuse_existing(path):
            self._services.workspace.save_copy(path, copied)

    async def _first_look(self, path: Path) -> tuple[ImportSource, ImportPlan | InputError]:
        """What a file holds, and what its first row would make; of several rows one may be at fault."""
        files = self._services.workspace.files
        source = await files.read_import(path)
        if not source.must_pick:
            return source, await files.plan_import(source, ())
        try:
            return source, await files.plan_import(source, (1,))
        except InputError as error:
            return source, error

    def _preview(self, path: Path, source: ImportSource, first: ImportPlan | InputError) -> None:
        preview = ImportPreview(self._window, path, source.rows, SUFFIX)
        if isinstance(first, InputError):
            preview.show_error(first)
        else:
            preview.show_plan(first)
        preview.picked.connect(lambda numbers: self._look_again(preview, source, numbers))
        preview.browse.connect(
            lambda: self._ask_new_path(tr("Import into"), preview.chosen_target(), preview.set_target)
        )
        preview.confirmed.connect(self.import_plan)
        preview.show()

    def _look_again(self, preview: ImportPreview, source: ImportSource, numbers: tuple[int, ...]) -> None:
        """Show what other rows would make."""
        self._services.bridge.supersede(
            "import rows",
            self._services.workspace.files.plan_import(source, numbers),
            name=tr("Reading requests"),
            on_done=preview.show_plan,
            on_error=preview.show_error,
        )

    def _no_file(self) -> str:
        return "" if self._services.workspace.file.path else tr("no file is open")

    def _no_agent(self) -> str:
        return self._no_file() or ("" if self._services.workspace.file.agent else tr("no agent is shown"))

    def _close(self) -> None:
        # The end of the program closes the file too, and the next start opens that one again.
        self._services.preferences.set("window.last_file", "")
        self._services.bridge.supersede("file", self._services.workspace.close(), name=tr("Closing the file"))

    def _ask_open(self) -> None:
        filters = tr("Constellations (*{suffix});;All files (*)", suffix=SUFFIX)
        self._ask_file(tr("Open a constellation"), filters, self.take)

    def _ask_import(self) -> None:
        self._ask_file(
            tr("Import agents or requests"),
            tr("Agent files and requests (*.af *.json *.jsonl *.yaml *.yml *.har);;All files (*)"),
            self.import_,
        )

    def _ask_new(self) -> None:
        first = self._folder() / f"agents{SUFFIX}"
        self._ask_new_path(tr("New constellation"), first, self._services.workspace.create)

    def _ask_copy(self) -> None:
        path = self._services.workspace.file.path
        if path is not None:
            self._ask_new_path(tr("Save a copy"), path.with_stem(f"{path.stem}-copy"), self.copy_to)

    def _ask_bundle(self) -> None:
        path = self._services.workspace.file.path
        if path is not None:
            first = path.with_name(f"{path.stem}-debug.zip")
            dialog = self._save_dialog(tr("Save a debug bundle"), first, tr("ZIP files (*.zip)"))
            self._ask(dialog, self.bundle_to)

    def bundle_to(self, path: Path) -> None:
        """Write how the file is made, without its texts, to a new ZIP and say so."""
        services = self._services
        session = services.workspace.live.session
        if session is None or self._refuse_existing(path):
            return
        said = tr("Saved {file}. It has no texts or names of this file.", file=path.name)
        services.bridge.spawn(
            session.write_debug_bundle(path),
            name=tr("Saving {file}", file=path.name),
            on_done=lambda _: services.bridge.noticed.emit(said),
        )

    def _ask_export_agent(self) -> None:
        file = self._services.workspace.file
        if file.path is None or file.agent is None:
            return
        # An agent's name may be no file name, and is nobody's to choose a folder by.
        name = "".join(each if each.isalnum() or each in "-_" else "_" for each in file.agent.name)
        wish = ExportOptions(ExportFormat.LETTA, agent_id=file.agent_id)
        first = file.path.with_name(f"{name or 'agent'}.af")
        dialog = self._save_dialog(tr("Export an agent"), first, tr("Agent files (*.af)"))
        self._ask(dialog, lambda path: self.export_to(path, wish))

    def _ask_export(self) -> None:
        path = self._services.workspace.file.path
        if path is not None:
            dialog = self._save_dialog(
                tr("Export as JSON"), path.with_suffix(".json"), tr("JSON files (*.json)")
            )
            self._ask(dialog, lambda target: self.export_to(target, ExportOptions()))

    def export_to(self, path: Path, wish: ExportOptions) -> None:
        """Write agents to a new file of another format, and say what of them it holds in another way."""
        session = self._services.workspace.live.session
        if session is None or self._refuse_existing(path):
            return

        def report(exported: Exported) -> None:
            parameters: Parameters = {"path": str(path), "agents": exported.agents, "size": exported.size}
            lines = [tr_code(each.code, each.parameters) for each in exported.problems]
            is_fine = all(each.severity is Severity.INFO for each in exported.problems)
            details = "\n".join(lines)
            notice = Notice(
                "exported",
                tr_code("told.exported", parameters),
                few_lines(details, _SHOWN_LINES),
                "ok" if is_fine else "warning",
                details=details,
            )
            self._banners.show_notice(notice)

        self._services.bridge.spawn(
            session.engine.exchange.export(path, wish),
            name=tr("Exporting to {file}", file=path.name),
            on_done=report,
        )

    def _folder(self) -> Path:
        recent = self._services.preferences.recent
        return recent[0].parent if recent else Path.home()

    def _ask_file(self, title: str, filters: str, chosen: Callable[[Path], None]) -> None:
        dialog = FileDialog(self._window, title, str(self._folder()), filters)
        dialog.setFileMode(FileDialog.FileMode.ExistingFile)
        self._ask(dialog, chosen)

    def _ask_new_path(self, title: str, first: Path, chosen: Callable[[Path], None]) -> None:
        dialog = self._save_dialog(title, first, tr("Constellations (*{suffix})", suffix=SUFFIX))
        self._ask(dialog, lambda path: None if self._refuse_existing(path) else chosen(path))

    def _save_dialog(self, title: str, first: Path, filters: str) -> FileDialog:
        dialog = FileDialog(self._window, title, str(first.parent), filters)
        dialog.setAcceptMode(FileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(first.suffix.lstrip("."))
        # Qt's own question would take a file name for markup; nothing here ever replaces a file anyway.
        dialog.setOption(FileDialog.Option.DontConfirmOverwrite)
        dialog.selectFile(first.name)
        return dialog

    def _ask(self, dialog: FileDialog, chosen: Callable[[Path], None]) -> None:
        dialog.fileSelected.connect(lambda name: chosen(Path(name)))
        dialog.open()

    def _refuse_existing(self, path: Path) -> bool:
        if not path.exists():
            return False
        text = tr("{file} already exists.", file=str(path))
        remark = tr("Nothing was written. Choose another name, or move that file first.")
        self._banners.show_notice(Notice("exists", text, remark, "warning"))
        return True


def _samples() -> Iterator[Path]:
    yield data_folder() / f"sample{SUFFIX}"
    for number in count(2):
        yield data_folder() / f"sample-{number}{SUFFIX}"
