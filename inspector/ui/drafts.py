"""Unsaved work: what each editor would save, and what the blocks would then hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inspector.domain.content import Content
from inspector.domain.edits.base import Edit


@dataclass(frozen=True, slots=True)
class Work:
    """Unsaved work on one block: the edit that a save would make and the content that it would give."""

    edit: Edit
    content: Content
    restored: bool = False
    """From an earlier session."""


class Drafts:
    """The unsaved work of a window, by block id."""

    def __init__(self) -> None:
        self._works: dict[str, Work] = {}

    def __len__(self) -> int:
        return len(self._works)

    def __contains__(self, block_id: str) -> bool:
        return block_id in self._works

    @property
    def block_ids(self) -> tuple[str, ...]:
        """The blocks with unsaved work."""
        return tuple(self._works)

    def get(self, block_id: str) -> Work | None:
        """A block's unsaved work."""
        return self._works.get(block_id)

    def put(self, work: Work) -> None:
        """Keep unsaved work on a block, in place of what there was."""
        self._works[work.edit.target.id] = work

    def drop(self, block_id: str) -> bool:
        """Forget a block's unsaved work; says whether there was any."""
        return self._works.pop(block_id, None) is not None

    def clear(self) -> None:
        """Forget everything: another file is shown."""
        self._works.clear()

    def contents(self) -> Mapping[str, Content]:
        """What the blocks would hold, as a build takes it."""
        return {block_id: work.content for block_id, work in self._works.items()}
