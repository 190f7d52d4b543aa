"""The service that stores how far an agent's history was shortened."""

from __future__ import annotations

from inspector.domain.actor import Actor
from inspector.domain.edits.base import Edit, Intent, Receipt
from inspector.domain.edits.rows import CompactHistory
from inspector.domain.limits import HistoryState
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import RequestSpec
from inspector.memory.agent_store import AgentStore
from inspector.runtime.context import ContextService
from inspector.runtime.edits import EditService


class CompactionService:
    """Keeps what a build proposes."""

    def __init__(self, context: ContextService, agents: AgentStore, edits: EditService, actor: Actor) -> None:
        self._context = context
        self._agents = agents
        self._edits = edits
        self._actor = actor

    async def state(self, agent_id: str) -> HistoryState | None:
        """How far an agent's history was shortened when it was last sent, None if that is not known."""
        return (await self._agents.history_state(agent_id))[0]

    async def compact(self, agent_id: str, spec: RequestSpec | None = None) -> Receipt | None:
        """Shorten an agent's history as a Request sent now would, so that later ones begin the same.

        No message is changed. None where the agent's strategy begins each Request anew.

        Raises:
            NotFoundError: there is no such agent. BudgetError: what must be sent cannot fit.
            FileError: the file cannot be written.
        """
        request = await self._context.request(agent_id, spec)
        if request.history_state is None:
            return None
        edit = Edit(Ref(RefKind.AGENT, agent_id), CompactHistory(request.history_state))
        (receipt,) = await self._edits.apply([Intent(edit, self._actor, "compact")])
        return receipt
