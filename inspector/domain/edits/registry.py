"""Every operation by its stored name."""

from __future__ import annotations

from types import ModuleType

from inspector.domain.edits import block_rows, consent, fields, history, items, queue, redaction, rows, text
from inspector.domain.edits.base import Operation


def _operations(*modules: ModuleType) -> dict[str, type[Operation]]:
    found: dict[str, type[Operation]] = {}
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Operation) and value.op:
                found[value.op] = value
    return found


CONTENT_OPERATIONS = _operations(text, fields, items, history)
"""Operations on a block's content: they go into its document."""

OPERATIONS = _operations(text, fields, items, history, block_rows, consent, rows, queue)
"""All operations."""

STORED_OPERATIONS = OPERATIONS | _operations(redaction)
"""All that the row of a stored change can name: the operations, and what stands there after a redaction."""
