"""Actions on agents: the way to each one's settings, and making a new one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from inspector.domain.ref import Ref, RefKind
from inspector.ui.actions import Action
from inspector.ui.file_state import What
from inspector.ui.panel import PanelServices
from inspector.ui.safe_text import one_line
from inspector.ui.wording import tr

_OF_ONE = "settings_of."
_NAME_LENGTH = 60


class AgentCommands:
    """Registers an action on the selected agent's settings, else the shown one's, and one for each agent by name."""

    def __init__(self, services: PanelServices) -> None:
        self._services = services
        self._named: tuple[tuple[str, str], ...] = ()
        services.actions.add(
            Action("agent.settings", tr("Agent settings"), self._open, None, "settings", self._no_agent)
        )
        services.workspace.changed.connect(self._follow)

    def _follow(self, what: What) -> None:
        if what & (What.FILE | What.AGENTS):
            self._name_all()

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
