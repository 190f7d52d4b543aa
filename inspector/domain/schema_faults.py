"""Faults of a schema that nobody could fill or read. New ones are refused, stored ones are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from inspector.domain.blocks import (
    CompositeSchema,
    FieldDef,
    ListSchema,
    LogSchema,
    Schema,
    TextSchema,
    Viewport,
    fields_of,
)
from inspector.domain.errors import Refusal

MOST = 1_000_000_000
"""The largest count and line number that a schema may name."""


def schema_fault(schema: Schema, where: str = "") -> Refusal | None:
    """Why a schema cannot be used, None when it can; `where` names the section that it is of."""
    return next(_faults(schema, where), None)


def _faults(schema: Schema, where: str) -> Iterator[Refusal]:
    if isinstance(schema, CompositeSchema):
        yield from _named((section.name for section in schema.sections), where)
        for section in schema.sections:
            if isinstance(section.schema, CompositeSchema):
                yield Refusal("refused.schema_nested", {"name": section.name})
            else:
                yield from _faults(section.schema, section.name)
        return
    fields = fields_of(schema) or ()
    yield from _named((field.name for field in fields), where)
    for field in fields:
        yield from _ranges(field)
    match schema:
        case TextSchema(Viewport() as viewport):
            yield from _count("start_line", viewport.start_line, 1)
            yield from _count("display_lines", viewport.display_lines, 1)
        case ListSchema(_, int() as most):
            yield from _count("max_items", most, 0)
        case LogSchema(most):
            yield from _count("display_limit", most, 0)


def _named(names: Iterable[str], where: str) -> Iterator[Refusal]:
    counts = Counter(names)
    for name, count in counts.items():
        if not name.strip():
            yield Refusal("refused.schema_unnamed", {"where": where})
        elif name != name.strip() or len(name.splitlines()) > 1:
            # It begins its line in the rendering, where values begin further in.
            yield Refusal("refused.schema_name_line", {"name": name, "where": where})
        elif count > 1:
            yield Refusal("refused.schema_name_twice", {"name": name, "where": where})


def _ranges(field: FieldDef) -> Iterator[Refusal]:
    low, high = field.minimum, field.maximum
    if low is not None and high is not None and low > high:
        yield Refusal("refused.schema_range", {"name": field.name, "minimum": low, "maximum": high})


def _count(name: str, value: int, least: int) -> Iterator[Refusal]:
    if not least <= value <= MOST:
        yield Refusal("refused.schema_count", {"name": name, "value": value, "least": least, "most": MOST})
