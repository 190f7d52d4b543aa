"""Decides what an agent may write without asking: attachments, the partner, earlier grants."""

from __future__ import annotations

from inspector.domain.actor import SYSTEM, ActorKind
from inspector.domain.blocks import Block, Permission
from inspector.domain.consent import Partner
from inspector.domain.edits.base import Intent, Receipt
from inspector.domain.ref import Ref, RefKind
from inspector.memory.permissions import WriteContext, asked_level
from inspector.storage import attachments, blocks, consent, meta
from inspector.storage.connection import Connection
from inspector.storage.journal import Journal
from inspector.storage.transaction import Transaction

USE_GRANT = "use_grant"
"""The journal's word for an edit that was let through by a grant."""


async def partner_id(connection: Connection) -> str | None:
    """The identity set as partner, None when there is none."""
    return await meta.get(connection, meta.PARTNER_ID) or None


async def read_partner(connection: Connection) -> Partner | None:
    """The person set as partner, None when nobody is."""
    facts = await meta.read_all(connection)
    person_id = facts.get(meta.PARTNER_ID)
    return Partner(person_id, facts.get(meta.PARTNER_NAME) or person_id) if person_id else None


async def level_asked(connection: Connection, agent_id: str, block_id: str) -> Permission | None:
    """The level at which an agent must ask for a block now; None where it need not, or asking is no use."""
    state = await blocks.get(connection, block_id)
    if state is None:
        return None
    return asked_level(state.block, agent_id, await attachments.get(connection, block_id, agent_id))


async def standing_of(
    connection: Connection, intent: Intent, block: Block, journal: Journal, *, consented: bool
) -> WriteContext:
    """Who wants to write, with a grant that covers it if one is needed and in force."""
    actor = intent.actor
    attachment = await attachments.get(connection, block.id, actor.id)
    partner = await partner_id(connection)
    standing = WriteContext(actor, attachment, partner, intent.unlock, consented=consented)
    if consented or actor.kind is not ActorKind.AGENT:
        return standing
    level = asked_level(block, actor.id, attachment)
    if level is None or (level is Permission.PARTNER and partner is None):
        return standing
    # What somebody else has granted does not open the partner's blocks.
    by = partner if level is Permission.PARTNER else None
    grant = await consent.covering(connection, actor.id, block.id, journal.clock(), by=by)
    return WriteContext(actor, attachment, partner, intent.unlock, grant)


async def note_use(
    tx: Transaction, journal: Journal, intent: Intent, standing: WriteContext, receipt: Receipt
) -> None:
    """Record which grant let a change through, and count its use."""
    grant = standing.grant
    if grant is None or receipt.seq is None:
        return
    await consent.spend(tx, grant.id)
    await tx.record(
        kind=USE_GRANT,
        ref=Ref(RefKind.GRANT, grant.id),
        actor=SYSTEM,
        reason="",
        at=journal.moment(intent),
        owner=grant.agent_id,
        after={"change": receipt.seq},
    )
