"""Unsaved work: what each editor would save, what the blocks would then hold, and keeping it through a crash."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from inspector.domain.content import Content
from inspector.domain.edits.base import Edit
from inspector.domain.snapshot import BlockState
from inspector.ui.bridge import Bridge
from inspector.ui.doors import Doors
from inspector.ui.wording import tr


@dataclass(frozen=True, slots=True)
class Work:
    """Unsaved work on one block: the edit that a save would make and the content that it would give."""

    edit: Edit
    content: Content
    restored: bool = False
    """From an earlier session."""


class Drafts:
    """The unsaved work of a window, by block id; and the ids of drafts that were left and are nobody's work here."""

    def __init__(self) -> None:
        self._works: dict[str, Work] = {}
        self._left: set[str] = set()

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

    def note_left(self, draft_id: str) -> None:
        """Know of a draft that was left and cannot be worked on; `drop` forgets it by this id."""
        self._left.add(draft_id)

    def drop(self, id_: str) -> bool:
        """Forget a block's unsaved work, or a draft that was left; says whether there was any."""
        was_left = id_ in self._left
        self._left.discard(id_)
        return self._works.pop(id_, None) is not None or was_left

    def clear(self) -> None:
        """Forget everything: another file is shown."""
        self._works.clear()
        self._left.clear()

    def contents(self) -> Mapping[str, Content]:
        """What the blocks would hold, as a build takes it."""
        return {block_id: work.content for block_id, work in self._works.items()}


def with_draft(state: BlockState, work: Work | None) -> BlockState:
    """A block as it would be with unsaved work."""
    return state if work is None else replace(state, content=work.content, draft=True)


class DraftKeeper:
    """Writes unsaved work down as it changes: one write at a time per block, always the newest state last."""

    def __init__(self, bridge: Bridge, drafts: Drafts) -> None:
        self._bridge = bridge
        self._drafts = drafts
        self._stale: set[str] = set()
        self._writing: dict[str, asyncio.Task[None]] = {}

    def note(self, doors: Doors, block_id: str) -> None:
        """A block's unsaved work has changed or is gone."""
        self._stale.add(block_id)
        if block_id not in self._writing:
            task = self._bridge.spawn(self._write(doors, block_id), name=tr("Keeping a draft"))
            if task is not None:
                self._writing[block_id] = task

    async def settle(self) -> None:
        """Wait until everything is written."""
        while self._writing:
            await asyncio.gather(*self._writing.values(), return_exceptions=True)
            # One that was cancelled before it began has not taken itself out.
            self._writing = {id_: task for id_, task in self._writing.items() if not task.done()}

    async def _write(self, doors: Doors, block_id: str) -> None:
        try:
            while block_id in self._stale:
                self._stale.discard(block_id)
                work = self._drafts.get(block_id)
                if work is None:
                    await doors.drop_draft(block_id)
                else:
                    await doors.keep_draft(work.edit)
        finally:
            self._writing.pop(block_id, None)
