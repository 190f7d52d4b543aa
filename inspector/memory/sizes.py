"""What is too large for one change, found out before any work is done for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache

from inspector.documents.airlock.wire import LIMITS
from inspector.domain.actor import ActorKind
from inspector.domain.blocks import Block, TextSchema
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Intent, Operation
from inspector.domain.edits.text import SetText
from inspector.domain.errors import RefusedError
from inspector.domain.excess import length_refusal
from inspector.domain.snapshot import BlockState
from inspector.memory.refusals import refused

_WITHOUT_TEXT = frozenset({int, float, bool, type(None)})


def check_size(block: Block, operation: Operation) -> None:
    """Refuse an operation whose texts are more than a stored change can hold.

    Raises:
        RefusedError: ``refused.too_much_at_once``.
    """
    # One character is one byte or more, so that most texts need no encoding to be counted.
    size = size_of(operation)
    if size > LIMITS.update:
        raise refused("refused.too_much_at_once", label=block.label, size=size, limit=LIMITS.update)


def check_length(intent: Intent, state: BlockState) -> None:
    """Refuse a whole text that is beyond its block's limit, before it is compared with the one that is there.

    Raises:
        RefusedError: ``refused.char_limit``.
    """
    block, present, edit = state.block, state.content, intent.edit
    if not isinstance(edit.operation, SetText) or not isinstance(block.schema, TextSchema):
        return
    # What is wrong with the block is told first, by whoever finds it.
    if state.problem is not None or not isinstance(present, TextContent):
        return
    if edit.base not in (None, state.version):
        return
    text = edit.operation.text
    if intent.actor.kind is ActorKind.IMPORT or text == present.text:
        return
    refusal = length_refusal(block, len(present.text), len(text))
    if refusal is not None:
        raise RefusedError(refusal)


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
        kind: type = type(each)
        if isinstance(each, str):
            yield each
        elif names := _names(kind):
            waiting += [getattr(each, name) for name in names]
        elif kind in _WITHOUT_TEXT:
            continue
        elif isinstance(each, tuple | list):
            waiting += each
        elif isinstance(each, Mapping):
            waiting += each.values()


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind)) if is_dataclass(kind) else ()
