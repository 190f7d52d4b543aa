"""Turns text operations into splices, without any document."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate, islice

from inspector.documents.patches import splices_of_patch
from inspector.domain.content import line_end, text_lines
from inspector.domain.edits.text import (
    AppendText,
    InsertText,
    PatchText,
    ReplaceLines,
    ReplaceMode,
    ReplaceText,
    SetText,
    Splice,
    SpliceText,
)
from inspector.domain.patterns import check_pattern
from inspector.domain.splices import between
from inspector.domain.value_checks import check_text, refuse, shown

REGEX_SECONDS = 0.5
MAX_INSERTED = 16_000_000
"""Code points that one operation may bring in: a replacement can multiply a text beyond memory."""

TextOperation = SetText | AppendText | InsertText | SpliceText | ReplaceText | ReplaceLines | PatchText


def splices_of(operation: TextOperation, length: int, read: Callable[[], str]) -> tuple[Splice, ...]:
    """What an operation does to a text of `length` code points; `read` gives it, where it is needed.

    The splices ascend, do not overlap, and are all counted in that text.

    Raises:
        RefusedError: when the operation does not fit the text.
    """
    splices: tuple[Splice, ...]
    match operation:
        case SetText(text):
            # What stands there is the outcome, so only what is set is checked, and no position.
            return between(read(), check_text(text))
        case AppendText(text):
            splices = (Splice(length, 0, text),)
        case InsertText(at, text):
            splices = (Splice(at, 0, text),)
        case SpliceText(given):
            splices = given
        case ReplaceText():
            splices = tuple(_replacements(operation, read()))
        case ReplaceLines():
            splices = (_line_splice(operation, read()),)
        case PatchText(diff):
            splices = splices_of_patch(diff, read())
    _check(splices, length)
    return splices


def _check(splices: tuple[Splice, ...], length: int) -> None:
    inserted = sum(len(splice.insert) for splice in splices)
    if inserted > MAX_INSERTED:
        raise refuse("refused.inserts_too_much", length=inserted, limit=MAX_INSERTED)
    end = 0
    for splice in splices:
        if splice.start < 0 or splice.delete < 0 or splice.start + splice.delete > length:
            raise refuse(
                "refused.position", start=splice.start, end=splice.start + splice.delete, length=length
            )
        if splice.start < end:
            raise refuse("refused.splice_order", start=splice.start, end=end)
        end = splice.start + splice.delete
        check_text(splice.insert)


def _replacements(operation: ReplaceText, text: str) -> Iterator[Splice]:
    if operation.mode is ReplaceMode.REGEX:
        return iter(_regex_replacements(operation, text))
    if not operation.find:
        raise refuse("refused.nothing_to_find")
    if operation.nth < 1:
        raise refuse("refused.nth", nth=operation.nth)
    found = _occurrences(operation.find, text)
    # No text holds more than it has characters.
    nth = min(operation.nth, len(text) + 1)
    chosen = list(islice(found, nth if operation.mode is ReplaceMode.NTH else 1))
    if not chosen:
        raise refuse("refused.text_not_found", find=shown(operation.find))
    if operation.mode is ReplaceMode.NTH:
        if operation.nth != len(chosen):
            raise refuse(
                "refused.occurrence_not_found",
                find=shown(operation.find),
                nth=operation.nth,
                found=len(chosen),
            )
        chosen = chosen[-1:]
    starts = [*chosen, *found] if operation.mode is ReplaceMode.ALL else chosen
    _check_growth(len(starts), operation.replace)
    return (Splice(start, len(operation.find), operation.replace) for start in starts)


def _check_growth(times: int, replace: str) -> None:
    if times * len(replace) > MAX_INSERTED:
        raise refuse("refused.inserts_too_much", length=times * len(replace), limit=MAX_INSERTED)


def _occurrences(find: str, text: str) -> Iterator[int]:
    at = text.find(find)
    while at >= 0:
        yield at
        at = text.find(find, at + len(find))


def _regex_replacements(operation: ReplaceText, text: str) -> list[Splice]:
    import regex

    check_text(operation.find)
    check_text(operation.replace)
    check_pattern(operation.find)
    splices: list[Splice] = []
    inserted = 0
    try:
        for match in regex.compile(operation.find).finditer(text, timeout=REGEX_SECONDS):
            start, end = match.span()
            insert = match.expand(operation.replace)
            inserted += len(insert)
            if inserted > MAX_INSERTED:
                raise refuse("refused.inserts_too_much", length=inserted, limit=MAX_INSERTED)
            splices.append(Splice(start, end - start, insert))
    except TimeoutError:
        raise refuse("refused.regex_time", pattern=shown(operation.find), seconds=REGEX_SECONDS) from None
    except (regex.error, IndexError, KeyError, RecursionError, MemoryError, OverflowError) as error:
        raise refuse("refused.regex", pattern=shown(operation.find), why=shown(error)) from None
    if not splices:
        raise refuse("refused.text_not_found", find=shown(operation.find))
    return splices


def _line_splice(operation: ReplaceLines, text: str) -> Splice:
    """Whole lines. A text without a line end of its own keeps that of the last line; an empty one keeps nothing."""
    lines = text_lines(text) or [""]
    first, last = operation.first, operation.last
    if not 1 <= first <= last <= len(lines):
        raise refuse("refused.lines", first=first, last=last, lines=len(lines))
    starts = [0, *accumulate(len(line) for line in lines)]
    start, end = starts[first - 1], starts[last]
    if operation.text and not operation.text.endswith("\n"):
        end -= len(line_end(lines[last - 1]))
    return Splice(start, end - start, operation.text)
