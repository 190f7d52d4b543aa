"""What removing versions of a block for good would do, and what it did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from inspector.domain.backups import Backup
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Version
from inspector.domain.errors import Refusal

LEAST_WORD = 8
"""Characters from which on a word that only redacted versions have is looked for elsewhere."""

MOST_TEXTS = 12
"""How many such words are looked for at most, the longest ones: each costs a look at every row."""


@dataclass(frozen=True, slots=True)
class RedactionPlan:
    """What a redaction of versions, by their numbers, would do. Nothing is stored yet.

    Attributes:
        numbers: The versions that are emptied.
        first_change: The number of the change that made the first of them; copies of before it don't hold them.
        lost: Others that can't be read any more, and so aren't kept either.
        holding: Other versions that still hold a secret of those, which must be redacted as well to be rid of it.
        secrets: What looks like a secret in them, masked.
        texts: What is looked for elsewhere: secrets, and words that only these versions have.
        places: How many rows of other tables quote any of `texts`. They are left alone.
        backups: Copies of the file that still hold all of it.
        refusal: Why it can't be done, None when it can.
    """

    block_id: str
    label: str
    version: Version
    numbers: tuple[int, ...]
    first_change: int = 0
    lost: tuple[int, ...] = ()
    holding: tuple[int, ...] = ()
    secrets: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    places: Mapping[str, int] = field(default_factory=dict)
    backups: tuple[Backup, ...] = ()
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class RedactionResult:
    """What was redacted: the number of the change, the versions, and whether freed parts of the file are clean too."""

    change: int
    numbers: tuple[int, ...]
    lost: tuple[int, ...]
    is_clean: bool
