"""A widget that chooses one agent of the file, or all."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QComboBox

from inspector.ui.safe_text import one_line
from inspector.ui.wording import tr

_NAME_LENGTH = 40


class AgentFilter(QComboBox):
    """`currentIndexChanged` tells of another choice."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Agent"))
        self._listed: tuple[tuple[str, str], ...] = ()
        self.show_agents(())

    @property
    def agent_id(self) -> str:
        """The id of the chosen agent, nothing for all."""
        return str(self.currentData() or "")

    def show_agents(self, agents: Sequence[tuple[str, str]]) -> None:
        """Offer these (id, name); the one that is chosen stays so as long as it is there."""
        rows = (("", tr("All agents")), *agents)
        if rows == self._listed:
            return
        chosen, self._listed = self.agent_id, rows
        self.blockSignals(True)
        self.clear()
        for id_, name in rows:
            self.addItem(one_line(name, _NAME_LENGTH), id_)
        self.choose(chosen)
        self.blockSignals(False)

    def choose(self, agent_id: str) -> None:
        self.setCurrentIndex(max(0, self.findData(agent_id)))
