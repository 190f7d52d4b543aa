"""Restores drafts of earlier runs of the program. One that no longer fits is a problem until discarded."""

from __future__ import annotations

import json

from inspector.domain.codec import to_plain
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Draft, Operation
from inspector.domain.edits.text import SpliceText
from inspector.domain.errors import FileError, InspectorError, Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.drafts import StoredDraft
from inspector.runtime.engine import Engine
from inspector.runtime.wording import word_error

UNFIT, OLDER = "drafts.unfit", "drafts.older"
_FAMILY = "drafts"


@dataclass(frozen=True, slots=True)
class RestoredDraft:
    """A draft of an earlier session with the content that saving it would give."""

    draft: Draft
    content: Content


class RecoveredDrafts:
    """The drafts that earlier sessions left for one file. Each that cannot be restored is a problem of the file."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._drafts = engine.drafts
        self._stored: dict[str, StoredDraft] = {}
        self._problems: dict[str, Problem] = {}
        self._others: tuple[Problem, ...] = ()

    async def restore(self) -> tuple[RestoredDraft, ...]:
        """Restore the newest draft of each block that still fits, and report the rest as problems."""
        restored: dict[Ref, RestoredDraft] = {}
        try:
            left, self._others = await self._drafts.left()
            for stored in left:
                await self._take(stored, restored)
        except FileError as error:
            # A file can be worked on while the drafts of last time are out of reach.
            self._others = (Problem(error.code, Severity.WARNING, "", error.parameters),)
        self._report()
        return tuple(restored.values())

    async def discard(self, draft_id: str) -> bool:
        """Forget a draft that does not fit; False when there is none of that id."""
        stored = self._stored.get(draft_id)
        if stored is None:
            return False
        await self._drafts.forget(stored)
        del self._stored[draft_id], self._problems[draft_id]
        self._report()
        return True

    async def _take(self, stored: StoredDraft, restored: dict[Ref, RestoredDraft]) -> None:
        draft = stored.draft
        if draft.ref.kind is not RefKind.BLOCK:
            # Whoever shows such things takes their drafts over.
            return
        newer = restored.get(draft.ref)
        if newer is not None and newer.draft.edit == draft.edit:
            await self._drafts.forget(stored)
            return
        if await self._engine.memory.versions.holds(draft.edit, self._engine.actor):
            # It was saved, and the program ended before the draft was dropped. As new work it would be there twice.
            await self._drafts.forget(stored)
            return
        if newer is not None:
            await self._keep(stored, OLDER, "")
            return
        try:
            content = await self._engine.memory.preview(draft.edit)
        except InspectorError as error:
            await self._keep(stored, UNFIT, word_error(error))
            return
        await self._drafts.adopt(stored)
        restored[draft.ref] = RestoredDraft(draft, content)

    async def _keep(self, stored: StoredDraft, code: str, why: str) -> None:
        draft = stored.draft
        id_ = str(Ref(draft.ref.kind, draft.ref.id, stored.instance))
        state = await self._engine.blocks.get(draft.ref.id)
        parameters = {
            "draft": id_,
            "label": draft.ref.id if state is None else state.block.label,
            "at": draft.updated_at.isoformat(),
            "why": why,
            "text": text_of(draft.edit.operation),
        }
        self._stored[id_] = stored
        self._problems[id_] = Problem(code, Severity.WARNING, id_, parameters)

    def _report(self) -> None:
        self._engine.health.tell(_FAMILY, (*self._problems.values(), *self._others))


def text_of(operation: Operation) -> str:
    """What a person wrote in an operation, to be saved from it: its text, all inserted texts, or its JSON."""
    if isinstance(operation, SpliceText):
        return "\n".join(each.insert for each in operation.splices if each.insert)
    text = getattr(operation, "text", None)
    if isinstance(text, str):
        return text
    return json.dumps(to_plain(operation), ensure_ascii=False, indent=1)
