"""The changes of the file as rows: those of one changeset together, with what they changed by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from inspector.domain.changes import Change, ChangeRole, JournalEntry
from inspector.domain.dataclass import dataclass
from inspector.domain.ref import Ref
from inspector.ui.file_state import FileState
from inspector.ui.presentation.changes import name_of_ref
from inspector.ui.presentation.journal_words import operation_names
from inspector.ui.safe_text import one_line
from inspector.ui.wording import tr, tr_count


@dataclass(frozen=True, slots=True)
class JournalRow:
    """Changes that one actor made together, newest first; never empty."""

    entries: tuple[JournalEntry, ...]
    titles: Mapping[Ref, str]
    """How texts that have no name begin."""

    @property
    def newest(self) -> JournalEntry:
        return self.entries[0]

    @property
    def change(self) -> Change:
        return self.newest.change

    @property
    def turning(self) -> JournalEntry | None:
        """The newest of them that can be undone and redone at all."""
        return next((each for each in self.entries if each.can_turn), None)

    @property
    def is_undone(self) -> bool:
        """Whether all of it is undone by now."""
        turning = [each for each in self.entries if each.can_turn]
        return bool(turning) and all(each.is_undone for each in turning)


def rows_of(entries: Iterable[JournalEntry], titles: Mapping[Ref, str]) -> tuple[JournalRow, ...]:
    """Changes in their order, neighbours of one changeset as one row."""
    return tuple(_row(tuple(group), titles) for _, group in groupby(entries, _together))


def _row(entries: tuple[JournalEntry, ...], titles: Mapping[Ref, str]) -> JournalRow:
    # Only its own: rows are held against those that were there.
    refs = {each.change.ref.whole for each in entries}
    return JournalRow(entries, {ref: titles[ref] for ref in refs if ref in titles})


def what_of(row: JournalRow) -> str:
    """What was done, in words, and whether it is undone."""
    kinds = [each.change.kind for each in reversed(row.entries)]
    what = operation_names(kinds, row.newest.role)
    is_undone = row.is_undone and row.newest.role is not ChangeRole.UNDONE
    return tr("{what} (undone)", what=what) if is_undone else what


def targets_of(row: JournalRow, file: FileState) -> str:
    """What was changed, by name: the first, and how many others."""
    names = list(dict.fromkeys(_name(row, each.change.ref, file) for each in reversed(row.entries)))
    more = len(names) - 1
    return names[0] if not more else tr("{name} (+{count})", name=names[0], count=more)


def details_of(row: JournalRow, file: FileState) -> str:
    """Every change of a row on a line of its own, as far as a tool tip has room."""
    lines = [
        f"{operation_names([each.change.kind])}: {_name(row, each.change.ref, file)}"
        for each in reversed(row.entries)
    ]
    more = len(lines) - _MOST_LINES
    if more > 0:
        lines = [*lines[:_MOST_LINES], tr_count("… {count} more", "… {count} more", more)]
    return "\n".join(lines)


def _name(row: JournalRow, ref: Ref, file: FileState) -> str:
    """What was changed by name; a text that has none with how it begins."""
    title, name = one_line(row.titles.get(ref.whole, ""), _TITLE_LENGTH), name_of_ref(ref, file)
    return tr("{kind} “{title}”", kind=name, title=title) if title else name


_MOST_LINES, _TITLE_LENGTH = 12, 60


def _together(entry: JournalEntry) -> object:
    change = entry.change
    return change.seq if change.changeset is None else (change.changeset, change.actor, entry.role)


def loaded_limit(rows: Sequence[JournalRow], page: int, most: int) -> int:
    """How many changes to read again, so that what is in sight is there and a long list stays quick."""
    return min(most, max(page, sum(len(row.entries) for row in rows)))
