"""Actions on agents: the way to each one's settings, and making a new one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtWidgets import QWidget

from inspector.domain.edits.base import Edit, Receipt
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.model_offers import offer_of
from inspector.domain.ref import Ref, RefKind
from inspector.ui.actions import Action
from inspector.ui.file_state import What
from inspector.ui.main_window import MainWindow
from inspector.ui.model_choice import ModelChoice
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.labels import agent_name_fault, agent_name_note
from inspector.ui.safe_text import one_line
from inspector.ui.widgets.prompt import FormDialog, FormField
from inspector.ui.wording import number, tr

_OF_ONE = "settings_of."
_NAME_LENGTH = 60


class AgentCommands:
    """Registers the actions that make an agent and open its settings, one of these for each agent by name."""

    def __init__(self, services: PanelServices, window: MainWindow) -> None:
        self._services = services
        self._window = window
        self._models = ModelChoice(services, window)
        self._made: Ref | None = None
        """The agent that was made, to be opened once it is read."""
        self._named: tuple[tuple[str, str], ...] = ()
        services.actions.add(
            Action("agent.new", tr("New agent …"), self._ask_new, None, "agent", self._not_writable),
            Action("agent.settings", tr("Agent settings"), self._open, None, "settings", self._no_agent),
        )
        services.workspace.changed.connect(self._follow)
        window.top_bar.settings.clicked.connect(
            lambda _=False: self._opener(services.workspace.file.agent_id)()
        )

    def _follow(self, what: What) -> None:
        if what & (What.FILE | What.AGENTS):
            self._name_all()
            self._open_made()

    def _name_all(self) -> None:
        agents = self._services.workspace.file.agents
        named = tuple((each.id, each.name) for each in agents)
        if named == self._named:
            return
        self._named = named
        self._services.actions.remove(_OF_ONE)
        rows = (self._row(id_, name) for id_, name in named)
        self._services.actions.add(*rows)

    def _row(self, agent_id: str, name: str) -> Action:
        title = tr("Settings of {agent} …", agent=one_line(name, _NAME_LENGTH))
        return Action(f"{_OF_ONE}{agent_id}", title, self._opener(agent_id), None, "settings")

    def _opener(self, agent_id: str) -> Callable[[], None]:
        return partial(self._services.selection.open, Ref(RefKind.AGENT, agent_id))

    def _agent_id(self) -> str:
        ref, file = self._services.selection.ref, self._services.workspace.file
        is_agent = ref is not None and ref.kind is RefKind.AGENT
        return ref.id if is_agent and ref is not None else file.agent_id

    def _no_agent(self) -> str:
        return "" if self._agent_id() else tr("no agent is shown")

    def _open(self) -> None:
        self._opener(self._agent_id())()

    def _not_writable(self) -> str:
        file = self._services.workspace.file
        if file.path is None:
            return tr("no file is open")
        return tr("the file is read-only") if file.read_only else ""

    def _ask_new(self) -> None:
        shown = self._services.workspace.file.agent
        fields = (
            FormField("name", tr("Name"), required=True, fault=agent_name_fault, note=self._about_name),
            FormField(
                "model",
                tr("Model"),
                shown.model if shown else "",
                required=True,
                pick=self._pick,
                note=self._about_model,
            ),
        )
        FormDialog(self._window, tr("New agent"), fields, tr("Create agent"), self._make).show()

    def _pick(self, anchor: QWidget, take: Callable[[str], None], current: str) -> None:
        self._models.ask(anchor, take, current=current)

    def _about_name(self, name: str) -> str:
        return agent_name_note(self._services.workspace.file.agents, name)

    def _about_model(self, model: str) -> str:
        if not model:
            return ""
        offer = offer_of(self._services.workspace.file.models, model)
        if offer is None:
            return tr("Unknown model: tokens are estimated, and the window is assumed.")
        return "" if offer.window is None else tr("Window: {count} tokens.", count=number(offer.window))

    def _make(self, answers: Mapping[str, str]) -> None:
        workspace, model = self._services.workspace, answers["model"]
        offer, shown = offer_of(workspace.file.models, model), workspace.file.agent
        provider = offer.provider if offer is not None else shown.provider if shown is not None else ""
        operation = CreateAgent(answers["name"], model=model, provider=provider)
        workspace.apply([Edit(Ref(RefKind.AGENT, ""), operation)], on_done=self._note_made)

    def _note_made(self, receipts: Sequence[Receipt]) -> None:
        self._made = receipts[0].ref
        self._open_made()

    def _open_made(self) -> None:
        made, workspace = self._made, self._services.workspace
        if made is not None and any(each.id == made.id for each in workspace.file.agents):
            self._made = None
            workspace.show_agent(made.id)
            self._opener(made.id)()
