"""The window's notices on the open file, recovered drafts, refused saves and failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from inspector.domain.errors import Problem, RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.recovered_drafts import OLDER, UNFIT
from inspector.ui.failures import MOVED_CODES, FailureText, failure_of
from inspector.ui.file_state import What
from inspector.ui.panel import PanelServices
from inspector.ui.widgets.banner import FAILURE, Banners, Notice, failure_notice
from inspector.ui.widgets.centre import Centre
from inspector.ui.wording import tr, tr_code, tr_count

_READ_ONLY, _MOVED, _RESTORED, _COPIED = "read_only", "moved", "restored", "copied"
_LEFT_DRAFT, _REFUSED = "left_draft", "refused:"


class FileNotices(QObject):
    """Shows each banner while what it says holds."""

    def __init__(self, services: PanelServices, banners: Banners, centre: Centre, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self._workspace = services.workspace
        self._banners = banners
        self._centre = centre
        self._refusals: Mapping[str, RefusedError] = {}
        """Those that were shown, here or on the block's own tab."""
        self._unfit: tuple[Problem, ...] = ()
        services.workspace.changed.connect(self._follow)
        services.bridge.failed.connect(self._show_failure)
        centre.shown.connect(lambda _: self._close_old_refusals())

    def _follow(self, what: What) -> None:
        if what & What.FILE:
            self._show_file()
        if what & What.MOVED and self._workspace.file.moved is not None:
            self._show_moved()
        if what & What.DRAFTS:
            self._show_restored()
        elif what & What.BLOCKS:
            self._name_restored()
        if what & What.PROBLEMS:
            self._show_unfit()
            self._show_refusals()
            self._close_old_refusals()

    def _show_file(self) -> None:
        banners = self._banners
        for key in (_MOVED, _READ_ONLY, _RESTORED, _COPIED):
            banners.close_notice(key)
        for notice in banners.notices:
            # What a rule or the world refused was of the file that is left, or of the way here.
            if notice.key.startswith(FAILURE) and notice.tone != "error":
                banners.close_notice(notice.key)
        reason = self._workspace.file.read_only
        if reason is not None:
            text = tr("This file is read-only.")
            remark = tr_code(reason.code, reason.parameters)
            banners.show_notice(Notice(_READ_ONLY, text, remark, "warning"))

    def _show_moved(self) -> None:
        workspace, moved = self._workspace, self._workspace.file.moved
        path = workspace.file.path

        def again() -> None:
            if path is not None:
                workspace.open(path)

        happened = {
            "replaced": tr("Another file has replaced this one."),
            "overwritten": tr(
                "Another program copied other contents over this file. Your edits may be in a backup."
            ),
            "version_changed": tr("Another program changed this file's version while it was open."),
            "switched_to_wal": tr(
                "Another program switched this file to WAL mode. Close that program first."
            ),
        }.get("" if moved is None else moved.what, tr("The file was moved or deleted while it was open."))
        save_copy = self._services.actions.item("file.save_copy")
        self._banners.show_notice(
            Notice(
                _MOVED,
                happened,
                tr("It won't be written any more. Your drafts are kept."),
                "error",
                choices=((tr("Open again"), again), (tr("Save a copy …"), save_copy.trigger)),
                closable=False,
            )
        )

    def _show_failure(self, failure: FailureText) -> None:
        if self._workspace.file.moved is not None and failure.code in MOVED_CODES:
            # The one banner on it says so already, and what can be done; it is text once more.
            self._show_moved()
            return
        self._banners.show_notice(failure_notice(failure))

    def _show_restored(self) -> None:
        restored = self._restored()
        if not restored:
            self._banners.close_notice(_RESTORED)
            return
        text = tr_count(
            "Recovered {count} unsaved draft.",
            "Recovered {count} unsaved drafts.",
            len(restored),
        )
        self._banners.show_notice(Notice(_RESTORED, text, self._labels_of(restored), "info"))

    def _name_restored(self) -> None:
        """Drafts come back before their blocks are read. Then the banner, if it is there, names them."""
        shown = next((each for each in self._banners.notices if each.key == _RESTORED), None)
        if shown is not None and shown.remark != self._labels_of(self._restored()):
            self._show_restored()

    def _restored(self) -> list[Ref]:
        file = self._workspace.file
        drafted = (id_ for id_, draft in file.drafts.items() if draft.restored)
        return [
            *(Ref(RefKind.BLOCK, id_) for id_ in dict.fromkeys((*drafted, *sorted(file.restored_unread)))),
            *(Ref(RefKind.AGENT, each) for each in sorted(file.restored_settings)),
            *sorted(file.restored_records, key=str),
        ]

    def _labels_of(self, refs: Sequence[Ref]) -> str:
        """What was recovered, by name where it has one and is read."""
        file = self._workspace.file
        agents = {each.id: each.name for each in file.agents}
        kinds = [each.kind for each in refs]
        messages, entries = kinds.count(RefKind.MESSAGE), kinds.count(RefKind.ARCHIVAL)
        summaries = kinds.count(RefKind.SUMMARY)
        names = [
            file.label(each.id) for each in refs if each.kind is RefKind.BLOCK and each.id in file.blocks
        ]
        for each in refs:
            if each.kind is RefKind.AGENT and each.id in agents:
                names.append(tr("settings of {agent}", agent=agents[each.id]))
            elif each.kind is RefKind.SETTING and each.id in file.blocks:
                names.append(tr("settings of {label}", label=file.label(each.id)))
            elif each.kind is RefKind.LAYOUT:
                names.append(tr("layout {name}", name=each.id))
        if messages:
            names.append(tr_count("{count} message", "{count} messages", messages))
        if entries:
            names.append(tr_count("{count} archival entry", "{count} archival entries", entries))
        if summaries:
            names.append(tr_count("{count} summary", "{count} summaries", summaries))
        return ", ".join(names)

    def _show_unfit(self) -> None:
        """Show the drafts that no longer fit, one banner at a time: its text can be copied, then discarded."""
        unfit = tuple(each for each in self._workspace.file.health.values() if each.code in (UNFIT, OLDER))
        if unfit == self._unfit:
            return
        self._unfit = unfit
        if not unfit:
            self._banners.close_notice(_LEFT_DRAFT)
            return
        problem = unfit[0]
        remark = tr("Copy its text, then discard it. Nothing is lost.")
        if len(unfit) > 1:
            remark += " " + tr_count(
                "{count} more is listed under Problems.",
                "{count} more are listed under Problems.",
                len(unfit) - 1,
            )
        draft = str(problem.parameters.get("text", ""))
        choices = (
            (tr("Copy text"), lambda: QGuiApplication.clipboard().setText(draft)),
            (tr("Discard"), lambda: self._workspace.discard_unfit(problem.where)),
        )
        text = tr_code(problem.code, problem.parameters)
        self._banners.show_notice(Notice(_LEFT_DRAFT, text, remark, "warning", choices=choices))

    def _show_refusals(self) -> None:
        """Show why a save was refused, unless the block's own tab, which says it too, is in front."""
        before, self._refusals = self._refusals, self._workspace.file.refusals
        for block_id, error in self._refusals.items():
            if before.get(block_id) is error or self._is_in_front(block_id):
                continue
            doing = tr("Saving {label}", label=self._workspace.file.label(block_id))
            notice = failure_notice(failure_of(error, doing=doing))
            ref = Ref(RefKind.BLOCK, block_id)
            choices = ((tr("Show block"), lambda ref=ref: self._services.selection.open(ref)),)
            self._banners.show_notice(replace(notice, key=f"{_REFUSED}{block_id}", choices=choices))

    def _close_old_refusals(self) -> None:
        for key in [each.key for each in self._banners.notices if each.key.startswith(_REFUSED)]:
            block_id = key.removeprefix(_REFUSED)
            if block_id not in self._workspace.file.refusals or self._is_in_front(block_id):
                self._banners.close_notice(key)

    def _is_in_front(self, block_id: str) -> bool:
        key = self._centre.current_key
        return isinstance(key, tuple) and key[1] == Ref(RefKind.BLOCK, block_id)
