"""What is too large for one change, found out before any work is done for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

from inspector.documents.airlock.wire import LIMITS
from inspector.domain.blocks import Block
from inspector.domain.edits.base import Operation
from inspector.memory.refusals import refused


def check_size(block: Block, operation: Operation) -> None:
    """Refuse an operation whose texts are more than a stored change can hold.

    Raises:
        RefusedError: ``refused.too_much_at_once``.
    """
    # One character is one byte or more, so that most texts need no encoding to be counted.
    size = size_of(operation)
    if size > LIMITS.update:
        raise refused("refused.too_much_at_once", label=block.label, size=size, limit=LIMITS.update)


def size_of(operation: Operation) -> int:
    """The bytes of all texts of an operation."""
    return sum(
        len(text) if text.isascii() else len(text.encode(errors="surrogatepass"))
        for text in _texts(operation)
    )


def _texts(value: object) -> Iterator[str]:
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, Mapping):
            waiting += each.values()
        elif isinstance(each, tuple | list):
            waiting += each
        elif is_dataclass(each):
            waiting += (getattr(each, field.name) for field in fields(each))
