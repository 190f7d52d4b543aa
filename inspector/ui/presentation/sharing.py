"""Sharing in words: who may do what with a block, what it costs each agent, and the edits that change it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from inspector.domain.agents import Agent
from inspector.domain.blocks import Attachment, Permission
from inspector.domain.counts import Count
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import AttachBlock, DetachBlock
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rules import PARTLY_IN
from inspector.domain.sharing import BlockCost, SharableBlock
from inspector.ui.presentation.card import level_name
from inspector.ui.safe_text import one_line
from inspector.ui.wording import counted, number, tr, tr_code, tr_count

_NAME_LENGTH, _NAMES = 40, 3


class AccessKind(StrEnum):
    """Why an agent sees a block, or that it doesn't."""

    OWNER = "owner"
    EVERYONE = "everyone"
    SHARED = "shared"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class AgentAccess:
    """What one agent may do with one block. `level` was granted to it, `effective` is what it comes to."""

    kind: AccessKind
    level: Permission | None = None
    effective: Permission | None = None

    @property
    def sees(self) -> bool:
        return self.kind is not AccessKind.NONE

    @property
    def why_fixed(self) -> str:
        """Why it can't be changed here, nothing where it can."""
        if self.kind is AccessKind.OWNER:
            return tr("the agent owns the block")
        return tr("every agent sees this block") if self.kind is AccessKind.EVERYONE else ""


NO_ACCESS = AgentAccess(AccessKind.NONE)


@dataclass(frozen=True, slots=True)
class AccessRow:
    """One agent of a block's Sharing view. `is_gone`: the agent is deleted, and its attachment still there."""

    agent_id: str
    name: str
    access: AgentAccess
    cost: BlockCost | None = None
    is_gone: bool = False
    problem: str = ""


def access_of(block: SharableBlock, agent_id: str, attachment: Attachment | None) -> AgentAccess:
    """What an agent may do with a block."""
    own = block.permission
    if block.is_for_all:
        return AgentAccess(AccessKind.EVERYONE, own, own)
    if block.owner == agent_id:
        return AgentAccess(AccessKind.OWNER, own, own)
    if attachment is None:
        return NO_ACCESS
    return AgentAccess(AccessKind.SHARED, attachment.permission, min(own, attachment.permission))


def access_rows(
    block: SharableBlock, attachments: Sequence[Attachment], agents: Sequence[Agent]
) -> list[AccessRow]:
    """A row for each agent in the file's order, the owner before all."""
    by_agent = {each.agent_id: each for each in attachments}
    rows = [
        AccessRow(each.id, each.name, access_of(block, each.id, by_agent.get(each.id))) for each in agents
    ]
    there = {each.id for each in agents}
    rows += [
        AccessRow(each.agent_id, each.agent_id, access_of(block, each.agent_id, each), is_gone=True)
        for each in attachments
        if each.agent_id not in there
    ]
    return sorted(rows, key=lambda row: row.access.kind is not AccessKind.OWNER)


def access_text(access: AgentAccess) -> str:
    """What an agent may do, in words; also what was granted, where the block itself allows less."""
    if access.effective is None or access.level is None:
        return tr("no access")
    text = level_name(access.effective)
    if access.kind is AccessKind.OWNER:
        return tr("owner: {level}", level=text)
    if access.kind is AccessKind.EVERYONE:
        return tr("every agent: {level}", level=text)
    if access.effective < access.level:
        return tr("{level} (granted: {more})", level=text, more=level_name(access.level))
    return text


_SHORT = {
    Permission.READ_ONLY: lambda: tr("read"),
    Permission.PARTNER: lambda: tr("partner"),
    Permission.HUMAN: lambda: tr("approval"),
    Permission.APPEND: lambda: tr("append"),
    Permission.READ_WRITE: lambda: tr("write"),
    Permission.ADMIN: lambda: tr("admin"),
}


def short_level(access: AgentAccess) -> str:
    """What an agent may do, in one word for a narrow cell; nothing for no access."""
    if access.kind is AccessKind.OWNER:
        return tr("owner")
    if access.effective is None:
        return ""
    return _SHORT[access.effective]()


def cost_text(cost: BlockCost | None) -> str:
    """The tokens that a block takes, nothing where that is unknown or it is out."""
    return counted(Count(cost.tokens, cost.method)) if cost is not None and cost.is_in else ""


def why_text(cost: BlockCost | None) -> str:
    """Whether a block is in the Request, and why."""
    if cost is None:
        return ""
    out = tr_code(f"left_out.{cost.out_rule}", cost.out_parameters) if cost.out_rule else ""
    if cost.is_in:
        why = tr_code(f"rule.{cost.rule}", cost.parameters)
        partly = out if cost.out_rule in PARTLY_IN else ""
        return tr("In. {why}", why=" ".join(each for each in (why, partly) if each))
    if not out:
        return tr("Not in the Request.")
    needs = tr_count("Needs {count} token.", "Needs {count} tokens.", cost.out_tokens)
    return (
        tr("Left out. {why} {needs}", why=out, needs=needs)
        if cost.out_tokens
        else tr("Left out. {why}", why=out)
    )


def sharing_edits(cells: Iterable[tuple[str, str]], level: Permission | None) -> list[Edit]:
    """The edits that give agents a level on blocks (pairs of block and agent id), or with None take it away."""
    return [
        Edit(
            Ref(RefKind.BLOCK, block_id),
            DetachBlock(agent_id) if level is None else AttachBlock(agent_id, level),
        )
        for block_id, agent_id in cells
    ]


def sharing_done(
    cells: Sequence[tuple[str, str]],
    level: Permission | None,
    labels: Mapping[str, str],
    names: Mapping[str, str],
) -> str:
    """What changing the access did, as a sentence; cells are as in `sharing_edits`, names and labels by id."""
    label = one_line(labels.get(cells[0][0], cells[0][0]), _NAME_LENGTH)
    name = one_line(names.get(cells[0][1], cells[0][1]), _NAME_LENGTH)
    if len(cells) == 1:
        if level is None:
            return tr("{name} no longer sees {label}.", name=name, label=label)
        return tr("{name} can see {label}: {level}.", name=name, label=label, level=level_name(level))
    what = tr("Access removed") if level is None else tr("Access set to “{level}”", level=level_name(level))
    blocks, agents = len({cell[0] for cell in cells}), len({cell[1] for cell in cells})
    if blocks == 1:
        return tr("{what}: {label} for {count} agents.", what=what, label=label, count=number(agents))
    if agents == 1:
        return tr("{what}: {count} blocks for {name}.", what=what, count=number(blocks), name=name)
    return tr("{what} in {count} places.", what=what, count=number(len(cells)))


def names_text(agent_ids: Sequence[str], names: Mapping[str, str]) -> str:
    """Some agents by name; the rest of many as a number."""
    shown = [one_line(names.get(each, each), _NAME_LENGTH) for each in agent_ids[:_NAMES]]
    rest = len(agent_ids) - len(shown)
    if rest:
        return tr("{names} and {count} more", names=", ".join(shown), count=number(rest))
    return ", ".join(shown)
