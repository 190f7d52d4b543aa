"""The versions of a block's content: who wrote them, what differs, and who wrote each part."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from datetime import datetime

from inspector.domain.actor import Actor
from inspector.domain.blocks import Schema
from inspector.domain.content import Content
from inspector.domain.counts import Count
from inspector.domain.dataclass import dataclass
from inspector.domain.differences.conflicts import Conflict, TextSides
from inspector.domain.differences.contents import ContentDiff
from inspector.domain.differences.hunks import Hunk
from inspector.domain.edits.base import Version
from inspector.domain.edits.redaction import Redacted, Withheld
from inspector.domain.errors import Refusal


@dataclass(frozen=True, slots=True)
class VersionSpan:
    """A stored change of a content, by its versions. `inverts` is where the change ended that it takes back, if any."""

    before: Version
    after: Version
    inverts: Version | None = None


@dataclass(frozen=True, slots=True)
class BlockVersion:
    """One stored delta. `operation` is its JSON text as stored; `size` the delta's bytes.

    `change_seq` is the number of its change; `folded` says that its bytes live in a checkpoint by now.
    `length` is how many characters the content had then, as they count against the block's limit; None where
    that was not asked for or the version cannot be read. `pending` says that what it builds on is missing. `redacted`
    says by whom and when its content was removed for good.
    """

    seq: int
    change_seq: int
    before: Version
    version: Version
    operation: str
    actor: Actor
    reason: str
    at: datetime
    size: int
    folded: bool
    tool_call_id: str | None = None
    changeset: str | None = None
    undo_of: int | None = None
    length: int | None = None
    pending: bool = False
    redacted: Redacted | None = None

    @property
    def op(self) -> str | None:
        """The operation's name, also of one that is withheld; None where what is stored is no operation's JSON."""
        try:
            plain = json.loads(self.operation)
        except (ValueError, RecursionError):
            return None
        op = plain.get("op") if isinstance(plain, dict) else None
        if op == Withheld.op:
            op = plain.get("was")
        return op if isinstance(op, str) else None


@dataclass(frozen=True, slots=True)
class VersionContent:
    """The content at a version, and the schema that the block had then."""

    version: Version
    schema: Schema
    content: Content


@dataclass(frozen=True, slots=True)
class VersionDiff:
    """What differs between two versions; `unified` compares their rendered texts, whole texts included."""

    before: VersionContent
    after: VersionContent
    diff: ContentDiff
    unified: str


@dataclass(frozen=True, slots=True)
class MeasuredVersion:
    """A version with its tokens, and how many more they are than those of the one before; None where unreadable.

    `op` is the operation's name; the version is without the operation's text, which may be as long as the content.
    """

    version: BlockVersion
    op: str | None
    tokens: Count | None
    growth: int | None


@dataclass(frozen=True, slots=True)
class MeasuredHunk:
    """A hunk, and how many tokens more its lines have after than before."""

    hunk: Hunk
    growth: int


@dataclass(frozen=True, slots=True)
class VersionComparison:
    """Two versions as rendered texts, with the hunks that differ.

    `is_text` says that the rendered texts are the contents themselves, so that a hunk can be restored alone.
    """

    before_version: Version
    after_version: Version
    before: str
    after: str
    hunks: tuple[MeasuredHunk, ...]
    growth: int
    is_text: bool


@dataclass(frozen=True, slots=True)
class ThreeWay:
    """A draft beside what others have written since its base version; nothing of it is stored.

    `mine` is the draft alone, `theirs` what is stored by now (as `theirs_version`), `merged` what saving would
    give, None when the `refusal` says why that cannot be saved. `texts` and `conflicts` tell what each side
    changed in the texts, by section, and where both changed the same.
    """

    schema: Schema
    base: Content
    theirs: Content
    mine: Content
    merged: Content | None
    theirs_version: Version
    refusal: Refusal | None = None
    texts: Mapping[str, TextSides] = field(default_factory=dict)
    conflicts: tuple[Conflict, ...] = ()
