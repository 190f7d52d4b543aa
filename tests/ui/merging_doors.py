"""An engine whose text blocks are real documents: edits of several writers merge as they do in the program."""

import asyncio
import itertools
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from inspector.documents.document import Document, EditStamp
from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import TextSchema
from inspector.domain.changes import Change
from inspector.domain.content import Content, TextContent
from inspector.domain.edits.base import Edit, Operation, Receipt, Version
from inspector.domain.edits.block_rows import RestoreBlock
from inspector.domain.edits.text import Splice, SpliceText
from inspector.domain.errors import InspectorError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState, LastWrite
from tests.ui import values
from tests.ui.fake_engine import EditOptions, FakeDoors

GRACE = Actor(ActorKind.AGENT, values.GRACE, "Grace")


class MergingDoors(FakeDoors):
    """`refuses` is raised by the next edit, `unfit` by previews. `pass_` holds edits back while it is cleared, `hold`
    previews.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._documents: dict[str, Document] = {}
        self._seq = itertools.count(1)
        self.refuses: InspectorError | None = None
        self.pass_ = asyncio.Event()
        self.pass_.set()
        self.unfit: InspectorError | None = None
        self.hold = asyncio.Event()
        self.hold.set()
        for block_id in self.states:
            self.use(self.states[block_id])

    def use(self, state: BlockState) -> None:
        """Hold a block in that state."""
        if isinstance(state.block.schema, TextSchema) and isinstance(state.content, TextContent):
            document = Document.create(state.block.schema, state.content)
            self._documents[state.block.id] = document
            state = replace(state, version=document.version)
        self.states[state.block.id] = state

    def text(self, block_id: str) -> str:
        """What a block holds."""
        content = self._documents[block_id].content()
        assert isinstance(content, TextContent)
        return content.text

    async def preview(self, edit: Edit) -> Content:
        await self.hold.wait()
        if self.unfit is not None:
            raise self.unfit
        document = self._documents[edit.target.id]
        copy = Document.load(document.schema, document.export_snapshot())
        copy.apply(edit.operation, self._stamp(self.actor), edit.base)
        return copy.content()

    async def edit(
        self,
        block_id: str,
        operation: Operation,
        *,
        reason: str = "",
        base: Version | None = None,
        unlock: bool = False,
    ) -> Receipt:
        options = EditOptions(reason, base, unlock)
        self.edits.append((block_id, operation, options))
        await self.pass_.wait()
        refused, self.refuses = self.refuses, None
        if refused is not None:
            raise refused
        if isinstance(operation, RestoreBlock):
            state = self.states[block_id]
            self.states[block_id] = replace(state, block=replace(state.block, is_active=True))
            return self._told(block_id, operation, self.actor, changed=True)
        return self._apply(block_id, operation, options, self.actor)

    def write(self, block_id: str, start: int, delete: int, insert: str, actor: Actor = GRACE) -> None:
        """Somebody else edits a block at its present version."""
        self._apply(block_id, SpliceText((Splice(start, delete, insert),)), EditOptions(), actor)

    def _apply(self, block_id: str, operation: Operation, options: EditOptions, actor: Actor) -> Receipt:
        document, state = self._documents[block_id], self.states[block_id]
        applied = document.apply(operation, self._stamp(actor), options.base)
        if applied is not None:
            at = values.NOW + timedelta(seconds=next(self._seq))
            self.states[block_id] = replace(
                state,
                content=document.content(),
                version=document.version,
                revision=state.revision + 1,
                written=LastWrite(actor, at, options.reason),
            )
        return self._told(block_id, operation, actor, changed=applied is not None)

    def _told(self, block_id: str, operation: Operation, actor: Actor, *, changed: bool) -> Receipt:
        state, seq = self.states[block_id], next(self._seq)
        ref = Ref(RefKind.BLOCK, block_id)
        at = state.written.at if state.written else values.NOW
        if changed:
            owner = state.block.owner
            self.tell(Change(seq, operation.op, ref, actor, "", at, own=actor == self.actor, owner=owner))
        return Receipt(ref, seq if changed else None, state.version, changed, actor, at)

    def _stamp(self, actor: Actor) -> EditStamp:
        return EditStamp(actor.name, values.NOW, lambda: f"id{next(self._seq)}")
