"""The commands on all unsaved drafts: list them, save several as one change, discard them and bring them back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from inspector.domain.edits.base import Edit, Receipt, UnreadJson
from inspector.domain.edits.block_rows import SetCharLimit
from inspector.domain.errors import InspectorError
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.session import FileSession
from inspector.ui.actions import Action
from inspector.ui.draft_keeper import OpenEdit
from inspector.ui.file_state import UnsavedEdit, What
from inspector.ui.main_window import MainWindow
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.unsaved import (
    DraftRefusal,
    checked,
    edits_of,
    on_saved,
)
from inspector.ui.widgets.banner import Notice
from inspector.ui.wording import tr, tr_count, tr_error

if TYPE_CHECKING:
    from inspector.ui.commands.draft_list import DraftList
    from inspector.ui.widgets.drafts_dialog import DraftsDialog

_LISTED = What.WRITTEN | What.DRAFTS | What.SETTINGS | What.REQUEST | What.BLOCKS | What.AGENTS | What.FILE
_DISCARDED = "drafts.discarded"
_CLOCK_MILLISECONDS = 5_000


class DraftCommands(QObject):
    """Opens the list of drafts from the status bar and the palette, and does what is asked in it."""

    def __init__(self, services: PanelServices, window: MainWindow) -> None:
        super().__init__(window)
        self._services = services
        self.workspace = services.workspace
        self._window = window
        self.list: DraftList | None = None
        self._asked: tuple[Sequence[Ref], str] = (), ""
        self._refused: Mapping[Ref, DraftRefusal] = {}
        self._limits: dict[Ref, int] = {}
        """The limits that blocks get with the save that was refused for them."""
        window.show_drafts = self.show
        services.actions.add(
            Action("drafts.show", tr("Unsaved drafts …"), self.show, None, "", self._no_drafts),
            Action(
                "drafts.save_all",
                tr("Save all drafts …"),
                self._review,
                "Ctrl+Alt+S",
                "save",
                self._not_savable,
            ),
            Action(
                "drafts.discard_all",
                tr("Discard all drafts"),
                self._discard_all,
                None,
                "delete",
                self._no_drafts,
            ),
        )
        # How long ago something was edited is said anew while it is read.
        self._clock = QTimer(self, interval=_CLOCK_MILLISECONDS)
        self._clock.timeout.connect(self._tell_ages)
        self._clock.start()
        services.workspace.changed.connect(self._follow)

    @property
    def dialog(self) -> DraftsDialog | None:
        """The list of all drafts, None before it was opened."""
        return None if self.list is None else self.list.dialog

    def show(self) -> None:
        """Open the list of all drafts."""
        from inspector.ui.commands.draft_list import DraftList

        if self.list is None:
            self.list = DraftList(self._services, self._window)
            dialog = self.list.dialog
            dialog.open_asked.connect(self._open)
            dialog.save_asked.connect(self.save)
            dialog.discard_asked.connect(self.discard)
            dialog.raise_asked.connect(self._raise_limit)
        self.list.read()
        dialog = self.list.dialog
        if dialog.isVisible():
            dialog.raise_()
        dialog.show()
        dialog.activateWindow()

    def save(self, refs: Sequence[Ref], reason: str = "") -> None:
        """Save drafts as one change, or none of them where one is refused."""
        session, file = self.workspace.live.session, self.workspace.file
        if session is None or file.read_only is not None:
            return
        if (refs, reason) != self._asked:
            # The limits were raised for another save.
            self._asked, self._limits = (refs, reason), {}
        saving = _Saving(self, session, reason, dict(self._limits))
        for ref in refs:
            edits = edits_of(file, ref)
            if edits or (ref.kind is RefKind.BLOCK and ref.id in file.unread_json):
                editor = self.workspace.open_edits.get(ref.id) if ref.kind is RefKind.BLOCK else None
                saving.add(ref, edits, editor)
        saving.begin(self._services)

    def discard(self, refs: Sequence[Ref]) -> None:
        """Discard drafts and offer to bring them back."""
        file = self.workspace.file
        blocks = [file.drafts[ref.id] for ref in refs if ref.kind is RefKind.BLOCK and ref.id in file.drafts]
        records = [file.records[ref] for ref in refs if ref in file.records]
        for draft in blocks:
            editor = self.workspace.open_edits.get(draft.edit.target.id)
            if editor is None:
                self.workspace.drop_draft(draft.edit.target.id)
            else:
                editor.discard(quiet=True)
        blocks = [each for each in blocks if each.edit.target.id not in self.workspace.file.drafts]
        for edit in records:
            self.workspace.records.drop(edit.target)
        settings = [edit for ref in refs if ref.kind is RefKind.AGENT for edit in edits_of(file, ref)]
        self.workspace.settings.drop([edit.target.whole for edit in settings])
        agents = {ref for ref in refs if ref.kind is RefKind.AGENT and edits_of(file, ref)}
        unread = [
            file.unread_json[each.id]
            for each in refs
            if each.kind is RefKind.BLOCK and each.id in file.unread_json
        ]
        for json in unread:
            self.workspace.unread.drop(json.ref.id)
        of_blocks = {*(each.edit.target.id for each in blocks), *(each.ref.id for each in unread)}
        count = len(of_blocks) + len(records) + len(agents)
        if count:
            back = ((tr("Restore"), partial(self._bring_back, blocks, records, settings, unread)),)
            text = tr_count("Discarded {count} draft.", "Discarded {count} drafts.", count)
            # It stays until it is closed: nothing else can bring them back.
            self._window.banners.show_notice(Notice(_DISCARDED, text, choices=back))

    def _raise_limit(self, ref: Ref) -> None:
        """Save again what was refused, and raise the limit of one block in the same change."""
        limit = self._refused[ref].limit if ref in self._refused else None
        if limit is not None and self.dialog is not None:
            self._limits[ref] = limit
            # The reason may be another by now.
            self._asked = self._asked[0], self.dialog.reason_field.text().strip()
            self.save(*self._asked)

    def tell(self, refused: Mapping[Ref, DraftRefusal], *, busy: bool = False) -> None:
        """Show why drafts were not saved."""
        self._refused = refused
        if refused and self.dialog is None:
            self.show()
        if self.dialog is not None:
            self.dialog.set_busy(busy=busy)
            self.dialog.show_refusals(
                [
                    (ref, each.why, each.limit if ref.kind is RefKind.BLOCK else None)
                    for ref, each in refused.items()
                ]
            )

    def saved(self, drafts: Mapping[Ref, Sequence[Edit]]) -> None:
        """Take away the drafts of what was saved."""
        self._asked, self._limits = ((), ""), {}
        for ref, edits in drafts.items():
            edit = edits[0]
            if ref.kind is RefKind.AGENT:
                self.workspace.settings.saved(edits)
            elif ref.kind is RefKind.BLOCK:
                if self.workspace.open_edits.get(ref.id) is None:
                    self.workspace.drop_draft(ref.id)
            elif self.workspace.file.records.get(ref) == edit:
                self.workspace.records.drop(ref)
            elif ref in self.workspace.file.records:
                # Typed in meanwhile: it begins with what was saved.
                self.workspace.records.put(on_saved(self.workspace.file.records[ref]))
        if self.dialog is not None:
            self.dialog.reason_field.clear()
            if not self.workspace.file.draft_refs:
                self.dialog.close()

    def _review(self) -> None:
        self.show()
        if self.dialog is not None:
            self.dialog.reason_field.setFocus()

    def _discard_all(self) -> None:
        self.discard(self.workspace.file.draft_refs)

    def _bring_back(
        self,
        blocks: Sequence[UnsavedEdit],
        records: Sequence[Edit],
        settings: Sequence[Edit],
        unread: Sequence[UnreadJson],
    ) -> None:
        self._window.banners.close_notice(_DISCARDED)
        for draft in blocks:
            block_id = draft.edit.target.id
            editor = self.workspace.open_edits.get(block_id)
            if editor is not None:
                editor.bring_back(draft)
            elif block_id not in self.workspace.file.drafts:
                self.workspace.set_draft(draft.edit, draft.content)
                self.workspace.answers.take_up(block_id)
        for json in unread:
            if json.ref.id not in self.workspace.file.unread_json:
                self.workspace.unread.put(json)
        for edit in records:
            if edit.target.whole not in self.workspace.file.records:
                self.workspace.records.put(edit)
        for edit in settings:
            if edit.target.whole not in self.workspace.file.settings_drafts:
                self.workspace.settings.put(edit)

    def _open(self, ref: Ref) -> None:
        # Messages and archival entries are shown among those of their agent.
        self.workspace.show_agent("" if self.list is None else self.list.owners.get(ref, ""))
        self._services.selection.open(Ref(RefKind.BLOCK, ref.id) if ref.kind is RefKind.SETTING else ref)
        if ref.kind is RefKind.SETTING:
            # The action is there once its tab is.
            self._window.centre.currentWidget()
            self._services.actions.run("edit.settings")
        self._window.activateWindow()

    def _tell_ages(self) -> None:
        if self.list is not None and self.list.dialog.isVisible():
            self.list.tell_ages()

    def _follow(self, what: What) -> None:
        if what & What.FILE:
            self._asked, self._limits = ((), ""), {}
            self._window.banners.close_notice(_DISCARDED)
        if what & _LISTED and self.list is not None and self.list.dialog.isVisible():
            self.list.read()

    def _no_drafts(self) -> str:
        return "" if self.workspace.file.draft_refs else tr("there are no unsaved drafts")

    def _not_savable(self) -> str:
        read_only = self.workspace.file.read_only is not None
        return tr("the file is read-only") if read_only else self._no_drafts()


class _Saving:
    """One save of several drafts: their editors hand them over, all are checked, then all are applied or none."""

    def __init__(
        self, commands: DraftCommands, session: FileSession, reason: str, limits: Mapping[Ref, int]
    ) -> None:
        self._commands = commands
        self._session = session
        self._reason = reason
        self._limits = limits
        self._workspace = commands.workspace
        self._drafts: dict[Ref, Sequence[Edit]] = {}
        self._ready: tuple[tuple[Ref, Edit], ...] = ()
        self._editors: dict[Ref, OpenEdit] = {}
        self._refused: dict[Ref, DraftRefusal] = {}

    def add(self, ref: Ref, edits: Sequence[Edit], editor: OpenEdit | None) -> None:
        """Take a draft in, from its editor where it has one."""
        if ref.kind is RefKind.BLOCK and self._workspace.answers.closed(ref.id) is not None:
            self._refused[ref] = DraftRefusal(
                tr("Its request was answered meanwhile. Open it to keep or discard the draft.")
            )
            return
        if ref.kind is RefKind.BLOCK and ref.id in self._workspace.file.unread_json:
            self._refused[ref] = DraftRefusal(tr("Its JSON has an error. Open it to fix or discard that."))
            return
        if editor is not None:
            handed = editor.hand_over()
            if handed is None:
                is_unfit = self._workspace.file.is_draft_unfit(ref.id)
                self._refused[ref] = DraftRefusal(
                    tr("The kind of this block was changed meanwhile. Open it to copy the draft.")
                    if is_unfit
                    else tr("This draft is loading or being saved. Try again in a moment.")
                )
                return
            edits = (handed,)
            self._editors[ref] = editor
        self._drafts[ref] = edits

    def begin(self, services: PanelServices) -> None:
        """Check all, then apply them."""
        self._commands.tell({}, busy=True)
        if self._refused or not self._drafts:
            self._give_back(self._refused)
            return
        work = checked(self._session, self._drafts, self._reason, self._limits)
        services.bridge.spawn(work, name=tr("Saving"), on_done=self._apply, on_error=self._fail)

    def _apply(self, found: tuple[tuple[tuple[Ref, Edit], ...], Mapping[Ref, DraftRefusal]]) -> None:
        self._ready, refused = found
        if refused:
            self._give_back(refused)
            return
        answers = self._workspace.answers
        edits = [edit if _is_limit(edit) else answers.as_answer(edit) for _, edit in self._ready]
        count = tr_count("Saved {count} draft.", "Saved {count} drafts.", len(self._drafts))
        self._workspace.apply(
            edits, self._reason, self._finish, text=count if len(edits) > 1 else "", on_error=self._fail
        )

    def _finish(self, receipts: Sequence[Receipt]) -> None:
        for (ref, edit), receipt in zip(self._ready, receipts, strict=True):
            if _is_limit(edit):
                continue
            self._workspace.answers.forget(ref.id)
            editor = self._editor(ref)
            if editor is not None:
                editor.take_receipt(receipt)
        self._commands.tell({})
        self._commands.saved(self._drafts)

    def _fail(self, error: BaseException) -> bool:
        """Say it below every draft where it is a rule that refused, else as any failure."""
        for ref in self._drafts:
            self._workspace.answers.note_refused(ref.id, error)
        refusal = DraftRefusal(tr_error(error)) if isinstance(error, InspectorError) else None
        self._give_back({} if refusal is None else dict.fromkeys(self._drafts, refusal))
        return refusal is not None

    def _give_back(self, refused: Mapping[Ref, DraftRefusal]) -> None:
        for editor in filter(None, map(self._editor, self._editors)):
            editor.take_error(RuntimeError())
        self._commands.tell(refused)

    def _editor(self, ref: Ref) -> OpenEdit | None:
        """The editor that handed a draft over, unless its tab was closed meanwhile."""
        editor = self._editors.get(ref)
        return editor if editor is self._workspace.open_edits.get(ref.id) else None


def _is_limit(edit: Edit) -> bool:
    """Whether it is no draft but makes room for one."""
    return isinstance(edit.operation, SetCharLimit)
