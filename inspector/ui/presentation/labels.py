"""Says whether a label can be given to a block, or a name to an agent, while it is typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from inspector.domain.agents import Agent, AgentStatus
from inspector.domain.blocks import appearance, is_printable
from inspector.domain.snapshot import BlockState
from inspector.ui.wording import number, tr, tr_code

_LONGEST_NAME = 100


def label_fault(states: Iterable[BlockState], owner: str, block_id: str = "") -> Callable[[str], str]:
    """What says why a label can't be given among the owner's blocks, nothing where it can.

    `block_id` is the block that gets it; its own label is free for it.
    """
    blocks = [each.block for each in states if each.block.owner == owner and each.block.id != block_id]
    taken = {appearance(each.label): each.label for each in blocks if each.is_active}

    def fault(label: str) -> str:
        if not appearance(label):
            return tr_code("refused.label_empty")
        for place, character in enumerate(label):
            if not is_printable(character):
                code_point = f"U+{ord(character):04X}"
                return tr_code("refused.label_unprintable", {"character": code_point, "position": place})
        other = taken.get(appearance(label))
        return "" if other is None else tr_code("refused.label_taken", {"label": other})

    return fault


def agent_name_fault(name: str) -> str:
    """Why an agent can't be called so, nothing where it can."""
    if not appearance(name):
        return tr("Enter a name.")
    unprintable = next((each for each in name if not is_printable(each)), "")
    if unprintable:
        return tr("The name can't contain the character {character}.", character=f"U+{ord(unprintable):04X}")
    if len(name) > _LONGEST_NAME:
        return tr(
            "The name is {count} characters long. Limit: {most}.",
            count=number(len(name)),
            most=number(_LONGEST_NAME),
        )
    return ""


def agent_name_note(agents: Iterable[Agent], name: str, agent_id: str = "") -> str:
    """What a name means that another agent has too; `agent_id` is the agent that gets it."""
    others = (each for each in agents if each.id != agent_id and each.status is not AgentStatus.ARCHIVED)
    if name and any(appearance(each.name) == appearance(name) for each in others):
        return tr("Another agent has this name. Commands then need the agent's id.")
    return ""
