"""Groups what was left out of a Request by rule and section, with the closest fix of each group."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.domain.activity import Importance
from inspector.domain.requests import Fix, LeftOut, SourceKind

GROUPED = frozenset({SourceKind.MESSAGE, SourceKind.EVENT})
"""What there are too many of for a row each."""
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
