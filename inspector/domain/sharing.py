"""Who sees which block: attachments of a file, what a block costs each agent, and what an edit changes for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from inspector.domain.blocks import CONSTELLATION_OWNER, Attachment, Permission
from inspector.domain.counts import Method
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Parameters, Problem
from inspector.domain.requests import Piece


@dataclass(frozen=True, slots=True)
class SharableBlock:
    """An active block without its content. `permission` is the block's own level."""

    id: str
    owner: str
    label: str
    permission: Permission

    @property
    def is_for_all(self) -> bool:
        """Whether it is the file's own, so that every agent sees it."""
        return self.owner == CONSTELLATION_OWNER


@dataclass(frozen=True, slots=True)
class SharingTable:
    """All active blocks of a file, each owner's together, and every attachment by block and agent."""

    blocks: tuple[SharableBlock, ...] = ()
    attachments: Mapping[tuple[str, str], Attachment] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BlockCost:
    """What one block takes of one agent's Request.

    `rule` says why it is in, nothing where it is not; `out_rule` why it or a part of it is out. `out_tokens` is what
    the part that is out would take.
    """

    tokens: int = 0
    method: Method = Method.EXACT
    rule: str = ""
    parameters: Parameters = field(default_factory=dict)
    out_rule: str = ""
    out_parameters: Parameters = field(default_factory=dict)
    out_tokens: int = 0

    @property
    def is_in(self) -> bool:
        return bool(self.rule)


@dataclass(frozen=True, slots=True)
class AgentCosts:
    """What each block costs an agent, by block id; `problem` says why no Request can be built, if none can."""

    agent_id: str
    blocks: Mapping[str, BlockCost] = field(default_factory=dict)
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class AgentEffect:
    """What an edit of a block changes in one agent's next Request.

    `before` and `after` are the tokens of the Request, None where it cannot be built (`problem` says why). `removed`
    are pieces that fall out, `added` those that come in, in sending order; `resized` are other pieces than the block's
    that are cut or get more room, each with its difference in tokens.
    """

    agent_id: str
    before: int | None
    after: int | None
    method: Method = Method.EXACT
    removed: tuple[Piece, ...] = ()
    added: tuple[Piece, ...] = ()
    resized: tuple[tuple[Piece, int], ...] = ()
    problem: Problem | None = None

    @property
    def delta(self) -> int:
        """The change in tokens, 0 where one of the two cannot be built."""
        return 0 if self.before is None or self.after is None else self.after - self.before


def seen_by(owner: str, attached: frozenset[str], agents: tuple[str, ...]) -> tuple[str, ...]:
    """Which of these agents see a block, in their order, by its owner and the agents that it is attached to."""
    return tuple(each for each in agents if owner in (each, CONSTELLATION_OWNER) or each in attached)
