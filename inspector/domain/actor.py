"""The actor who makes a change, and the clock and ids that the engine passes in."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum

from inspector.domain.dataclass import dataclass


class ActorKind(StrEnum):
    """Agents are bound by permissions; humans may unlock; system and import act for the engine."""

    AGENT = "agent"
    HUMAN = "human"
    PARTNER = "partner"
    SYSTEM = "system"
    IMPORT = "import"


@dataclass(frozen=True, slots=True)
class Actor:
    """An identity. `id` is stable (an agent's id, a partner's id, a user's login), `name` is shown."""

    kind: ActorKind
    id: str
    name: str

    @property
    def is_person(self) -> bool:
        return self.kind in (ActorKind.HUMAN, ActorKind.PARTNER)


SYSTEM = Actor(ActorKind.SYSTEM, "system", "system")
IMPORTER = Actor(ActorKind.IMPORT, "import", "import")


Clock = Callable[[], datetime]
"""Gives the present moment in UTC."""

IdGenerator = Callable[[str], str]
"""Gives a new unique id with a prefix: ``ids("blk")`` → ``blk_…``. Later ids sort after earlier ones."""
