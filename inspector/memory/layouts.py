"""LayoutStore applies changes of a user's own layouts and reads them."""

from __future__ import annotations

from inspector.domain.actor import ActorKind, Clock, IdGenerator
from inspector.domain.edits.base import Edit, Intent, Receipt
from inspector.domain.edits.block_rows import DeleteRow, RestoreRow
from inspector.domain.edits.rows import PutLayout
from inspector.domain.errors import MalformedError, NotFoundError, Problem
from inspector.domain.layout_rules import check_layout
from inspector.domain.layouts import Layout
from inspector.domain.ref import Ref, RefKind
from inspector.memory.refusals import refused
from inspector.storage import layouts
from inspector.storage.connection import Connection
from inspector.storage.database import Database
from inspector.storage.journal import Journal
from inspector.storage.transaction import Transaction


class LayoutStore:
    """Layouts by name. One that bears a shipped one's name goes before it."""

    def __init__(self, database: Database, clock: Clock, ids: IdGenerator) -> None:
        self._database = database
        self._journal = Journal(clock, ids)

    def takes(self, edit: Edit) -> bool:
        """Whether an edit is one for this store."""
        return edit.target.kind is RefKind.LAYOUT and isinstance(
            edit.operation, PutLayout | DeleteRow | RestoreRow
        )

    async def list(self) -> tuple[tuple[Layout, ...], tuple[Problem, ...]]:
        """All layouts by name, and a problem for each that cannot be used."""
        async with self._database.read() as connection:
            return await layouts.read_all(connection)

    async def apply_in(self, tx: Transaction, intent: Intent) -> Receipt:
        """Apply one intent in a transaction of the caller's.

        Raises:
            RefusedError: an agent asks for it, or the name is empty. MalformedError: the layout cannot be used,
                with the place and why. NotFoundError: there is no such layout.
        """
        intent = self._journal.at_a_moment(intent)
        operation = intent.edit.operation
        if intent.actor.kind is ActorKind.AGENT:
            raise refused("refused.people_only", operation=operation.op)
        if isinstance(operation, PutLayout):
            return await self._put(tx, intent, operation.layout)
        return await self._put_away(tx, intent, away=isinstance(operation, DeleteRow))

    async def _put(self, tx: Transaction, intent: Intent, layout: Layout) -> Receipt:
        if not layout.name.strip():
            raise refused("refused.name_empty")
        check_layout(layout)
        ref = Ref(RefKind.LAYOUT, layout.name)
        before = await _readable(tx, layout.name)
        is_away = await layouts.is_away(tx, layout.name)
        if before == layout and not is_away:
            return self._journal.receipt(intent, ref, None)
        await layouts.put(tx, layout, self._journal.moment(intent))
        seq = await self._journal.record(
            tx, intent, ref, owner=None, differences=(None if is_away else before, layout)
        )
        return self._journal.receipt(intent, ref, seq)

    async def _put_away(self, tx: Transaction, intent: Intent, *, away: bool) -> Receipt:
        ref = intent.edit.target.whole
        was_away = await layouts.is_away(tx, ref.id)
        if was_away is None:
            raise NotFoundError("not_found.own_layout", name=ref.id)
        if was_away == away:
            return self._journal.receipt(intent, ref, None)
        await layouts.set_deleted(tx, ref.id, self._journal.moment(intent), deleted=away)
        states = ({"is_deleted": was_away}, {"is_deleted": away})
        seq = await self._journal.record(tx, intent, ref, owner=None, differences=states)
        return self._journal.receipt(intent, ref, seq)


async def _readable(connection: Connection, name: str) -> Layout | None:
    """What stands under a name, None for nothing and for what cannot be used and so may be replaced."""
    try:
        kept = await layouts.get(connection, name)
    except MalformedError:
        return None
    return None if kept is None else kept.layout
