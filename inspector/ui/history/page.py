"""The History tab of a block: its versions, the difference of one to now, and restoring any part of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSlider,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.edits.base import Edit, Operation, Version
from inspector.domain.edits.history import RestoreVersion
from inspector.domain.edits.text import Splice, SpliceText
from inspector.domain.errors import InspectorError
from inspector.domain.history import MeasuredVersion, VersionComparison
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState
from inspector.ui.actions import Action
from inspector.ui.history.difference_bar import INLINE, WITH_NOW, DifferenceBar
from inspector.ui.history.difference_view import DifferenceView
from inspector.ui.history.redacting import offer_redaction
from inspector.ui.history.restoring import UNLOCK, restore
from inspector.ui.history.version_list import VersionList, full_time, growth_text, what_was_done
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.difference import ShownDifference, shown_difference
from inspector.ui.presentation.journal_words import who
from inspector.ui.safe_text import safe_tooltip
from inspector.ui.widgets.banner import Banners
from inspector.ui.widgets.controls import EmptyState, arrange, name_help
from inspector.ui.widgets.whole_splitter import WholeSplitter
from inspector.ui.wording import moment, number, signed, tr, tr_count, tr_error, with_unit

_LIST_SHARE, _SHARE = 2, 5
_SLIDE_MILLISECONDS = 60


class HistoryPage(QWidget):
    """Nothing is written by looking: a restore is a change of its own, and can be undone.

    `is_drafted` says whether the block has unsaved work.
    """

    def __init__(self, services: PanelServices, block_id: str, is_drafted: Callable[[], bool]) -> None:
        super().__init__()
        name_help(self, "History")
        self._services = services
        self._ref = Ref(RefKind.BLOCK, block_id)
        self._is_drafted = is_drafted
        self._state: BlockState | None = None
        self._is_stale = False
        self._chosen: MeasuredVersion | None = None
        self._awaited: int | None = None
        """A version to go to once versions are read."""
        self.versions = VersionList(services, block_id)
        self.difference = DifferenceView(services.appearance)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(tr("Version by time"))
        safe_tooltip(self.slider, tr("Drag through the versions, oldest on the left"))
        self._slid = QTimer(self, singleShot=True, interval=_SLIDE_MILLISECONDS)
        self._empty = EmptyState(tr("Reading versions …"))
        self.banners = Banners(services.appearance, services.icons)
        self.bar = DifferenceBar(services.appearance, services.icons, self.actions_of_tab())
        self._lay_out()
        self._connect()

    def take(self, state: BlockState) -> None:
        """Follow a block to its present version."""
        was, self._state = self._state, state
        self._is_stale |= was is None or was.version != state.version
        if self.isVisible():
            self._read()
        self._tell()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._read()

    def actions_of_tab(self) -> tuple[Action, ...]:
        """What can be done here, by keyboard and from the palette."""
        return history_actions(
            {
                "restore": (self._restore, self._no_restore),
                "restore_change": (self._restore_hunk, self._no_hunk),
                "restore_selection": (self._restore_selection, self._no_selection),
                "next": (self._next, self._no_comparison),
                "previous": (self._previous, self._no_comparison),
                "redact": (self._redact, self._no_redaction),
            }
        )

    def _read(self) -> None:
        """Read what was written since, once somebody looks."""
        if self._is_stale:
            self._is_stale = False
            self.versions.read()
            self._compare()

    def _measure(self) -> None:
        space = self._services.appearance.space
        self._track.setContentsMargins(space(3), space(1), space(3), space(1))

    def _lay_out(self) -> None:
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.difference)
        below, above = QWidget(), QWidget()
        column = QVBoxLayout(below)
        arrange(column, self.bar, self.banners, self._stack)
        column.setStretch(2, 1)
        self._track = QHBoxLayout()
        arrange(self._track, self.slider)
        arrange(QVBoxLayout(above), self.versions, self._track)
        self._services.appearance.changed.connect(self._measure)
        self._measure()
        self._split = WholeSplitter()
        self._split.setOrientation(Qt.Orientation.Vertical)
        self._split.setChildrenCollapsible(False)
        for part, share in ((above, _LIST_SHARE), (below, _SHARE)):
            self._split.addWidget(part)
            self._split.setStretchFactor(self._split.count() - 1, share)
        arrange(QVBoxLayout(self), self._split)
        self.setFocusProxy(self.versions)

    def _connect(self) -> None:
        self.versions.chosen.connect(self._choose)
        self.versions.paired.connect(self._compare)
        self.versions.selected_others.connect(self._tell)
        self.versions.loaded.connect(self._loaded)
        self.difference.moved.connect(self._tell)
        self.bar.against.chosen.connect(self._compare)
        self.bar.form.chosen.connect(self._change_form)
        self.bar.spaces_button.clicked.connect(self._show_spaces)
        self.slider.valueChanged.connect(lambda _: self._slid.start())
        self._slid.timeout.connect(self._go_to_slid)

    def _loaded(self) -> None:
        rows = self.versions.rows
        if not rows:
            self._empty.tell(tr("No versions yet"))
            return
        self.slider.blockSignals(True)
        self.slider.setRange(1, rows[0].version.seq)
        self.slider.setValue(self._chosen.version.seq if self._chosen else rows[0].version.seq)
        self.slider.blockSignals(False)
        if self._awaited is not None:
            self._go_to_awaited()
        elif self._chosen is None:
            self.versions.select(rows[0].version.seq)
        if self._chosen is None:
            return
        seq = self._chosen.version.seq
        # It may have been redacted.
        self._chosen = next((each for each in rows if each.version.seq == seq), self._chosen)
        self._tell()

    def _choose(self, chosen: MeasuredVersion) -> None:
        if self._chosen is not None and self._chosen.version.seq == chosen.version.seq:
            return
        self._chosen = chosen
        self.banners.close_notice(UNLOCK)
        self.slider.blockSignals(True)
        self.slider.setValue(chosen.version.seq)
        self.slider.blockSignals(False)
        self._compare()

    def go_to(self, number: int) -> None:
        """Show a version by its number, as soon as versions are there."""
        self._awaited = number
        if self.versions.rows:
            self._go_to_awaited()

    def _go_to_awaited(self) -> None:
        number, self._awaited = self._awaited, None
        if number is None or self.versions.select(number):
            return
        self.slider.blockSignals(True)
        self.slider.setValue(number)
        self.slider.blockSignals(False)
        self._go_to_slid()

    def _go_to_slid(self) -> None:
        seq = self.slider.value()
        if not self.versions.select(seq):
            self.versions.leave()
            self._services.workspace.past.version(self._ref.id, seq, self._take_slid)

    def _take_slid(self, found: Sequence[MeasuredVersion]) -> None:
        if found and found[0].version.seq == self.slider.value():
            self._choose(found[0])

    def _compare(self, *_: object) -> None:
        versions = self._compared
        if versions is not None:
            self._services.workspace.past.compare(
                self._ref.id, versions, self._lay_out_lines, self._show_failure
            )
        self._tell()

    @property
    def _compared(self) -> tuple[Version, Version] | None:
        if self._chosen is None or self._state is None:
            return None
        if self.versions.pair is not None:
            older, newer = self.versions.pair
            return older.version.version, newer.version.version
        version = self._chosen.version
        if self.bar.against.current == WITH_NOW:
            return version.version, self._state.version
        # The first version has none before it: all of it is new.
        return version.before, version.version

    def _lay_out_lines(self, comparison: VersionComparison) -> None:
        work = asyncio.to_thread(shown_difference, comparison)
        name = tr("Comparing versions")
        self._services.bridge.supersede(("lines", self._ref), work, name=name, on_done=self._show)

    def _show(self, shown: ShownDifference) -> None:
        if self._compared == (shown.comparison.before_version, shown.comparison.after_version):
            self.difference.show_difference(shown)
            self._stack.setCurrentWidget(self.difference)
            self._tell()

    def _show_failure(self, error: BaseException) -> bool:
        if not isinstance(error, InspectorError):
            return False
        self._empty.tell(tr("Can't show this version."), tr_error(error))
        self._stack.setCurrentWidget(self._empty)
        self._tell()
        return True

    @property
    def _comparison(self) -> VersionComparison | None:
        """The difference that is shown, if it is the one that is asked for."""
        found = self.difference.comparison
        if found is None or self._stack.currentWidget() is not self.difference:
            return None
        return found if self._compared == (found.before_version, found.after_version) else None

    def _change_form(self, *_: object) -> None:
        self.difference.set_beside(beside=self.bar.form.current != INLINE)

    def _show_spaces(self) -> None:
        self.difference.show_spaces(shown=self.bar.spaces_button.isChecked())

    def _next(self) -> None:
        self.difference.go_to(self.difference.hunk + 1)

    def _previous(self) -> None:
        self.difference.go_to(self.difference.hunk - 1)

    def _restore(self) -> None:
        if self._chosen is not None and not self._no_restore():
            self._write(RestoreVersion(self._chosen.version.version), None)

    def _restore_hunk(self) -> None:
        if not self._no_hunk():
            self._write_back(self.difference.hunk_back())

    def _restore_selection(self) -> None:
        if not self._no_selection():
            self._write_back(self.difference.selection_back())

    def _write_back(self, splices: tuple[Splice, ...]) -> None:
        if self._comparison is not None:
            self._write(SpliceText(splices), self._comparison.after_version)

    def _write(self, operation: Operation, base: Version | None) -> None:
        if self._chosen is None or self._state is None:
            return
        block, seq = self._state.block, self._chosen.version.seq
        restore(self._services.workspace, self.banners, block, Edit(self._ref, operation, base), seq)

    def _redact(self) -> None:
        if not self._no_redaction():
            numbers = [each.version.seq for each in self._to_redact]
            offer_redaction(self._services, self.banners, self, self._ref.id, numbers)

    @property
    def _to_redact(self) -> tuple[MeasuredVersion, ...]:
        return tuple(each for each in self.versions.selected if each.version.redacted is None)

    def _no_redaction(self) -> str:
        if not self.isVisible() or not self.versions.selected or self._state is None:
            return tr("select versions in History first")
        if self._services.workspace.file.read_only is not None:
            return tr("the file is read-only")
        if self._is_drafted():
            return tr("save or discard your draft first")
        if not self._to_redact:
            return tr("redacted already")
        if any(each.version.version == self._state.version for each in self._to_redact):
            return tr("the current version can't be redacted: edit the block first")
        return ""

    def _not_writable(self) -> str:
        if self._chosen is None or self._state is None or not self.isVisible():
            return _nothing_chosen()
        if self.versions.pair is not None:
            return tr("select one version first")
        if self._services.workspace.file.read_only is not None:
            return tr("the file is read-only")
        if not self._state.block.is_active:
            return tr("the block is deleted")
        return ""

    def _beside_draft(self) -> str:
        """Asked last: what can't be restored at all can't be without a draft either."""
        return tr("save or discard your draft first") if self._is_drafted() else ""

    def _no_restore(self) -> str:
        same = self._chosen and self._state and self._chosen.version.version == self._state.version
        if self._chosen is not None and self._chosen.version.redacted is not None:
            return tr("this version was redacted")
        return (
            self._not_writable()
            or (tr("this is the current version") if same else "")
            or self._beside_draft()
        )

    def _no_comparison(self) -> str:
        comparison = self._comparison if self.isVisible() else None
        return "" if comparison is not None and comparison.hunks else tr("no difference is shown")

    def _no_part(self) -> str:
        found = self._not_writable() or self._no_comparison()
        if found or self._comparison is None:
            return found
        if not self._comparison.is_text:
            return tr("only versions of a text can be restored in part")
        return tr("compare with now first") if self.bar.against.current != WITH_NOW else self._beside_draft()

    def _no_hunk(self) -> str:
        return self._no_part()

    def _no_selection(self) -> str:
        return self._no_part() or (
            "" if self.difference.selection_back() else tr("select changed text first")
        )

    def _tell(self) -> None:
        """Say what is shown and what can be done with it."""
        self.bar.title.setText(self._title_text())
        self.bar.summary.setText(self._summary_text())
        if self.bar.follow_actions() and self.isVisible():
            self._services.actions.refresh()

    def _title_text(self) -> str:
        if self._chosen is None:
            return ""
        if self.versions.pair is not None:
            older, newer = (number(each.version.seq) for each in self.versions.pair)
            return tr("From version {older} to version {newer}", older=older, newer=newer)
        version = self._chosen.version
        name = tr("Version {number}", number=number(version.seq))
        if self._state is not None and version.version == self._state.version:
            name = tr("{name} (current)", name=name)
        length = (
            ""
            if version.length is None
            else tr_count("{count} character", "{count} characters", version.length)
        )
        lines = (full_time(version.at), length, growth_text(self._chosen), version.reason)
        self.bar.title.set_more("\n".join(each for each in lines if each))
        workspace = self._services.workspace
        at, author = moment(version.at, workspace.now()), who(version.actor, workspace.file.actor)
        what = what_was_done(self._chosen)
        return " · ".join((name, author, at, what) if version.redacted else (name, what, author, at))

    def _summary_text(self) -> str:
        comparison = self._comparison
        if comparison is None:
            return ""
        if comparison.before == comparison.after:
            return tr("no difference")
        count = tr_count("{count} change", "{count} changes", len(comparison.hunks))
        return tr("{count}, {growth}", count=count, growth=with_unit(signed(comparison.growth) or "±0"))


Does = tuple[Callable[[], None], Callable[[], str]]
"""What an action does, and why it can't be done now."""


def history_actions(does: Mapping[str, Does] | None) -> tuple[Action, ...]:
    """The actions of a history; with None of one that is still to be made, in which nothing is chosen yet."""
    rows: tuple[tuple[str, str, str | None, str], ...] = (
        ("restore", tr("Restore version"), None, "restore"),
        ("restore_change", tr("Restore this change"), None, ""),
        ("restore_selection", tr("Restore selection"), None, ""),
        ("next", tr("Next change"), "F8", "forward"),
        ("previous", tr("Previous change"), "Shift+F8", "back"),
        ("redact", tr("Redact versions …"), None, ""),
    )
    made = []
    for name, title, keys, icon in rows:
        run, why_not = (_nothing, _nothing_chosen) if does is None else does[name]
        made.append(Action(f"history.{name}", title, run, keys, icon, why_not))
    return tuple(made)


def _nothing() -> None:
    """Nothing can be done yet, as `_nothing_chosen` says."""


def _nothing_chosen() -> str:
    return tr("no version is chosen in History")
