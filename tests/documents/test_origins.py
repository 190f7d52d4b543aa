"""Which operation each character of a text came with."""

from __future__ import annotations

from hypothesis import given

from inspector.documents.origins import Origin
from inspector.domain.blocks import (
    TextSchema,
)
from inspector.domain.content import (
    TextContent,
)
from inspector.domain.edits.text import AppendText, InsertText
from tests.documents.builders import UNHURRIED, new, replica, stamp
from tests.documents.random_documents import SEEDS, Life


@UNHURRIED
@given(SEEDS)
def test_that_every_code_point_is_attributed_to_the_change_that_brought_it(seed: int) -> None:
    life = Life(TextSchema(), seed)
    origins: list[int | None] = []
    for number, content in enumerate(life.contents):
        assert isinstance(content, TextContent)
        version = life.versions[number]
        runs = life.document.at(version).origins().texts[""]
        owners = [
            _owner(life, Origin(run.origin.peer, run.origin.counter + at))
            for run in runs
            for at in range(run.end - run.start)
        ]
        assert len(owners) == len(content.text)
        # Each change can only leave what was there, in its order, and bring what is its own.
        left = [owner for owner in owners if owner != number - 1]
        assert _is_subsequence(left, origins)
        origins = list(owners)


def _owner(life: Life, origin: Origin) -> int | None:
    for number, change in enumerate(life.changes):
        if change.peer == origin.peer and change.counter_from <= origin.counter < change.counter_to:
            return number
    return None


def _is_subsequence(some: list[int | None], whole: list[int | None]) -> bool:
    rest = iter(whole)
    return all(any(each == other for other in rest) for each in some)


def test_that_appended_and_inserted_pieces_are_told_apart() -> None:
    document = new(TextSchema(), TextContent("one two"))
    first = document.own_operations
    document.apply(AppendText(" three"), stamp())
    other = replica(document)
    applied = other.apply(InsertText(4, "🙂🙂 "), stamp())
    assert applied is not None
    runs = other.origins().texts[""]
    assert [(run.start, run.end) for run in runs] == [(0, 4), (4, 7), (7, 16)]
    assert runs[1].origin == Origin(other.peer, applied.counter_from)
    assert (runs[0].origin, runs[2].origin) == (Origin(document.peer, 0), Origin(document.peer, 4))
    assert first == 7
