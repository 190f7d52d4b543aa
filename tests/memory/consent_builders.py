"""What tests of consent ask for, and what waits or is refused then."""

from __future__ import annotations

from collections.abc import Awaitable
from datetime import timedelta
from typing import Any

import pytest

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.consent import ConsentRequest
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.errors import InspectorError
from inspector.domain.ref import Ref, RefKind
from tests.memory.world import AGENT, World

MINUTE = timedelta(minutes=1)
LONG = timedelta(hours=5)
ANY = Actor(ActorKind.HUMAN, "bea", "Bea")


def wanted(block: str, operation: Operation, actor: Actor = AGENT, **given: Any) -> Intent:
    """An agent's intent on a block."""
    return Intent(Edit(Ref(RefKind.BLOCK, block), operation), actor, **given)


async def asked(world: World, block: str, operation: Operation, actor: Actor = AGENT, **given: Any) -> str:
    """The id of the request that an edit makes."""
    made = await world.consent.request(wanted(block, operation, actor, **given), wait=LONG)
    assert isinstance(made, ConsentRequest)
    return made.id


async def refusal(work: Awaitable[object]) -> str:
    """The code that something is refused with."""
    with pytest.raises(InspectorError) as caught:
        await work
    return caught.value.code


async def refused_unchanged(world: World, work: Awaitable[object]) -> str:
    """The same, where nothing may be stored."""
    before = await world.dump()
    code = await refusal(work)
    assert await world.dump() == before
    return code
