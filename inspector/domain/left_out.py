"""Groups what was left out of a Request by rule and section, with the closest fix of each group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from inspector.domain.activity import Importance
from inspector.domain.requests import Fix, LeftOut, Source, SourceKind

GROUPED = frozenset({SourceKind.MESSAGE, SourceKind.EVENT})
"""What there are too many of for a row each."""
KEPT_ALIKE = 40
"""How many of what one rule left out are kept one by one in the account of a sent Request."""
_OF_SEVERAL = frozenset({"raise_history"})
"""Actions that no single setting does; their parameters say how far they have to go."""
_IMPORTANCE = {level.label: int(level) for level in Importance}


def alike(left_out: Sequence[LeftOut]) -> tuple[tuple[LeftOut, ...], ...]:
    """Batches, messages and events that one rule left out together, all else by itself; what takes most first."""
    rows: list[list[LeftOut]] = []
    groups: dict[tuple[SourceKind, bool, str], list[LeftOut]] = {}
    for each in left_out:
        if each.source.kind in GROUPED and each.source.id is not None:
            groups.setdefault((each.source.kind, each.source.batch, each.rule), []).append(each)
        else:
            rows.append([each])
    rows += groups.values()
    return tuple(map(tuple, sorted(rows, key=lambda row: -sum(each.tokens for each in row))))


def condensed(left_out: Sequence[LeftOut]) -> tuple[LeftOut, ...]:
    """Of each group of `alike` the newest `KEPT_ALIKE`, and one row without an id that stands for all older ones.

    A running agent writes messages and events all day: what is kept of each Request that it sent may not grow
    with them. Counts and tokens add up to those of all rows.
    """
    return tuple(row for group in alike(left_out) for row in _condensed(group))


def _condensed(group: Sequence[LeftOut]) -> Iterator[LeftOut]:
    if len(group) <= KEPT_ALIKE:
        yield from group
        return
    first = group[0]
    # Events come newest first, batches and messages in the order of the conversation.
    is_event = first.source.kind is SourceKind.EVENT
    older, kept = (
        (group[KEPT_ALIKE:], group[:KEPT_ALIKE]) if is_event else (group[:-KEPT_ALIKE], group[-KEPT_ALIKE:])
    )
    count, tokens = sum(each.count for each in older), sum(each.tokens for each in older)
    noun = "events" if is_event else "turns" if first.source.batch else "messages"
    source = Source(first.source.kind, None, f"{count:,} older {noun}", None, first.source.batch)
    parameters = {"label": source.label, "needed": tokens}
    yield replace(first, source=source, tokens=tokens, fix=None, parameters=parameters, count=count)
    yield from kept


def nearest(group: Sequence[LeftOut]) -> LeftOut:
    """What takes the least to bring in: that is what is told of a group, and what its button does."""
    return min(group, key=_effort)


def farthest(group: Sequence[LeftOut]) -> LeftOut:
    """What takes the most to bring in: its fix brings in all the others too."""
    return max(group, key=_effort)


def _effort(each: LeftOut) -> tuple[bool, bool, int, int]:
    """What takes several settings at once comes after what takes one, what is as near as another by its size."""
    fix = each.fix
    if fix is None:
        return True, False, 0, each.tokens
    return False, fix.action in _OF_SEVERAL, _amount(fix), each.tokens


def _amount(fix: Fix) -> int:
    value = fix.parameters.get("tokens") if fix.action in _OF_SEVERAL else fix.value
    if isinstance(value, str):
        # The lower the importance that has to be let in, the more is changed.
        return -_IMPORTANCE.get(value, 0)
    return int(value) if isinstance(value, int) else 0
