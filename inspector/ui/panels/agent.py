"""The agent panel: all settings of one agent, whose changes are drafts counted in the budget."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from inspector.domain.agents import ToolRule, ToolRuleKind
from inspector.domain.edits.base import Edit
from inspector.domain.model_offers import offer_of
from inspector.domain.models import ModelFacts, ResolvedBy
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.runtime.agent_settings import SettingChoices
from inspector.ui.actions import Action
from inspector.ui.agent_settings.form import AgentForm, group_titles
from inspector.ui.agent_settings.inputs import TextInput
from inspector.ui.agent_settings.rule_values import rule_clash_text
from inspector.ui.agent_settings.session import AgentSession
from inspector.ui.agent_settings.tools import new_rule
from inspector.ui.editors.showing import show_character
from inspector.ui.file_state import What
from inspector.ui.model_choice import ModelChoice
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.presentation.names import name_of_layout
from inspector.ui.presentation.places import found_in, place_in
from inspector.ui.presentation.what_if import is_prompt
from inspector.ui.safe_text import ElidedLabel, PlainLabel, one_line
from inspector.ui.selection import PointedPlace
from inspector.ui.widgets.banner import Banners, Notice
from inspector.ui.widgets.controls import EmptyState, Segments, arrange, button, field
from inspector.ui.wording import number, tr, tr_count

_ELSEWHERE, _DISCARDED, _CLASH, _RULES = "elsewhere", "discarded", "clash", "rules"
_READ_FOR = frozenset({RefKind.TOOL, RefKind.TOOL_RULE, RefKind.LAYOUT, RefKind.FILE})
"""Changes of these are no change of the agent, but of what its settings are chosen from."""
_REASON_STEPS = 40
_TOKENS = {"persona": "persona"}
"""The settings whose text is a piece of the Request, with that piece's source."""
_LAID_OUT_MILLISECONDS = 100


class AgentPanel(Panel):
    """A centre tab on one agent."""

    def __init__(self, services: PanelServices, ref: Ref | None = None) -> None:
        super().__init__(services)
        self._id = ref.id if ref is not None else ""
        appearance, icons = services.appearance, services.icons
        self.work = AgentSession(services, self._id, self)
        self.form = AgentForm(self.work, appearance, icons)
        self._models = ModelChoice(services, self)
        self._choices = SettingChoices()
        self._asked_for: tuple[str, object] | None = None
        self._label = ElidedLabel("", strong=True)
        self._kind = ElidedLabel(tr("Agent settings"), tone="muted")
        self.state_note = PlainLabel("", tone="warning", size="small")
        self.sections = Segments(
            tr("Sections of the settings"),
            *((each.title, tr("Go to {section}", section=each.title)) for each in group_titles()),
        )
        self.reason_field = field(tr("Reason (optional)"))
        self.discard_button = button(tr("Discard"), self._discard)
        self.save_button = button(_save_text(), self._save, role="primary")
        self.banners = Banners(appearance, icons)
        self._empty = EmptyState(tr("This agent isn't in the file any more."))
        self._stack = QStackedWidget()
        self.act(*self._actions())
        self._action_states: tuple[object, ...] = ()
        self._lay_out()
        self._connect()
        self._read_choices()
        self._tell()

    def follow(self, what: What) -> None:
        """Take what of the file concerns the agent."""
        written = self.services.workspace.file.last_written
        if what & What.WRITTEN and written is not None and written.ref.kind in _READ_FOR:
            self._asked_for = None
            self._read_choices()
        if what & (What.REQUEST | What.AGENT):
            self._tell_figures()
        if what & (What.AGENT | What.AGENTS | What.FILE):
            self._tell()

    def first_focus(self) -> QWidget:
        return self.form.rows["name"].input if self.work.stored is not None else self._empty

    def show_place(self, text: str, offset: int) -> None:
        """Go to the tool of that name."""
        self.form.tools.show_tool(text)
        # Only when its rows are laid out they can be scrolled to.
        QTimer.singleShot(_LAID_OUT_MILLISECONDS, self, lambda: self.form.go_to("tools"))

    def reveal(self, ref: Ref | None, *, opened: bool = False) -> None:
        if opened and ref is not None:
            self.reveal_at(ref, None)

    def reveal_at(self, ref: Ref, place: PointedPlace | None) -> None:
        if ref.kind is RefKind.TOOL:
            self.show_place(ref.id, 0)
        elif ref.kind is RefKind.LITERAL and is_prompt(ref):
            # As above.
            QTimer.singleShot(_LAID_OUT_MILLISECONDS, self, partial(self._show_prompt, ref.id, place))

    def _show_prompt(self, id_: str, place: PointedPlace | None) -> None:
        """Go to the persona or an instruction, and to the character that was pointed at."""
        self.form.go_to("prompt")
        persona, instructions = self.form.rows["persona"].input, self.form.instructions.rows
        texts = {f"instructions/{at}": row.editor for at, row in enumerate(instructions)}
        if isinstance(persona, TextInput):
            texts["persona"] = persona.editor
        editor = texts.get(id_)
        if editor is None or not editor.isVisible():
            return
        if place is None:
            editor.setFocus()
        elif place.length:
            show_character(editor, lambda text: found_in(text, place), place.length)
        else:
            show_character(editor, lambda text: place_in(text, place.text, place.offset))

    def views_to_draw(self) -> Iterator[str]:
        """Each section at the top."""
        for group in group_titles():
            if group.id != "agent":
                self.form.go_to(group.id)
                yield group.id
        self.form.go_to("agent")

    def came(self) -> None:
        self._tell()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold_head()

    def _actions(self) -> tuple[Action, ...]:
        keys, work = QKeySequence.StandardKey, self.work

        def no_undo() -> str:
            return self._not_editable() or ("" if work.can_undo else tr("no edit to undo"))

        def no_redo() -> str:
            return self._not_editable() or ("" if work.can_redo else tr("no edit to redo"))

        def is_unsaved() -> bool:
            return work.is_dirty

        undo, redo = tr("Undo settings edit"), tr("Redo settings edit")
        return (
            Action(
                "edit.undo",
                undo,
                work.undo_step,
                "Ctrl+Z",
                "undo",
                no_undo,
                scope=self.form,
                instead="change.undo",
                is_unsaved=is_unsaved,
            ),
            Action(
                "edit.redo",
                redo,
                work.redo_step,
                "Ctrl+Shift+Z",
                "redo",
                no_redo,
                scope=self.form,
                also=("Ctrl+Y",),
                instead="change.redo",
                is_unsaved=is_unsaved,
            ),
            Action("edit.save", tr("Save settings"), self._save, keys.Save, "save", self._not_savable),
            Action("edit.discard", tr("Discard draft"), self._discard, None, "delete", self._not_discardable),
        )

    def _lay_out(self) -> None:
        head = QFrame()
        head.setProperty("role", "dock_title")
        self._names, self._tools = QHBoxLayout(), QHBoxLayout()
        arrange(self._names, self._label, self._kind, self.state_note, self.discard_button, self.save_button)
        self._names.setStretch(1, 1)
        arrange(self._tools, self.sections, self.reason_field)
        self._tools.setStretch(1, 1)
        self._head = QVBoxLayout(head)
        arrange(self._head, self._names, self._tools)
        arrange(QVBoxLayout(self), head, self.banners, self._stack)
        self._stack.addWidget(self.form)
        self._stack.addWidget(self._empty)
        self.form.fill()
        self._measure()

    def _measure(self) -> None:
        space = self.services.appearance.space
        self._head.setContentsMargins(space(3), space(2), space(3), space(2))
        self._head.setSpacing(space(2))
        self._names.setSpacing(space(2))
        self._tools.setSpacing(space(2))
        self._label.setMaximumWidth(space(75))
        self._fold_head()

    def _fold_head(self) -> None:
        """Where there is no room beside the sections, the reason stands below them."""
        room = self.width() - self.sections.sizeHint().width()
        directions = QBoxLayout.Direction
        below = room < self.services.appearance.space(_REASON_STEPS)
        self._tools.setDirection(directions.TopToBottom if below else directions.LeftToRight)

    def _connect(self) -> None:
        work, form = self.work, self.form
        work.changed.connect(self._tell)
        work.saved.connect(self._note_saved)
        work.steps_ended.connect(self.form.forget_steps)
        work.discarded.connect(self._offer_back)
        work.clashed.connect(self._tell_clash)
        form.faulted.connect(self._tell)
        form.reached.connect(self._mark_section)
        form.model_asked.connect(self._ask_model)
        form.layout_asked.connect(self._open_layout)
        form.tools.ruled.connect(lambda rule: work.put_rule(rule, self._choices.rules))
        form.tools.unruled.connect(lambda rule: work.remove_rule(rule, self._choices.rules))
        form.tools.rule_asked.connect(self._add_rule)
        form.tools.refilled.connect(self._show_choices)
        for at, group in enumerate(group_titles()):
            self.sections.buttons[at].clicked.connect(lambda _=False, id_=group.id: form.go_to(id_))
        self.reason_field.returnPressed.connect(self._save)
        self.services.appearance.changed.connect(self._measure)

    @property
    def _request(self) -> Request | None:
        file = self.services.workspace.file
        return file.request if file.agent_id == self._id else None

    def _not_editable(self) -> str:
        if self.work.stored is None:
            return tr("the agent isn't in the file any more")
        return tr("the file is read-only") if self.services.workspace.file.read_only is not None else ""

    def _faults(self) -> str:
        unfit = self.form.unfit
        return tr("check {name}", name=self.form.rows[unfit].field.label) if unfit else ""

    def _not_savable(self) -> str:
        return (
            self._not_editable() or self._faults() or ("" if self.work.is_dirty else tr("no unsaved changes"))
        )

    def _not_discardable(self) -> str:
        is_dirty = self.work.is_dirty or bool(self.form.faults)
        return self._not_editable() or ("" if is_dirty else tr("no unsaved changes"))

    def _tell(self, *_: object) -> None:
        """Say and show everything as it is now."""
        stored, wanted = self.work.stored, self.work.wanted
        self._stack.setCurrentWidget(self.form if stored is not None else self._empty)
        is_dirty = self.work.is_dirty or bool(self.form.faults)
        shown = wanted or stored
        name = one_line(shown.name if shown else self._id, 60)
        self.set_heading(tr("Settings of {agent}", agent=name), marked=is_dirty)
        self._label.setText(name)
        self._tell_buttons(is_dirty)
        if stored is None or wanted is None:
            return
        self.form.show_agent(is_open=not self._not_editable())
        self._show_choices()
        self._tell_elsewhere()
        self._read_choices()

    def _tell_buttons(self, is_dirty: bool) -> None:
        work = self.work
        can_save = not self._not_savable() and not work.is_saving
        self.save_button.setEnabled(can_save)
        self.discard_button.setEnabled(not self._not_discardable() and not work.is_saving)
        self.reason_field.setEnabled(not self._not_editable())
        note = tr("saving …") if work.is_saving else self._faults() or (tr("not saved") if is_dirty else "")
        self.state_note.setText(note)
        self.state_note.setVisible(bool(note))
        states = (self._not_savable(), self._not_discardable(), work.can_undo, work.can_redo)
        if states != self._action_states and self.isVisible():
            self._action_states = states
            self.services.actions.refresh()

    def _tell_elsewhere(self) -> None:
        """Where the budget is another agent's, say so: what is changed here doesn't show in it."""
        workspace = self.services.workspace
        shown, agent = workspace.file.agent, self.work.stored
        if shown is None or agent is None or shown.id == agent.id:
            self.banners.close_notice(_ELSEWHERE)
            return
        text = tr("The budget shows {agent}.", agent=one_line(shown.name, 40))
        if not any(each.key == _ELSEWHERE and each.text == text for each in self.banners.notices):
            show = tr("Show {agent}'s budget", agent=one_line(agent.name, 40))
            choices = ((show, partial(workspace.show_agent, agent.id)),)
            self.banners.show_notice(Notice(_ELSEWHERE, text, "", "info", choices=choices, closable=False))

    def _tell_figures(self) -> None:
        request = self._request
        tokens = _tokens(request)
        wanted = self.work.wanted
        count = len(wanted.instructions) if wanted else 0
        self.form.show_figures(
            {path: tokens.get(source, "") for path, source in _TOKENS.items()},
            [tokens.get(f"instructions/{at}", "") for at in range(count)],
        )

    def _read_choices(self) -> None:
        """Read anew what settings are chosen from, where the file or the model is another."""
        session, wanted = self.services.workspace.live.session, self.work.wanted
        if session is None or wanted is None:
            return
        asked = (wanted.model, self.work.stored)
        if asked != self._asked_for:
            self._asked_for = asked
            work = session.engine.agent_settings.choices(self._id, wanted.model)
            name = tr("Reading the agent's settings")
            self.services.bridge.supersede(
                ("agent settings", self._id), work, name=name, on_done=self._take_choices
            )

    def _take_choices(self, choices: SettingChoices) -> None:
        self._choices = choices
        self.work.are_rules_stale = False
        self._show_choices()

    def _show_choices(self) -> None:
        stored, wanted, choices = self.work.stored, self.work.wanted, self._choices
        session = self.services.workspace.live.session
        if stored is None or wanted is None or session is None:
            return
        layouts = choices.layouts or {}
        if layouts:
            notes = {name: each.description for name, each in layouts.items()}
            agents = self.services.workspace.file.agents
            self.form.show_layouts({each: name_of_layout(each, agents) for each in layouts}, notes)
            settings = session.engine.agent_settings
            layout = layouts.get(wanted.config.layout)
            self.form.show_limits(settings.usual_limits(wanted, layout))
            self.form.show_model(_about_model(settings.model(wanted.model), wanted.model))
        tools = self.form.tools
        tools.show_tools(choices.tools, wanted.tools, stored.tools)
        tools.show_tokens(choices.tool_tokens or {})
        tools.show_rules(self.work.rules(choices.rules), choices.rules)
        self._tell_figures()
        self._tell_rule_clashes()

    def _tell_rule_clashes(self) -> None:
        """Let a person choose where somebody else has set the same tool rules, before anything is saved."""
        clashes = self.work.rule_clashes(self._choices.rules)
        if not clashes:
            self.banners.close_notice(_RULES)
            return
        theirs = rule_clash_text(clashes)
        text = tr("Someone else changed the same tool rules. {theirs}", theirs=theirs)
        if any(each.key == _RULES and each.text == text for each in self.banners.notices):
            return
        choices = (
            (tr("Use theirs"), lambda: self.work.settle_rules(self._choices.rules, mine=False)),
            (tr("Keep mine"), lambda: self.work.settle_rules(self._choices.rules, mine=True)),
        )
        notice = Notice(
            _RULES, text, tr("Choose before you save."), "warning", choices=choices, closable=False
        )
        self.banners.show_notice(notice)

    def _mark_section(self, group: str) -> None:
        ids = [each.id for each in group_titles()]
        self.sections.choose(ids.index(group))

    def _ask_model(self) -> None:
        wanted = self.work.wanted
        if wanted is not None:
            self._models.ask(self.form.model_input, partial(self._take_model), current=wanted.model)

    def _open_layout(self) -> None:
        wanted = self.work.wanted
        if wanted is not None:
            self.services.selection.open(Ref(RefKind.LAYOUT, wanted.config.layout))

    def _take_model(self, model: str) -> None:
        wanted, offers = self.work.wanted, self.services.workspace.file.models
        old, new = (offer_of(offers, each) for each in (wanted.model if wanted else "", model))
        self.work.set("model", model)
        # A provider of one's own, such as a gateway, stays.
        if wanted is not None and new is not None and wanted.provider in ("", old.provider if old else ""):
            self.work.set("provider", new.provider)

    def _add_rule(self, tool: str, kind: ToolRuleKind) -> None:
        rule: ToolRule = new_rule(self.services.workspace.new_id("rul"), self._id, tool, kind)
        self.work.put_rule(rule, self._choices.rules)

    def _save(self) -> None:
        if self._not_savable() or self.work.is_saving:
            return
        self.banners.close_notice(_CLASH)
        self.work.save(self.reason_field.text().strip() or self._summary())

    def _summary(self) -> str:
        """What is saved, in words: the name of the step that an undo takes back."""
        changed = [row.field.label for path, row in self.form.rows.items() if self.work.is_changed(path)]
        changed += [
            title
            for path, title in (("instructions", tr("Instructions")), ("tools", tr("Tools")))
            if self.work.is_changed(path)
        ]
        stored = self._choices.rules
        changed += [tr("Tool rules")] if self.work.rules(stored) != stored else []
        name = one_line(self._label.original, 40)
        return tr("Change settings of {agent}: {what}.", agent=name, what=", ".join(dict.fromkeys(changed)))

    def _discard(self) -> None:
        self.form.forget_faults()
        self.work.discard()
        self._tell()

    def _note_saved(self) -> None:
        self.reason_field.clear()
        self.banners.close_notice(_DISCARDED)
        # Rules are not read with the agents.
        self._asked_for = None
        self._read_choices()

    def _offer_back(self, edits: tuple[Edit, ...]) -> None:
        choices = ((tr("Restore draft"), partial(self.work.bring_back, edits)),)
        self.banners.show_notice(Notice(_DISCARDED, tr("Draft discarded."), choices=choices))

    def _tell_clash(self) -> None:
        # Rules are not read with the agents.
        self._asked_for = None
        self._read_choices()
        if not self.work.clashing:
            return
        text = tr("Someone else changed the same settings meanwhile.")
        remark = tr("Nothing was saved. Choose a value for each marked setting, then save.")
        self.banners.show_notice(Notice(_CLASH, text, remark, "warning"))
        path = next((each for each in self.form.rows if each in self.work.clashing), None)
        if path is not None:
            self.form.ensureWidgetVisible(self.form.rows[path])


def _tokens(request: Request | None) -> dict[str, str]:
    """The tokens of each text of the agent's own in a Request, by its source."""
    found: dict[str, int] = {}
    for section in request.sections if request is not None else ():
        for piece in section.pieces:
            ref = piece.source.ref
            if ref is not None and ref.kind is RefKind.LITERAL:
                found[ref.id] = found.get(ref.id, 0) + piece.tokens
    return {id_: tr_count("{count} token", "{count} tokens", tokens) for id_, tokens in found.items()}


def _about_model(facts: ModelFacts | None, model: str) -> str:
    """What is known of a model, in a line."""
    if facts is None or facts.resolved_by is ResolvedBy.MAKER:
        if not model:
            return tr("No model set: tokens are estimated.")
        return tr("Unknown model: tokens are estimated, and the window is assumed.")
    window = facts.context_window or facts.max_input
    if window is None:
        return tr("Window unknown.")
    return tr("Window: {count} tokens.", count=number(window))


def _save_text() -> str:
    keys = QKeySequence(QKeySequence.StandardKey.Save).toString(QKeySequence.SequenceFormat.NativeText)
    return tr("Save  {keys}", keys=keys)
