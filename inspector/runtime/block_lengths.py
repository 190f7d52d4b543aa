"""The characters of blocks that count against their limits, worked out once per content."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

from inspector.domain.blocks import UnreadableSchema
from inspector.domain.content import (
    CompositeContent,
    Content,
    ListContent,
    LogContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.errors import MalformedError
from inspector.domain.rendering.render import limit_length
from inspector.domain.snapshot import BlockState

_LONG_LIST = 200


class BlockLengths:
    """Characters by block. A long content is measured in another thread; until then its last length stands."""

    def __init__(self) -> None:
        self._measured: dict[str, tuple[Content, int | None]] = {}

    def forget(self) -> None:
        """Forget every length, as another file is opened."""
        self._measured.clear()

    def of(self, state: BlockState, draft: Content | None = None) -> int | None:
        """The characters of a block, or of its draft; None when it can't be read or isn't measured yet."""
        content = state.content if draft is None else draft
        if content is None or isinstance(state.block.schema, UnreadableSchema):
            return None
        last = self._measured.get(state.block.id)
        if last is None or last[0] is not content:
            if is_long(content):
                return None if last is None else last[1]
            last = self._measured[state.block.id] = content, _length(state, content)
        return last[1]

    async def measure(self, states: Iterable[BlockState], drafts: Mapping[str, Content]) -> None:
        """Measure the long ones of these as they will be with these drafts, in another thread."""
        new = [
            (state, content)
            for state in states
            if (content := drafts.get(state.block.id, state.content)) is not None
            and self._is_due(state, content)
        ]
        if new:
            lengths = await asyncio.to_thread(lambda: [_length(*each) for each in new])
            for (state, content), length in zip(new, lengths, strict=True):
                self._measured[state.block.id] = content, length

    def _is_due(self, state: BlockState, content: Content) -> bool:
        last = self._measured.get(state.block.id)
        return (last is None or last[0] is not content) and is_long(content)


def _length(state: BlockState, content: Content) -> int | None:
    if isinstance(state.block.schema, UnreadableSchema):
        return None
    try:
        return limit_length(state.block.schema, content)
    except MalformedError:
        return None


def is_long(content: Content) -> bool:
    """Whether rendering it may take longer than a frame of the window."""
    match content:
        case ListContent(items):
            return len(items) > _LONG_LIST
        case LogContent(entries):
            return len(entries) > _LONG_LIST
        case TreeContent(roots):
            return _is_past(roots, _LONG_LIST)
        case CompositeContent(sections):
            return any(is_long(each) for each in sections.values())
        case _:
            return False


def _is_past(roots: Iterable[TreeNode], most: int) -> bool:
    waiting, seen = list(roots), 0
    while waiting and seen + len(waiting) <= most:
        node = waiting.pop()
        seen += 1
        waiting.extend(node.children)
    return bool(waiting)
