"""Documents that have lived through operations at random."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from inspector.documents.document import AppliedChange, Document
from inspector.domain.blocks import (
    Schema,
)
from inspector.domain.content import (
    TextContent,
)
from inspector.domain.errors import RefusedError
from tests.documents.builders import new, stamp
from tests.documents.random_operations import SCHEMAS, any_operation

ANY_SCHEMA = st.sampled_from(sorted(SCHEMAS))


SEEDS = st.integers(0, 2**32)


class Life:
    """A document, the changes that made it, and its versions and contents from before the first on."""

    def __init__(self, schema: Schema, seed: int, steps: int = 14) -> None:
        self.chance = Random(seed)
        self.document = new(schema)
        self.changes: list[AppliedChange] = []
        self.versions = [self.document.version]
        self.contents = [self.document.content()]
        for _ in range(steps):
            self.step()

    def step(self) -> None:
        """One more operation, some of them for an older version; a refused one changes nothing."""
        operation = any_operation(self.chance, self.document.schema, self.document.content())
        base = self.chance.choice(self.versions) if self.chance.random() < 0.2 else None
        try:
            self.note(self.document.apply(operation, stamp(minutes=self.chance.randint(0, 2)), base))
        except RefusedError:
            assert self.document.content() == self.contents[-1]

    def note(self, applied: AppliedChange | None) -> None:
        """Keep what a change did."""
        if applied is not None:
            assert (applied.before, applied.version) == (self.versions[-1], self.document.version)
            self.changes.append(applied)
            self.versions.append(applied.version)
            self.contents.append(self.document.content())


def text_of(document: Document) -> str:
    content = document.content()
    assert isinstance(content, TextContent)
    return content.text
