"""Says whether a label can be given to a block, while it is typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from inspector.domain.blocks import appearance, is_printable
from inspector.domain.snapshot import BlockState
from inspector.ui.wording import tr_code


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
