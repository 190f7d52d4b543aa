"""The result of a salvage: what came back of a damaged file and what did not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Problem


class Recovery(StrEnum):
    """How much of a block came back, from all to nothing."""

    WHOLE = "whole"
    HISTORY_INCOMPLETE = "history_incomplete"
    """The content is the last one; some entries of its history are gone."""
    CONTENT_ONLY = "content_only"
    """The content is the last one; its history names what was done, but holds no earlier content."""
    OLDER_STATE = "older_state"
    """The content is that of an earlier change."""
    LOST = "lost"
    """The block is there with nothing in it, or not at all."""


@dataclass(frozen=True, slots=True)
class SavedBlock:
    """One block. `missing` counts entries of its history that are gone; `why` is the code of what was wrong.

    `named_by_journal` says that the block's own row was gone, and label and settings are those of the journal.
    """

    id: str
    label: str
    recovery: Recovery
    missing: int = 0
    why: str = ""
    named_by_journal: bool = False


@dataclass(frozen=True, slots=True)
class SalvageReport:
    """What was read, what is in the new file, and what is not.

    `damaged_pages` maps the numbers of unreadable pages to their tables, as far as both are known. `kept` and
    `lost` count rows by table: lost are those that were readable and fit nowhere any more. `missing_pages` counts
    the pages that the file says it has and that are not there: it was cut off. `made_up` counts rows that stand for
    lost ones which others refer to. `unreadable` counts records that could not be read.
    """

    source: str
    target: str
    pages: int
    damaged_pages: Mapping[int, str]
    unreadable: int
    blocks: tuple[SavedBlock, ...]
    kept: Mapping[str, int]
    lost: Mapping[str, int] = field(default_factory=dict)
    made_up: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    missing_pages: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether nothing that could be known of is missing."""
        whole = all(each.recovery is Recovery.WHOLE for each in self.blocks)
        return whole and not (
            self.damaged_pages
            or self.missing_pages
            or self.unreadable
            or self.lost
            or self.made_up
            or self.problems
        )
