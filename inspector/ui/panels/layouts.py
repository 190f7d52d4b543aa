"""The Layout panel: edits a layout's sections and shows what the agent's Request would be with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from inspector.domain.edits.rows import PutLayout
from inspector.domain.layouts import Layout
from inspector.domain.ref import Ref, RefKind
from inspector.ui.actions import Action
from inspector.ui.file_state import What
from inspector.ui.layouts.editor import SECTIONS, WHOLE, LayoutEditor
from inspector.ui.layouts.preview import LayoutPreview
from inspector.ui.layouts.work import LayoutWork, usual_layout
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.presentation.names import name_of_layout
from inspector.ui.safe_text import PlainLabel, one_line
from inspector.ui.widgets.banner import Banners, Notice
from inspector.ui.widgets.controls import EmptyState, arrange, button
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.widgets.front_stack import FrontStack
from inspector.ui.widgets.prompt import FormDialog, FormField
from inspector.ui.widgets.top_bar import Option, Picker
from inspector.ui.wording import tr, tr_code

_SOON_MILLISECONDS = 200
_HALVES = (3, 2)
_EDITOR_ROWS, _PREVIEW_ROWS = 8, 7
_NARROW_STEPS = 165
_LONGEST_NAME = 60
_DISCARDED, _STALE, _FAILED, _PROBLEMS, _DELETE = "discarded", "stale", "failed", "problems", "delete"


class LayoutsPanel(Panel):
    """A centre tab. Drafts of layouts count in the budget of agents that have them."""

    def __init__(self, services: PanelServices, _ref: Ref | None = None) -> None:
        super().__init__(services)
        self.work = LayoutWork(services, self)
        self.editor = LayoutEditor(services)
        self.preview = LayoutPreview(services)
        self.picker = Picker(tr("Layout to edit"))
        self.about = PlainLabel("", tone="muted", wrap=True)
        self.banners = Banners(services.appearance, services.icons)
        self.duplicate_button = button(tr("Duplicate …"), self._ask_copy)
        self.rename_button = button(tr("Rename …"), self._ask_name)
        self.delete_button = button(tr("Delete …"), self._ask_delete)
        self.try_button = button("", self._try)
        self.discard_button = button(tr("Discard"), self._discard)
        self.save_button = button(tr("Save"), self._save, role="primary")
        self._empty = EmptyState(tr("Reading the layouts …"))
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MILLISECONDS)
        self._is_sized = False
        self._states: tuple[object, ...] = ()
        self._asked = ""
        """The layout about whose deletion is asked."""
        self.act(*self._actions())
        self._lay_out()
        self._connect()
        self.reveal(services.selection.ref)
        self.work.read()
        self._tell()

    def follow(self, what: What) -> None:
        """Build the preview again when the Request is another, soon and only while somebody looks."""
        if what & (What.REQUEST | What.AGENT | What.FILE):
            self._preview_soon()
        if what & What.FILE:
            self.banners.close_notice(_DISCARDED)
        if what & (What.FILE | What.AGENT | What.WHAT_IF):
            self._tell()

    def first_focus(self) -> QWidget:
        return self.editor.table or self.picker

    def came(self) -> None:
        self._preview_soon()

    def went(self) -> None:
        self._soon.stop()

    def views_to_draw(self) -> Iterator[str]:
        """Draw what goes for the whole layout."""
        self.editor.go_to(WHOLE)
        yield "whole"
        self.editor.go_to(SECTIONS)

    def reset_layout(self) -> None:
        self._split.setSizes([each * self.width() for each in _HALVES])

    def _actions(self) -> tuple[Action, ...]:
        keys, scope = QKeySequence.StandardKey, self.editor
        return (
            Action(
                "edit.undo", tr("Undo layout edit"), self._undo, "Ctrl+Z", "undo", self._no_undo, scope=scope
            ),
            Action(
                "edit.redo",
                tr("Redo layout edit"),
                self._redo,
                "Ctrl+Shift+Z",
                "redo",
                self._no_redo,
                scope=scope,
                also=("Ctrl+Y",),
            ),
            Action("edit.save", tr("Save layout"), self._save, keys.Save, "save", self._not_savable),
            Action("edit.discard", tr("Discard draft"), self._discard, None, "delete", self._not_discardable),
            Action(
                "sections.duplicate", tr("Duplicate layout …"), self._ask_copy, None, "copy", self._no_copy
            ),
            Action("sections.rename", tr("Rename layout …"), self._ask_name, None, "rename", self._not_named),
            Action(
                "sections.delete", tr("Delete layout …"), self._ask_delete, None, "delete", self._not_saved
            ),
            Action("sections.try", tr("Try the layout"), self._try, None, "request", self._not_tried),
        )

    def _lay_out(self) -> None:
        self._head, head = FlowLayout(), QFrame()
        head.setProperty("role", "dock_title")
        head.setLayout(self._head)
        ways_out, self._ways_out = QWidget(), QHBoxLayout()
        # Where there is no room beside the others, they go to the next line together.
        arrange(self._ways_out, self.discard_button, self.save_button)
        ways_out.setLayout(self._ways_out)
        buttons = self.duplicate_button, self.rename_button, self.delete_button, self.try_button
        for each in (self.picker, *buttons, ways_out):
            self._head.addWidget(each)
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.setChildrenCollapsible(False)
        left = QWidget()
        self._left = QVBoxLayout(left)
        arrange(self._left, self.about, self.editor)
        self._left.setStretch(1, 1)
        for place, part in enumerate((left, self.preview)):
            self._split.addWidget(part)
            self._split.setStretchFactor(place, _HALVES[place])
        self._pages = FrontStack()
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self._split)
        column = QVBoxLayout(self)
        arrange(column, head, self.banners, self._pages)
        column.setStretch(2, 1)
        self._measure()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn()

    def _turn(self) -> None:
        """Where there is no room beside the sections, the preview stands below them."""
        directions = Qt.Orientation
        is_narrow = self.width() < self.services.appearance.space(_NARROW_STEPS)
        turned = directions.Vertical if is_narrow else directions.Horizontal
        if turned != self._split.orientation() or not self._is_sized:
            self._is_sized = True
            self._split.setOrientation(turned)
            self.reset_layout()

    def _measure(self) -> None:
        space = self.services.appearance.space
        self._head.setContentsMargins(space(3), space(1.5), space(3), space(1.5))
        self._head.setSpacing(space(2))
        self._ways_out.setSpacing(space(2))
        self._left.setContentsMargins(space(3), space(2), space(2), space(2))
        self._left.setSpacing(space(2))
        # With less the tab scrolls: with large text, a small window had room for one section and one figure.
        row = self.services.appearance.row_height()
        self.editor.setMinimumHeight(_EDITOR_ROWS * row)
        self.preview.setMinimumHeight(_PREVIEW_ROWS * row)

    def _connect(self) -> None:
        self.work.changed.connect(self._tell)
        self.editor.edited.connect(self.work.put)
        self.editor.faulted.connect(self._tell_buttons)
        self._soon.timeout.connect(self._preview)
        self.follow_selection()
        self.services.appearance.changed.connect(self._measure)

    def reveal(self, ref: Ref | None, *, opened: bool = False) -> None:
        if ref is not None and ref.kind is RefKind.LAYOUT and ref.id:
            self.work.show(ref.id)

    def _tell(self) -> None:
        """Show everything as it is now."""
        work, layout = self.work, self.work.wanted
        is_there = work.is_read and layout is not None
        self._pages.setCurrentWidget(self._split if is_there else self._empty)
        if work.is_read and layout is None:
            name = one_line(work.name, _LONGEST_NAME)
            self._empty.tell(
                tr("The file has no layout {name} any more.", name=name), tr("Choose another one above.")
            )
        self._tell_picker()
        if layout is not None and work.is_read:
            self.editor.set_open(is_open=not self._not_editable())
            self.editor.load(layout)
        self.about.setText(self._about())
        self._tell_notices()
        self._tell_buttons()
        self._preview_soon()

    def _tell_picker(self) -> None:
        file, work = self.services.workspace.file, self.work
        options = [Option(each, self._title(each)) for each in work.names]
        self.picker.tell(tr("Layout"), name_of_layout(work.name, file.agents))
        self.picker.offer(options, work.name, work.show)
        heading = tr("Layout {name}", name=one_line(work.name, 40)) if work.name else tr("Layout")
        self.set_heading(heading, marked=work.is_dirty)

    def _title(self, name: str) -> str:
        file = self.services.workspace.file
        users = ", ".join(one_line(each.name, 30) for each in self.work.users(name)[:3])
        mark = " *" if Ref(RefKind.LAYOUT, name) in file.records else ""
        shown = f"{name_of_layout(name, file.agents)}{mark}"
        return tr("{name} · used by {agents}", name=shown, agents=users) if users else shown

    def _about(self) -> str:
        users = ", ".join(one_line(each.name, 30) for each in self.work.users(self.work.name))
        used = tr("Used by {agents}.", agents=one_line(users, 200)) if users else tr("No agent uses it.")
        if not self.work.is_own:
            kind = tr("Built in: duplicate it to change it.")
        elif self.work.is_dirty:
            kind = tr("Not saved. The budget counts it where it is used or tried.")
        else:
            kind = tr("Layout of this file.")
        return f"{kind} {used}"

    def _tell_notices(self) -> None:
        work = self.work
        if work.name != self._asked:
            self.banners.close_notice(_DELETE)
        stale = tr("Someone else saved this layout since you began.")
        choices = ((tr("Replace theirs"), work.overwrite), (tr("Discard mine"), self._discard))
        problems = " ".join(tr_code(each.code, each.parameters) for each in work.problems[:3])
        for key, text, notice in (
            (_STALE, stale if work.is_stale else "", Notice(_STALE, stale, "", "warning", choices=choices)),
            (_FAILED, work.failure, Notice(_FAILED, work.failure, tr("Nothing was saved."), "error")),
            (_PROBLEMS, problems, Notice(_PROBLEMS, problems, "", "warning")),
        ):
            shown = next((each for each in self.banners.notices if each.key == key), None)
            if not text:
                self.banners.close_notice(key)
            elif shown is None or shown.text != text:
                self.banners.show_notice(notice)

    def _tell_buttons(self) -> None:
        file, work = self.services.workspace.file, self.work
        agent = one_line(file.agent.name, 30) if file.agent else tr("an agent")
        text = tr("Try on {agent}", agent=agent)
        self.try_button.setText(text.replace("&", "&&"))
        self.try_button.setAccessibleName(text)
        reasons = (
            (self.duplicate_button, self._no_copy()),
            (self.rename_button, self._not_named()),
            (self.delete_button, self._not_saved()),
            (self.try_button, self._not_tried()),
            (self.discard_button, self._not_discardable()),
            (self.save_button, self._not_savable()),
        )
        for each, why in reasons:
            each.setEnabled(not why)
        states = (work.name, self._no_undo(), self._no_redo(), *(why for _, why in reasons))
        if states != self._states and self.isVisible():
            self._states = states
            self.services.actions.refresh()

    def _preview_soon(self) -> None:
        if self.isVisible():
            self._soon.start()

    def _preview(self) -> None:
        file, layout = self.services.workspace.file, self.work.wanted
        if self.work.is_read:
            self.preview.show_layout(layout, file.agent, self.editor.why_not)

    def not_writable(self) -> str:
        return tr("no file is open") if self.services.workspace.file.path is None else super().not_writable()

    def _no_copy(self) -> str:
        return self.not_writable() or ("" if self.work.wanted else tr("no layout is shown"))

    def _not_own(self) -> str:
        if self._no_copy():
            return self._no_copy()
        return "" if self.work.is_own else tr("the layout is built in")

    def _not_named(self) -> str:
        stale = tr("someone else saved the layout since you began") if self.work.is_stale else ""
        return self._not_editable() or stale

    def _not_editable(self) -> str:
        return self._not_own() or (tr("saving …") if self.work.is_saving else "")

    def _not_saved(self) -> str:
        return self._not_editable() or ("" if self.work.is_saved else tr("the layout isn't saved yet"))

    def _not_savable(self) -> str:
        clean = "" if self.work.is_dirty else tr("no unsaved changes")
        return self._not_editable() or clean or self.editor.why_not

    def _not_discardable(self) -> str:
        return self._not_editable() or ("" if self.work.is_dirty else tr("no unsaved changes"))

    def _not_tried(self) -> str:
        agent = self.services.workspace.file.drafted_agent
        if agent is None or self.work.wanted is None:
            return tr("no agent is shown")
        tried = self.services.workspace.file.what_if.agent_with(agent)
        is_used = tried.config.layout == self.work.name
        return tr("the agent's Request has this layout") if is_used else self.editor.why_not

    def _no_undo(self) -> str:
        draft = self.editor.draft
        can = draft is not None and draft.steps.can_undo
        return self._not_editable() or ("" if can else tr("no edit to undo"))

    def _no_redo(self) -> str:
        draft = self.editor.draft
        can = draft is not None and draft.steps.can_redo
        return self._not_editable() or ("" if can else tr("no edit to redo"))

    def _undo(self) -> None:
        if self.editor.draft is not None:
            self.editor.draft.undo_step()

    def _redo(self) -> None:
        if self.editor.draft is not None:
            self.editor.draft.redo_step()

    def _try(self) -> None:
        workspace = self.services.workspace
        agent = workspace.file.drafted_agent
        if agent is not None and not self._not_tried():
            workspace.try_out(workspace.file.what_if.with_layout(agent, self.work.name))

    def _save(self) -> None:
        if not self._not_savable():
            self.banners.close_notice(_DISCARDED)
            self.work.save()

    def _discard(self) -> None:
        if self._not_discardable():
            return
        operation = self.work.discard()
        if operation is not None:
            choices = ((tr("Restore draft"), partial(self._bring_back, operation)),)
            self.banners.show_notice(Notice(_DISCARDED, tr("Draft discarded."), choices=choices))

    def _bring_back(self, operation: PutLayout) -> None:
        self.banners.close_notice(_DISCARDED)
        self.work.bring_back(operation)

    def _ask_copy(self) -> None:
        layout: Layout | None = self.work.wanted
        if layout is not None and not self._no_copy():
            name = self.work.free_name(layout.name)
            self._ask(tr("Duplicate layout"), tr("Duplicate"), name, partial(self.work.duplicate, layout))

    def _ask_name(self) -> None:
        if not self._not_named():
            name = self.work.name
            self._ask(tr("Rename layout"), tr("Rename"), name, partial(self.work.rename, name))

    def _ask(self, title: str, do: str, name: str, take: Callable[[str], None]) -> None:
        fields = (FormField("name", tr("Name"), name, required=True, fault=self.work.name_fault),)
        FormDialog(self.window(), title, fields, do, lambda given: take(given["name"])).show()

    def _ask_delete(self) -> None:
        if self._not_saved():
            return
        users = ", ".join(one_line(each.name, 30) for each in self.work.users(self.work.name))
        if users:
            text = tr("Used by {agents}. They get the layout {usual}.", agents=users, usual=usual_layout())
        else:
            text = tr("No agent uses it.")
        self._asked = name = self.work.name
        choices = ((tr("Delete"), partial(self._delete, name)),)
        title = tr("Delete the layout {name}?", name=one_line(name, _LONGEST_NAME))
        self.banners.show_notice(Notice(_DELETE, title, text, "warning", choices=choices))

    def _delete(self, name: str) -> None:
        self.banners.close_notice(_DELETE)
        if not self._not_saved():
            self.work.delete(name)
