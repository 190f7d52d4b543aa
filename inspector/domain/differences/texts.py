"""Compares two versions of a text by lines, then by words. Positions are code points."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import accumulate

from inspector.domain.content import text_lines
from inspector.domain.dataclass import dataclass
from inspector.domain.differences.order import longest_rising

MOST_EDITS = 800
"""Lines or words that may differ before a stretch is told as replaced as a whole."""

MOST_STEPS = 300_000
"""Comparisons of one search: texts that repeat themselves could take any time."""

LEAST_STEPS = 2_000

FEW = 200
"""Up to so many lines or words are searched as they are."""

CONTEXT_LINES = 3

# Words; scripts without spaces between them by single characters.
_WORDS = r"(?:(?![\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff\U00020000-\U0003ffff])\w)+|\s+|."


@dataclass(frozen=True, slots=True)
class ChangedRange:
    """What stands in the text after in place of what stood in the text before: half-open ranges."""

    before_start: int
    before_end: int
    after_start: int
    after_end: int


@dataclass(frozen=True, slots=True)
class TextDiff:
    """`stretches` count code points, `lines` whole lines (from 0); both ascend and never touch one another."""

    stretches: tuple[ChangedRange, ...] = ()
    lines: tuple[ChangedRange, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.stretches


def diff_texts(before: str, after: str, most: int = MOST_STEPS) -> TextDiff:
    """What leads from one text to another. `most` comparisons may be spent on the words of all lines."""
    if before == after:
        return TextDiff()
    old, new = text_lines(before), text_lines(after)
    lines = tuple(differing(old, new))
    old_starts = [0, *accumulate(len(line) for line in old)]
    new_starts = [0, *accumulate(len(line) for line in new)]
    stretches: list[ChangedRange] = []
    for line in lines:
        whole = ChangedRange(
            old_starts[line.before_start],
            old_starts[line.before_end],
            new_starts[line.after_start],
            new_starts[line.after_end],
        )
        stretches += _by_words(before, after, whole, most // len(lines))
    return TextDiff(tuple(stretches), lines)


def unified(before: str, after: str) -> str:
    """The difference as a unified diff without file names, three lines of context; empty when there is none."""
    if before == after:
        return ""
    old, new = text_lines(before), text_lines(after)
    rows: list[str] = []
    for group in _grouped(tuple(differing(old, new))):
        rows += _hunk(group, old, new)
    return "".join(rows)


def differing(
    old: Sequence[Hashable], new: Sequence[Hashable], most: int = MOST_STEPS
) -> Iterator[ChangedRange]:
    """The stretches of two sequences that differ: the fewest changes where those can be found in time."""
    numbers: dict[Hashable, int] = {}
    left = [numbers.setdefault(each, len(numbers)) for each in old]
    right = [numbers.setdefault(each, len(numbers)) for each in new]
    return _differing(left, right, most)


def _differing(left: list[int], right: list[int], most: int) -> Iterator[ChangedRange]:
    start = _joint(left, right)
    end = _joint(left[start:][::-1], right[start:][::-1])
    left, right = left[start : len(left) - end], right[start : len(right) - end]
    anchored = _by_anchors if len(left) + len(right) > FEW else _searched
    for each in anchored(left, right, most):
        yield _shifted(each, start, start)


def _by_anchors(left: list[int], right: list[int], most: int) -> Iterator[ChangedRange]:
    """What differs between those elements that each side has once, as far as they are in the same order.

    In a long row they tell almost all at once; a search between them has little left to do.
    """
    once = _single(left) & _single(right)
    places = {each: place for place, each in enumerate(right) if each in once}
    anchors = [place for place, each in enumerate(left) if each in once]
    kept = longest_rising([places[left[place]] for place in anchors])
    # Taken together they may take that much too, or the time would grow with what is written anew.
    left_over, most = most, max(LEAST_STEPS, most // (len(kept) + 1))
    at_left = at_right = 0
    ends = [(anchors[index], places[left[anchors[index]]]) for index in sorted(kept)]
    for to_left, to_right in [*ends, (len(left), len(right))]:
        if (at_left, at_right) != (to_left, to_right):
            gap = (left[at_left:to_left], right[at_right:to_right])
            start = _joint(*gap)
            end = _joint(gap[0][start:][::-1], gap[1][start:][::-1])
            old, new = gap[0][start : len(gap[0]) - end], gap[1][start : len(gap[1]) - end]
            steps = _least_steps(old, new)
            left_over -= steps if steps <= most else 0
            for each in _searched(old, new, most if left_over > 0 else 0):
                yield _shifted(each, at_left + start, at_right + start)
        at_left, at_right = to_left + 1, to_right + 1


def _searched(left: list[int], right: list[int], most: int) -> Iterator[ChangedRange]:
    """The fewest changes; all of it when one side is empty or the search takes too long."""
    found = _shortest(left, right, most) if left and right else None
    if found is not None:
        yield from found
    elif left or right:
        yield ChangedRange(0, len(left), 0, len(right))


def _single(row: list[int]) -> set[int]:
    return {each for each, count in Counter(row).items() if count == 1}


def _shifted(each: ChangedRange, before: int, after: int) -> ChangedRange:
    return ChangedRange(
        each.before_start + before, each.before_end + before, each.after_start + after, each.after_end + after
    )


def _by_words(before: str, after: str, whole: ChangedRange, most: int) -> Iterator[ChangedRange]:
    words = re.compile(_WORDS, re.DOTALL)
    old = words.findall(before[whole.before_start : whole.before_end])
    new = words.findall(after[whole.after_start : whole.after_end])
    old_starts = list(accumulate((len(word) for word in old), initial=whole.before_start))
    new_starts = list(accumulate((len(word) for word in new), initial=whole.after_start))
    for each in differing(old, new, most):
        yield ChangedRange(
            old_starts[each.before_start],
            old_starts[each.before_end],
            new_starts[each.after_start],
            new_starts[each.after_end],
        )


def _shortest(old: Sequence[int], new: Sequence[int], most: int) -> list[ChangedRange] | None:
    """The shortest way from one to the other (Myers, 1986); None when it is too long or too hard to find."""
    if _least_steps(old, new) > most:
        return None
    trace = _search(old, new, most)
    if trace is None:
        return None
    x, y = len(old), len(new)
    stretches: list[ChangedRange] = []
    for edits in range(len(trace) - 1, 0, -1):
        furthest = trace[edits - 1]
        diagonal = x - y
        down = _goes_down(furthest, edits, diagonal)
        from_diagonal = diagonal + 1 if down else diagonal - 1
        from_x = furthest[from_diagonal + edits - 1]
        from_y = from_x - from_diagonal
        to_x, to_y = (from_x, from_y + 1) if down else (from_x + 1, from_y)
        _put_first(stretches, ChangedRange(from_x, to_x, from_y, to_y))
        x, y = from_x, from_y
    return stretches[::-1]


def _least_steps(old: Sequence[int], new: Sequence[int]) -> int:
    """How many steps a search takes at least, which can be known before: half of the square of its edits."""
    common = (Counter(old) & Counter(new)).total()
    edits = len(old) + len(new) - 2 * common
    return edits * (edits + 1) // 2 if common and edits <= MOST_EDITS else MOST_STEPS + 1


def _search(old: Sequence[int], new: Sequence[int], most: int) -> list[list[int]] | None:
    """How far each diagonal reaches with 0, 1, 2 … edits; that of diagonal d is at index d + edits."""
    trace: list[list[int]] = []
    steps = 0
    for edits in range(min(MOST_EDITS, len(old) + len(new)) + 1):
        reached: list[int] = []
        for diagonal in range(-edits, edits + 1):
            if (diagonal + edits) % 2:
                reached.append(-1)
                continue
            x = _start(trace[-1], edits, diagonal) if trace else 0
            y = begin = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            steps += 1 + y - begin
            reached.append(x)
            if x >= len(old) and y >= len(new):
                return [*trace, reached]
        trace.append(reached)
        if steps > most:
            return None
    return None


def _start(furthest: list[int], edits: int, diagonal: int) -> int:
    if _goes_down(furthest, edits, diagonal):
        return furthest[diagonal + 1 + edits - 1]
    return furthest[diagonal - 1 + edits - 1] + 1


def _goes_down(furthest: list[int], edits: int, diagonal: int) -> bool:
    """Whether the best way onto a diagonal is an insertion; `furthest` is that of one edit less."""
    if abs(diagonal) == edits:
        return diagonal == -edits
    return furthest[diagonal - 1 + edits - 1] < furthest[diagonal + 1 + edits - 1]


def _put_first(stretches: list[ChangedRange], edit: ChangedRange) -> None:
    """Add an edit before the last one found, as one with it where they touch."""
    if stretches:
        last = stretches[-1]
        if (edit.before_end, edit.after_end) == (last.before_start, last.after_start):
            stretches[-1] = ChangedRange(edit.before_start, last.before_end, edit.after_start, last.after_end)
            return
    stretches.append(edit)


def _grouped(stretches: tuple[ChangedRange, ...]) -> Iterator[list[ChangedRange]]:
    group: list[ChangedRange] = []
    for each in stretches:
        if group and each.before_start - group[-1].before_end > 2 * CONTEXT_LINES:
            yield group
            group = []
        group.append(each)
    if group:
        yield group


def _hunk(group: list[ChangedRange], old: list[str], new: list[str]) -> Iterator[str]:
    first, last = group[0], group[-1]
    lead = min(CONTEXT_LINES, first.before_start)
    trail = min(CONTEXT_LINES, len(old) - last.before_end)
    begin, end = first.before_start - lead, last.before_end + trail
    new_begin, new_end = first.after_start - lead, last.after_end + trail
    yield f"@@ -{_range(begin, end)} +{_range(new_begin, new_end)} @@\n"
    at = begin
    for each in group:
        yield from (_row(" ", line) for line in old[at : each.before_start])
        yield from (_row("-", line) for line in old[each.before_start : each.before_end])
        yield from (_row("+", line) for line in new[each.after_start : each.after_end])
        at = each.before_end
    yield from (_row(" ", line) for line in old[at:end])


def _range(start: int, end: int) -> str:
    count = end - start
    # A range without lines names the line before it.
    return f"{start + 1 if count else start},{count}"


def _row(tag: str, line: str) -> str:
    return f"{tag}{line}" if line.endswith("\n") else f"{tag}{line}\n\\ No newline at end of file\n"


def _joint(left: Sequence[int], right: Sequence[int]) -> int:
    return next(
        (at for at, (one, other) in enumerate(zip(left, right, strict=False)) if one != other),
        min(len(left), len(right)),
    )
