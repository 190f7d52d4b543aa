"""A reference to a block, message or any other row, with the kind and the id."""

from __future__ import annotations

from enum import StrEnum

from inspector.domain.dataclass import dataclass


class RefKind(StrEnum):
    """The kinds of thing that can be pointed at."""

    CONSTELLATION = "constellation"
    AGENT = "agent"
    BLOCK = "block"
    ATTACHMENT = "attachment"
    ARCHIVAL = "archival"
    MESSAGE = "message"
    BATCH = "batch"
    SUMMARY = "summary"
    EVENT = "event"
    TOOL = "tool"
    TOOL_RULE = "tool_rule"
    LITERAL = "literal"
    SECTION = "section"
    CONSENT = "consent"
    GRANT = "grant"
    QUEUE = "queue"
    WAKEUP = "wakeup"
    RUN = "run"
    LAYOUT = "layout"
    SCHEMA = "schema"
    CONTEXT_STATE = "context_state"
    SETTING = "setting"
    FILE = "file"


@dataclass(frozen=True, slots=True, order=True)
class Ref:
    """One thing: its kind, its id, and optionally a part of it.

    `part` names a field, item, entry, node, section or message part inside the thing.
    """

    kind: RefKind
    id: str
    part: str | None = None

    @property
    def whole(self) -> Ref:
        return self if self.part is None else Ref(self.kind, self.id)

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}" if self.part is None else f"{self.kind}:{self.id}#{self.part}"

    @classmethod
    def read(cls, text: str) -> Ref | None:
        """The Ref that a text is, None when it is none: the other way round of `str`."""
        kind, colon, rest = text.partition(":")
        if not colon or kind not in set(RefKind):
            return None
        id_, _, part = rest.partition("#")
        return cls(RefKind(kind), id_, part or None)
