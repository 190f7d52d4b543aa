"""Who caused an edit."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
        """Whether a person decided this edit."""
        return self.kind in (ActorKind.HUMAN, ActorKind.PARTNER)


SYSTEM = Actor(ActorKind.SYSTEM, "system", "system")
IMPORTER = Actor(ActorKind.IMPORT, "import", "import")
