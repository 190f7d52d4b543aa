"""The part of the budget panel that says what is left out of the Request, why, and what would include it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from inspector.domain.errors import InspectorError
from inspector.domain.messages import Batch
from inspector.domain.ref import RefKind
from inspector.domain.requests import Fix, Request
from inspector.domain.simulation import Simulation
from inspector.ui.costs.fix_effects import effect_text, shared_text, simulated_fix
from inspector.ui.costs.left_out_fixes import LeftOutFixes
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.budget import STRUCTURE, BudgetRows, OutRow, member_rows
from inspector.ui.presentation.left_out_words import LISTED, effect_button, turn_name
from inspector.ui.safe_text import PlainLabel
from inspector.ui.selection import SelectedSpan, SelectionState
from inspector.ui.sharing.fix_effects import FixEffects
from inspector.ui.widgets.controls import arrange, rule
from inspector.ui.widgets.left_out import LeftOutList
from inspector.ui.widgets.left_out_row import LeftOutRow
from inspector.ui.wording import number, tr, tr_code, tr_count

_READABLE = frozenset({RefKind.BLOCK, RefKind.MESSAGE, RefKind.BATCH, RefKind.ARCHIVAL, RefKind.SUMMARY})


class LeftOutPart(QWidget):
    """A title with the sum, and the rows; a group lists its members when asked."""

    def __init__(self, services: PanelServices, made: BudgetRows) -> None:
        super().__init__()
        self._services = services
        self._made = made
        self._fixes = LeftOutFixes(services)
        self._effects = FixEffects(services, self)
        self._note = PlainLabel("", tone="muted", size="small")
        self._rows: tuple[OutRow, ...] = ()
        self._outs: dict[str, OutRow] = {}
        self._listed: set[str] = set()
        """The groups whose members are listed."""
        self._turns: dict[str, str] = {}
        """Turns by what is said first in them, as far as they have been read."""
        self._fixing: tuple[frozenset[str], RefKind] | None = None
        """The Request's pieces when the button of a fix was pressed, and the kind of what it lets in."""
        self._shown: tuple[object, ...] | None = None
        self.rows = LeftOutList(services.appearance)
        self.rows.setAccessibleName(tr("What is left out, why, and how to include it"))
        title = QFrame()
        title.setProperty("role", "dock_title")
        self._title = QHBoxLayout(title)
        arrange(self._title, PlainLabel(tr("Left out"), strong=True), self._note, None)
        arrange(QVBoxLayout(self), rule(), title, self.rows)
        self._connect()
        self._measure()

    def show_request(self, request: Request | None) -> None:
        """Show what a Request leaves out; with none, nothing is said of it."""
        if request is None:
            self._shown = None
            self._listed.clear()
            self._turns.clear()
            self._show(())
            self._note.setText("")
            return
        self._select_what_came_in(request)
        # What did not go in is mostly the same from key to key, and there may be thousands of it.
        file = self._services.workspace.file
        shown = request.left_out, file.what_if, file.read_only
        if shown != self._shown:
            self._shown = shown
            self._show(self._made.left_out(request))

    def _connect(self) -> None:
        self._effects.changed.connect(self._fill)
        self.rows.run.connect(self._apply)
        self.rows.chosen.connect(self._choose)
        self.rows.opened.connect(self._open)
        self.rows.unfolded.connect(self._unfold)
        self.rows.pointed.connect(self._work_out)
        self._services.selection.changed.connect(self._follow_selection)
        self._services.appearance.changed.connect(self._measure)

    def _measure(self) -> None:
        space = self._services.appearance.space
        self._title.setContentsMargins(space(3), space(1.5), space(3), space(1.5))
        self._title.setSpacing(space(2))

    def _show(self, rows: tuple[OutRow, ...]) -> None:
        total = sum(row.tokens for row in rows)
        count = sum(row.count for row in rows)
        text = tr(
            "{count} · {tokens}",
            count=number(count),
            tokens=tr_count("{count} token", "{count} tokens", total),
        )
        self._note.setText(text if rows else tr("nothing"))
        self._rows = rows
        self._fill()

    def _fill(self) -> None:
        shown: list[LeftOutRow] = []
        self._outs = {}
        for row in self._rows:
            members = member_rows(row, LISTED) if row.key in self._listed else ()
            for each in (row, *members):
                self._outs[each.key] = each
                shown.append(self._out_row(each, inner=each is not row))
        self.rows.show_rows(shown)
        self._follow_selection(self._services.selection.selected)

    def _out_row(self, row: OutRow, *, inner: bool) -> LeftOutRow:
        name = self._turns.get(row.ref.id, row.name) if row.ref and not row.members else row.name
        figures = tr("· {tokens}", tokens=tr_count("{count} token", "{count} tokens", row.tokens))
        can_open = row.ref is not None and row.ref.kind in _READABLE and not row.members
        unfold = ""
        if row.members:
            unfold = tr("Hide") if row.key in self._listed else tr("List")
        fix, do, why, tip = row.fix, "", row.why, ""
        if fix is not None:
            tip = tr_code(f"fix.{fix.action}", fix.parameters)
            if self._fixes.can_do(fix):
                do = effect_button(row)
                others = self._others(fix)
                why = f"{row.why} {others}".strip()
                tip = "\n".join(filter(None, (tip, others or self._shared(fix))))
            else:
                why = f"{row.why} {tip}"
        return LeftOutRow(row.key, name, figures, why, do, tip, unfold, can_open, inner)

    def _others(self, fix: Fix) -> str:
        """What a fix that is made in a block does to the other agents that see it, once that is known."""
        edit = self._fixes.block_edit(fix)
        return self._effects.remark(edit) if edit is not None else ""

    def _shared(self, fix: Fix) -> str:
        return shared_text(fix.target, self._services.workspace.file)

    def _select_what_came_in(self, request: Request) -> None:
        """After a fix, select the first piece of its kind that the Request did not have before."""
        if self._fixing is None:
            return
        before, kind = self._fixing
        new = [at for at in request.placed() if at.piece.id not in before]
        if new:
            self._fixing = None
        for at in new:
            ref = at.piece.source.ref
            if ref is not None and ref.kind is kind and at.piece.rule not in STRUCTURE:
                self._services.selection.select(ref, SelectedSpan(at.start, at.end))
                return

    def _apply(self, key: str) -> None:
        row = self._outs.get(key)
        if row is not None and row.fix is not None and self._fixes.run(row.fix):
            self._await_fix(row)

    def _await_fix(self, row: OutRow) -> None:
        request = self._services.workspace.file.request
        if request is not None and row.ref is not None:
            kind = RefKind.MESSAGE if row.ref.kind is RefKind.BATCH else row.ref.kind
            self._fixing = frozenset(at.piece.id for at in request.placed()), kind

    def _choose(self, key: str) -> None:
        ref = self._outs[key].ref if key in self._outs else None
        if ref is not None:
            self._services.selection.select(ref)
            self.rows.select(key)

    def _open(self, key: str) -> None:
        ref = self._outs[key].ref if key in self._outs else None
        if ref is not None:
            self._services.selection.open(ref)

    def _unfold(self, key: str) -> None:
        row = self._outs.get(key)
        if row is None:
            return
        self._listed ^= {key}
        self._fill()
        if key in self._listed:
            self.rows.bring_up(key)
        ids = [
            each.ref.id for each in member_rows(row, LISTED) if each.ref and each.ref.kind is RefKind.BATCH
        ]
        session = self._services.workspace.live.session
        if key in self._listed and ids and session is not None:
            agent_id = self._services.workspace.file.agent_id
            work = session.engine.conversation.whole_batches(agent_id, ids)
            self._services.bridge.supersede(
                "left out turns", work, name=tr("Reading turns"), on_done=self._name
            )

    def _name(self, batches: Sequence[Batch]) -> None:
        self._turns.update({batch.id: turn_name(batch) for batch in batches})
        self._fill()

    def _work_out(self, key: str) -> None:
        """Build the Request with the fix made, for the tool tip of its button."""
        row, workspace = self._outs.get(key), self._services.workspace
        session, fix = workspace.live.session, row.fix if row is not None else None
        if session is None or fix is None:
            return

        def show(found: Simulation | None) -> None:
            widget = self.rows.row(key)
            if found is not None and widget is not None and self._outs.get(key) is row:
                tip = tr_code(f"fix.{fix.action}", fix.parameters)
                lines = (tip, effect_text(found), self._others(fix) or self._shared(fix))
                widget.tell_effect("\n".join(filter(None, lines)))

        def failed(error: BaseException) -> bool:
            return isinstance(error, InspectorError)

        work = simulated_fix(session, workspace.file, workspace.findings.spec(session), fix)
        name = tr("Building the preview")
        self._services.bridge.supersede("left out effect", work, name=name, on_done=show, on_error=failed)

    def _follow_selection(self, selected: SelectionState) -> None:
        ref = selected.ref.whole if selected.ref is not None else None
        current = self._outs.get(self.rows.selected)
        if ref is not None and current is not None and current.ref == ref:
            self.rows.select(current.key)
            return
        same = (each.key for each in self._outs.values() if ref is not None and each.ref == ref)
        self.rows.select(next(same, ""))
