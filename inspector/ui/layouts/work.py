"""The layouts of the open file under edit: which is shown, its draft, and what is written of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from inspector.domain.agent_settings import configuration
from inspector.domain.agents import Agent, ContextConfig
from inspector.domain.edits.base import Edit, Receipt
from inspector.domain.edits.block_rows import DeleteRow
from inspector.domain.edits.rows import ConfigureAgent, PutLayout
from inspector.domain.errors import InspectorError, Problem
from inspector.domain.layout_rules import LONGEST_NAME
from inspector.domain.layouts import Layout
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.catalogues import shipped_layouts
from inspector.runtime.session import FileSession
from inspector.ui.file_state import What
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.unsaved import said_version
from inspector.ui.wording import tr, tr_error

_READ_FOR = frozenset({RefKind.LAYOUT, RefKind.FILE})


class LayoutWork(QObject):
    """One layout at a time. `changed` tells that the layouts, the shown one or its draft are others."""

    changed = Signal()

    def __init__(self, services: PanelServices, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self._workspace = services.workspace
        self._own: Mapping[str, Layout] | None = None
        self._overwrites = False
        self._saving = False
        self.problems: tuple[Problem, ...] = ()
        self.failure = ""
        """Why the last save was refused, nothing since something was changed."""
        self.name = ""
        self._workspace.changed.connect(self._follow)

    @property
    def is_read(self) -> bool:
        return self._own is not None

    @property
    def names(self) -> tuple[str, ...]:
        """All layouts: shipped ones, the file's own, then those that are only drafts."""
        drafts = (ref.id for ref in self._workspace.file.records if ref.kind is RefKind.LAYOUT)
        return tuple(dict.fromkeys([*shipped_layouts(), *(self._own or ()), *drafts]))

    @property
    def stored(self) -> Layout | None:
        """The shown layout as it is saved or shipped, None where it is only a draft or gone."""
        return (self._own or {}).get(self.name) or shipped_layouts().get(self.name)

    @property
    def wanted(self) -> Layout | None:
        """The shown layout with its draft."""
        edit = self._workspace.file.records.get(self._ref)
        if edit is not None and isinstance(edit.operation, PutLayout):
            return edit.operation.layout
        return self.stored

    @property
    def is_dirty(self) -> bool:
        return self._ref in self._workspace.file.records

    @property
    def is_saving(self) -> bool:
        return self._saving

    @property
    def is_own(self) -> bool:
        """Whether the file has it, saved or as a draft; what is shipped can only be duplicated."""
        return self.is_saved or self.is_dirty

    @property
    def is_saved(self) -> bool:
        """Whether the file has it."""
        return self.name in (self._own or {})

    @property
    def is_stale(self) -> bool:
        """Whether somebody else saved this layout since its draft began, and nobody has said to replace that."""
        return self._is_other(self.name) and not self._overwrites

    def users(self, name: str) -> tuple[Agent, ...]:
        """The agents that have a layout, as they are saved."""
        return tuple(each for each in self._workspace.file.agents if each.config.layout == name)

    def name_fault(self, name: str) -> str:
        """Why a layout can't be called so, nothing where it can."""
        if name in self.names:
            return tr("There is a layout of this name already.")
        if not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
            return tr("Enter one line of at most {count} characters.", count=LONGEST_NAME)
        return ""

    def free_name(self, name: str) -> str:
        """A name for a copy that no layout has."""
        number = 2
        while f"{name} {number}" in self.names:
            number += 1
        return f"{name} {number}"

    def show(self, name: str) -> None:
        """Show another one of the layouts."""
        if name != self.name:
            self.name, self.failure, self._overwrites = name, "", False
            self.changed.emit()

    def read(self) -> None:
        """Read the layouts of the file."""
        session = self._workspace.live.session
        if session is not None:
            self._services.bridge.supersede(
                ("layouts", self),
                session.engine.layouts.list(),
                name=tr("Reading the layouts"),
                on_done=partial(self._take, session),
            )

    def put(self, layout: Layout) -> None:
        """Keep a draft of the shown layout; one that says what is saved is none."""
        self.failure = ""
        if layout == self.stored and self.is_saved:
            self._workspace.records.drop(self._ref)
        else:
            kept = self._workspace.file.records.get(self._ref)
            base = said_version((self._own or {}).get(self.name)) if kept is None else kept.base
            self._workspace.records.put(Edit(self._ref, PutLayout(layout), base))
        self.changed.emit()

    def duplicate(self, layout: Layout, name: str) -> None:
        """Begin a layout of one's own with what another one says."""
        self.name, self.failure, self._overwrites = name, "", False
        self.put(replace(layout, name=name))

    def discard(self) -> PutLayout | None:
        """Give up the draft; gives what can be put back. One that was never saved is gone."""
        edit = self._workspace.file.records.get(self._ref)
        self.failure = ""
        self._workspace.records.drop(self._ref)
        if self.stored is None:
            self.name = self._first()
        self.changed.emit()
        return edit.operation if edit is not None and isinstance(edit.operation, PutLayout) else None

    def bring_back(self, operation: PutLayout) -> None:
        """Take a draft up again that was discarded."""
        self.name = operation.layout.name
        self.put(operation.layout)

    def overwrite(self) -> None:
        """Say that what somebody else saved meanwhile may be replaced."""
        self._overwrites = True
        self.save()

    def save(self) -> None:
        """Save the draft as one change, unless somebody else has saved the layout meanwhile."""
        edit, session = self._workspace.file.records.get(self._ref), self._workspace.live.session
        if edit is None or session is None or self.is_stale or self._saving:
            return
        overwrites = self._overwrites
        self._saving, self.failure = True, ""
        self.changed.emit()

        def write(found: tuple[Sequence[Layout], tuple[Problem, ...]]) -> None:
            if session is not self._workspace.live.session:
                return
            layouts, self.problems = found
            self._own = {each.name: each for each in layouts}
            if overwrites or edit.base in (None, said_version(self._own.get(edit.target.id))):
                self._write(edit)
            else:
                self._saving = False
                self._tell()

        # The window may not have noticed yet what another program saved.
        self._services.bridge.spawn(
            session.engine.layouts.list(), name=tr("Saving"), on_done=write, on_error=self._failed
        )

    def _write(self, edit: Edit) -> None:
        def done(_: Sequence[Receipt]) -> None:
            self._saving, self._overwrites = False, False
            layout = edit.operation.layout if isinstance(edit.operation, PutLayout) else None
            if layout is not None:
                self._own = {**(self._own or {}), layout.name: layout}
            self._workspace.records.drop_saved(edit)
            self._tell()

        self._apply([replace(edit, base=None)], "", done)

    def rename(self, was: str, name: str) -> None:
        """Give a layout another name, and with it to the agents that have it, as one change; its draft goes along."""
        ref, stored = Ref(RefKind.LAYOUT, was), (self._own or {}).get(was)
        if self._is_other(was):
            self._fail(
                tr("Someone else saved {name} since you began. Decide about your draft first.", name=was)
            )
        elif stored is not None:
            renamed = replace(stored, name=name)
            edits = [Edit(Ref(RefKind.LAYOUT, name), PutLayout(renamed))]
            edits += [*self._moved(was, name), Edit(ref, DeleteRow())]

            def done(_: Sequence[Receipt]) -> None:
                self._saving = False
                left = {key: each for key, each in (self._own or {}).items() if key != was}
                self._own = {**left, name: renamed}
                self._take_name(was, name)
                self.read()

            self._apply(edits, tr("Renamed the layout {old} to {new}.", old=was, new=name), done)
        elif ref in self._workspace.file.records:
            self._take_name(was, name)
        else:
            self._fail(tr("The file has no layout {name} any more.", name=was))

    def delete(self, name: str) -> None:
        """Delete a layout of the file; agents that have it get the usual one, in the same change."""
        ref, usual = Ref(RefKind.LAYOUT, name), usual_layout()
        is_tried = self._workspace.file.what_if.layout == name and name not in shipped_layouts()
        text = tr("Deleted the layout {name}.", name=name)
        if is_tried:
            text = tr("Deleted the layout {name}. The what-if no longer tries it.", name=name)
        moved = [] if name in shipped_layouts() else self._moved(name, usual)

        def done(_: Sequence[Receipt]) -> None:
            self._saving = False
            self._workspace.records.drop(ref)
            if self.name == name and name not in shipped_layouts():
                self.name = usual
            if is_tried:
                self._try_in_place_of(name, None)
            self.read()

        self._apply([*moved, Edit(ref, DeleteRow())], text, done)

    def _take_name(self, was: str, name: str) -> None:
        """Let the draft of a layout that has another name by now, and what shows or tries it, have that name too."""
        edit = self._workspace.file.records.get(Ref(RefKind.LAYOUT, was))
        if edit is not None and isinstance(edit.operation, PutLayout):
            base = said_version((self._own or {}).get(name))
            draft = PutLayout(replace(edit.operation.layout, name=name))
            self._workspace.records.put(Edit(Ref(RefKind.LAYOUT, name), draft, base))
            self._workspace.records.drop(edit.target)
        if self.name == was:
            self.name = name
        self._try_in_place_of(was, name)
        self._tell()

    def _try_in_place_of(self, was: str, name: str | None) -> None:
        """Let what tries a layout try another one, or None for the agent's own."""
        what_if = self._workspace.file.what_if
        if what_if.layout == was:
            self._workspace.try_out(replace(what_if, layout=name))

    @property
    def _ref(self) -> Ref:
        return Ref(RefKind.LAYOUT, self.name)

    def _is_other(self, name: str) -> bool:
        """Whether somebody else saved a layout since its draft began."""
        edit = self._workspace.file.records.get(Ref(RefKind.LAYOUT, name))
        present = (self._own or {}).get(name)
        return self.is_read and edit is not None and edit.base not in (None, said_version(present))

    def _moved(self, was: str, name: str) -> list[Edit]:
        """The edits that give the agents of a layout another one."""
        edits: list[Edit] = []
        for agent in self.users(was):
            operation = configuration(agent, replace(agent, config=replace(agent.config, layout=name)))
            if isinstance(operation, ConfigureAgent):
                edits.append(Edit(Ref(RefKind.AGENT, agent.id), operation))
        return edits

    def _fail(self, why: str) -> None:
        self.failure = why
        self._tell()

    def _apply(self, edits: Sequence[Edit], text: str, done: Callable[[Sequence[Receipt]], None]) -> None:
        self._saving, self.failure = True, ""
        self._tell()
        self._workspace.apply(edits, text, done, text=text, on_error=self._failed)

    def _failed(self, error: BaseException) -> bool:
        self._saving = False
        self.failure = tr_error(error) if isinstance(error, InspectorError) else ""
        self._tell()
        return bool(self.failure)

    def _tell(self) -> None:
        # What is stored is told of also when the tab was closed meanwhile.
        if isValid(self):
            self.changed.emit()

    def _first(self) -> str:
        agent = self._workspace.file.drafted_agent
        return agent.config.layout if agent else usual_layout()

    def _take(self, session: FileSession, found: tuple[Sequence[Layout], tuple[Problem, ...]]) -> None:
        layouts, problems = found
        if session is not self._workspace.live.session:
            return
        self._own, self.problems = {each.name: each for each in layouts}, problems
        if not self.name or self.name not in self.names:
            self.name = self._first()
        self.changed.emit()

    def _follow(self, what: What) -> None:
        written = self._workspace.file.last_written
        if what & What.FILE:
            self._own, self.name, self.problems, self._saving = None, "", (), False
            self.read()
        elif what & What.WRITTEN and written is not None and written.ref.kind in _READ_FOR:
            self.read()
        if what & (What.DRAFTS | What.AGENTS | What.FILE):
            self.changed.emit()


def usual_layout() -> str:
    """The layout that an agent has which nobody gave another."""
    return ContextConfig().layout
