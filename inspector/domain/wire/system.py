"""The system text of a recorded request as it came: in how many messages or blocks, each with its further fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inspector.domain.dataclass import dataclass
from inspector.domain.wire.objects import leaves
from inspector.domain.wire.parameters import as_recorded
from inspector.domain.wire.values import Adaptations, Outgoing, WireForm

SYSTEM = "system"
_LITERAL = "literal:"
_INSTRUCTIONS = f"{_LITERAL}instructions/"


@dataclass(frozen=True, slots=True)
class SystemBlock:
    """One text with its further fields."""

    text: str
    extra: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SystemMessage:
    """One message, or one field of the body, that holds system text.

    Attributes:
        extra: Its further fields; None for text that was not recorded.
        blocks: Its texts.
        is_list: Whether they came as a list of blocks, not as a text.
    """

    extra: Mapping[str, Any] | None
    blocks: tuple[SystemBlock, ...]
    is_list: bool

    @property
    def text(self) -> str:
        return "".join(block.text for block in self.blocks)


def recorded_system(outgoing: Outgoing, form: WireForm, notes: Adaptations) -> list[SystemMessage]:
    """The system text as it came in that form; nothing where it did not, or is not the recorded texts any more.

    What stands besides the instructions in the Request is one more message, behind them. Where places in the
    system text are marked for the cache, it is cut at these instead. Fields that are not sent are told.
    """
    found = _as_it_came(outgoing, form)
    for each in WireForm:
        recorded = as_recorded(outgoing, each).get(SYSTEM)
        if isinstance(recorded, list) and not (found and each is form):
            for name in leaves({str(number): _fields(message) for number, message in enumerate(recorded)}):
                _, _, own = name.partition(".")
                if own not in ("role", "type"):
                    notes.lost("part_field_not_sent", SYSTEM, name=own)
    return found


def _fields(message: Any) -> dict[str, Any]:
    """The further fields of a recorded message of system text, and of its blocks."""
    plain = message if isinstance(message, dict) else {}
    fields = [plain.get("fields"), *(blocks if isinstance(blocks := plain.get("blocks"), list) else ())]
    return {key: value for each in fields if isinstance(each, dict) for key, value in each.items()}


def _as_it_came(outgoing: Outgoing, form: WireForm) -> list[SystemMessage]:
    recorded = as_recorded(outgoing, form).get(SYSTEM)
    pieces = {segment.piece_id for segment in outgoing.system}
    if not isinstance(recorded, list) or any(end.piece_id in pieces for end in outgoing.cache_ends):
        return []
    texts = iter(outgoing.instructions)
    found = [made for each in recorded if (made := _message(each, texts)) is not None]
    counts = [len(message.blocks) for message in found]
    sent = {
        f"{_INSTRUCTIONS}{number}"
        for number, text in enumerate(outgoing.instructions)
        if text and not text.isspace()
    }
    if len(found) != len(recorded) or sum(counts) != len(outgoing.instructions) or sent - pieces:
        return []
    beside = [segment for segment in outgoing.system if not segment.piece_id.startswith(_INSTRUCTIONS)]
    if any(segment.piece_id.startswith(_LITERAL) for segment in beside):
        # Headings and joins of a layout make one text of all.
        return []
    others = "".join(segment.text for segment in beside)
    if others.strip("\n"):
        found.append(SystemMessage(None, (SystemBlock(others.strip("\n"), {}),), is_list=False))
    return found


def _message(recorded: Any, texts: Iterator[str]) -> SystemMessage | None:
    fields = recorded.get("fields") if isinstance(recorded, dict) else None
    if not isinstance(fields, dict):
        return None
    blocks = recorded.get("blocks")
    extras: list[Any] = blocks if isinstance(blocks, list) else [{}]
    made = tuple(
        SystemBlock(text, extra if isinstance(extra, dict) else {})
        for extra, text in zip(extras, texts, strict=False)
    )
    return SystemMessage(fields, made, isinstance(blocks, list))
