"""The words of what is left out: buttons with their effect, and turns by what is said first in them."""

from __future__ import annotations

from inspector.domain.messages import Batch, TextPart
from inspector.ui.presentation.budget import OutRow
from inspector.ui.safe_text import one_line
from inspector.ui.wording import signed, tr, tr_code, tr_count, with_unit

LISTED = 30
"""Members of a group that are listed at once."""
_NAME_LENGTH = 60
_ONE_BY_ONE = "unarchive"
"""What a group's button does with the member that comes first."""
_NO_EFFECT = frozenset({"pin", "raise_history", "set_layout"})
"""Fixes that change more than what they let in: others have to make room, or another layout has other sections."""


def effect_button(row: OutRow) -> str:
    """The button of a row's fix: what it does, and the tokens it adds at most."""
    fix = row.fix
    if fix is None:
        return ""
    text = tr_code(f"fix_button.{fix.action}", fix.parameters)
    if row.members and fix.action == _ONE_BY_ONE:
        text = tr("Restore next turn")
    more = signed(row.fix_tokens) if fix.action not in _NO_EFFECT else ""
    return tr("{button} ({tokens})", button=text, tokens=with_unit(more)) if more else text


def turn_name(batch: Batch) -> str:
    """A turn by the first words in it and how many messages it has."""
    said = (
        one_line(part.text, _NAME_LENGTH)
        for message in batch.messages
        for part in message.content
        if isinstance(part, TextPart) and part.text.strip()
    )
    count = tr_count("{count} message", "{count} messages", len(batch.messages))
    words = next(said, "")
    return tr("{words} · {count}", words=words, count=count) if words else count
