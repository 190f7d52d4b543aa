"""The difference of two versions as lines to show: in one column, or side by side."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, zip_longest

from inspector.domain.content import line_end, text_lines
from inspector.domain.dataclass import dataclass
from inspector.domain.history import MeasuredHunk, VersionComparison
from inspector.ui.editors.difference_pane import DifferenceLine, LineKind, LinePart, Stretch
from inspector.ui.wording import number, signed, tr, tr_count, with_unit

_KEPT = 60
"""Unchanged lines that are shown on each side of a hunk."""
_MOST = 1_500
"""Lines that are shown at once."""
_LONGEST_RUN = 4_000
"""Characters of one run that are shown."""
_END_MARK = "↵"
_Span = tuple[int, int, Stretch]
Sides = tuple[tuple[DifferenceLine, ...], tuple[DifferenceLine, ...]]


@dataclass(frozen=True, slots=True)
class ShownDifference:
    """A comparison with its lines, in one column and side by side."""

    comparison: VersionComparison
    inline: tuple[DifferenceLine, ...]
    left: tuple[DifferenceLine, ...]
    right: tuple[DifferenceLine, ...]


def shown_difference(comparison: VersionComparison) -> ShownDifference:
    """The lines of a comparison, which take a moment to make for long texts."""
    return ShownDifference(comparison, inline_lines(comparison), *side_lines(comparison))


def inline_lines(comparison: VersionComparison) -> tuple[DifferenceLine, ...]:
    """The earlier version with what stands in its place now below each changed stretch of lines."""
    return _cut(tuple(_inline(_Texts(comparison))))


def side_lines(comparison: VersionComparison) -> Sides:
    """The earlier version and the other one, line beside line."""
    pairs = list(_paired(_Texts(comparison)))
    return _cut([left for left, _ in pairs]), _cut([right for _, right in pairs])


@dataclass(frozen=True, slots=True)
class _Same:
    """An unchanged line, under its number in each of both texts."""

    old: DifferenceLine
    new: DifferenceLine


class _Spans:
    """The changed stretches of a hunk in one of both texts, in their order; of many lines each has a few of them."""

    def __init__(self, spans: Sequence[_Span]) -> None:
        self._spans = spans
        self._starts = [start for start, _, _ in spans]
        self._ends = [end for _, end, _ in spans]

    def within(self, start: int, end: int) -> Sequence[_Span]:
        """Those that reach into a line."""
        return self._spans[bisect_right(self._ends, start) : bisect_left(self._starts, end)]


class _Texts:
    """Both texts by lines, with where each begins."""

    def __init__(self, comparison: VersionComparison) -> None:
        self.hunks = comparison.hunks
        self.old, self.new = text_lines(comparison.before), text_lines(comparison.after)
        self._old_at = [0, *accumulate(map(len, self.old))]
        self._new_at = [0, *accumulate(map(len, self.new))]

    def same(self, before: int, after: int, count: int, last: int | None) -> Iterator[_Same | int]:
        """Unchanged lines: all, or in place of the middle ones how many they are. `last` is the hunk before them."""
        is_end = before + count == len(self.old) and after + count == len(self.new)
        head = count if not self.hunks else 0 if last is None else min(count, _KEPT)
        tail = min(count - head, 0 if is_end else _KEPT)
        hidden = count - head - tail
        yield from self._plain(before, after, min(head, _MOST))
        if hidden:
            yield hidden
        yield from self._plain(before + count - tail, after + count - tail, tail)

    def _plain(self, before: int, after: int, count: int) -> Iterator[_Same]:
        for place in range(count):
            parts = _parts(self.old[before + place], 0, ())
            old, new = (
                DifferenceLine(LineKind.SAME, parts, number(at + place + 1)) for at in (before, after)
            )
            yield _Same(old, new)

    def removed(self, place: int, hunk: MeasuredHunk) -> tuple[DifferenceLine, ...]:
        lines = hunk.hunk.lines
        spans = _Spans(
            [(each.before_start, each.before_end, (place, at)) for at, each in enumerate(hunk.hunk.stretches)]
        )
        return tuple(
            DifferenceLine(
                LineKind.REMOVED,
                _parts(self.old[at], self._old_at[at], spans.within(self._old_at[at], self._old_at[at + 1])),
                f"−{number(at + 1)}",
                place,
            )
            for at in range(lines.before_start, lines.before_end)
        )

    def added(self, place: int, hunk: MeasuredHunk) -> tuple[DifferenceLine, ...]:
        lines = hunk.hunk.lines
        spans = _Spans(
            [(each.after_start, each.after_end, (place, at)) for at, each in enumerate(hunk.hunk.stretches)]
        )
        return tuple(
            DifferenceLine(
                LineKind.ADDED,
                _parts(self.new[at], self._new_at[at], spans.within(self._new_at[at], self._new_at[at + 1])),
                f"+{number(at + 1)}",
                place,
            )
            for at in range(lines.after_start, lines.after_end)
        )

    def head(self, place: int, hunk: MeasuredHunk) -> DifferenceLine:
        count = len(self.hunks)
        growth = with_unit(signed(hunk.growth) or "±0")
        text = tr("Change {place} of {count} · {growth}", place=place + 1, count=count, growth=growth)
        return DifferenceLine(LineKind.HEAD, (LinePart(text),), "", place)


def _walk(texts: _Texts) -> Iterator[_Same | int | tuple[int, MeasuredHunk]]:
    """Unchanged lines and hunks in their order."""
    before = after = 0
    last: int | None = None
    for place, hunk in enumerate(texts.hunks):
        lines = hunk.hunk.lines
        yield from texts.same(before, after, lines.before_start - before, last)
        yield place, hunk
        before, after, last = lines.before_end, lines.after_end, place
    yield from texts.same(before, after, len(texts.old) - before, last)


def _inline(texts: _Texts) -> Iterator[DifferenceLine]:
    for each in _walk(texts):
        if isinstance(each, tuple):
            yield texts.head(*each)
            yield from texts.removed(*each)
            yield from texts.added(*each)
        else:
            yield _gap(each) if isinstance(each, int) else each.new


def _paired(texts: _Texts) -> Iterator[tuple[DifferenceLine, DifferenceLine]]:
    for each in _walk(texts):
        if isinstance(each, tuple):
            head, filler = texts.head(*each), DifferenceLine(LineKind.FILLER, hunk=each[0])
            yield head, head
            yield from zip_longest(texts.removed(*each), texts.added(*each), fillvalue=filler)
        else:
            yield (_gap(each), _gap(each)) if isinstance(each, int) else (each.old, each.new)


def _parts(line: str, start: int, spans: Iterable[_Span]) -> tuple[LinePart, ...]:
    """A line without its end, in runs: those inside a changed stretch, and those between."""
    end = line_end(line)
    length = len(line) - len(end)
    found: list[LinePart] = []
    at = 0
    for first, last, stretch in spans:
        low, high = max(0, first - start), min(len(line), last - start)
        if low >= high:
            continue
        if low >= length:
            # Only its end differs, which would not be seen.
            found += (LinePart(line[at:length]), LinePart(_END_MARK, stretch, start + low - first))
            at = length
            break
        found += (
            LinePart(line[at:low]),
            LinePart(line[low : min(high, length)], stretch, start + low - first),
        )
        at = min(high, length)
    found.append(LinePart(line[at:length]))
    return tuple(_shortened(part) for part in found if part.text)


def _shortened(part: LinePart) -> LinePart:
    """A run as it can be laid out at once: of a very long one its beginning and its end."""
    over = len(part.text) - _LONGEST_RUN
    if over <= 0:
        return part
    half = _LONGEST_RUN // 2
    cut = tr_count(" … {count} more character … ", " … {count} more characters … ", over)
    return LinePart(f"{part.text[:half]}{cut}{part.text[-half:]}", part.stretch)


def _gap(count: int) -> DifferenceLine:
    text = tr_count("… {count} unchanged line", "… {count} unchanged lines", count)
    return DifferenceLine(LineKind.GAP, (LinePart(text),))


def _cut(lines: Sequence[DifferenceLine]) -> tuple[DifferenceLine, ...]:
    """As many lines as can be shown at once, and how many more there are."""
    more = len(lines) - _MOST
    if more <= 0:
        return tuple(lines)
    text = tr_count("… {count} more line isn't shown", "… {count} more lines aren't shown", more)
    return (*lines[:_MOST], DifferenceLine(LineKind.GAP, (LinePart(text),)))
