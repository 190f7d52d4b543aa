"""Problems that the import of a recorded request found and that still hold."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from functools import lru_cache

from inspector.domain.codec import from_plain
from inspector.domain.errors import MalformedError, Problem
from inspector.domain.ref import RefKind
from inspector.domain.snapshot import Snapshot

_CODES = "import."


def import_problems(snapshot: Snapshot) -> Iterator[Problem]:
    """The problems of an agent's import, without those of messages and tools that it has no more."""
    found = _stored(snapshot.agent.metadata)
    live = {
        message.id
        for batch in (snapshot.history if found else ())
        for message in batch.messages
        if not (message.is_archived or message.is_deleted)
    }
    for problem in found:
        kind, _, name = problem.where.partition(":")
        is_gone = kind == RefKind.MESSAGE and snapshot.older is None and name not in live
        if not is_gone and (kind != RefKind.TOOL or name in snapshot.agent.tools):
            yield problem


@lru_cache(maxsize=64)
def _stored(metadata: str) -> tuple[Problem, ...]:
    """What the import noted; nothing that is not the problem of an import."""
    try:
        recorded = json.loads(metadata).get("recorded")
        found = recorded.get("problems", ()) if isinstance(recorded, dict) else ()
    except (ValueError, RecursionError, AttributeError):
        return ()
    return tuple(_readable(found if isinstance(found, list) else ()))


def _readable(plain: Collection[object]) -> Iterator[Problem]:
    for each in plain:
        try:
            problem: Problem = from_plain(Problem, each)
        except MalformedError:
            continue
        if problem.code.startswith(_CODES):
            yield problem
