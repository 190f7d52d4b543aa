"""Saving a text as a whole that was read a few changes ago, while somebody else goes on writing it.

``python -m tests.bench.late_saves [--changes N] [--saves N]`` from the project's root.

One text, once with a history of so many changes and once with a tenth of them. Its length stays about the same. In
each, so many times: somebody else makes three changes, then the text of before them is saved with a few letters more.
Beside it, in the same run, the same is saved for the present version, which needs no merging. In processor time of
this process; the middle of so many saves. It ends with 1 when a late save takes more than `MOST_TIMES` one for the
present version, or more than `MOST_GROWN` what it takes with a tenth of the history.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count

from inspector.documents.document import Document
from inspector.documents.stamp import EditStamp
from inspector.domain.blocks import TextSchema
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Operation, Version
from inspector.domain.edits.text import AppendText, InsertText, ReplaceText, SetText

MOST_TIMES, MOST_GROWN = 25.0, 4.0
KEPT = 60
"""So many marks are in the text at once."""


class Pair:
    """Two replicas of one text, as two processes have it: each takes in what the other makes."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._numbers = count()
        self._marks: list[str] = []
        self._stamp = EditStamp("somebody", datetime.now(UTC), lambda: "unused")
        self.mine = Document.create(TextSchema(), TextContent("|"), self._stamp)
        self.theirs = Document.load(TextSchema(), self.mine.export_snapshot())

    def write(self) -> None:
        """Somebody else's next small change."""
        operation: Operation
        if len(self._marks) > KEPT:
            old = self._marks.pop(self._chance.randrange(len(self._marks)))
            operation = ReplaceText(old, "")
        else:
            mark = f"<{next(self._numbers)}>"
            self._marks.append(mark)
            operation = AppendText(mark) if self._chance.random() < 0.5 else InsertText(0, mark)
        made = self.theirs.apply(operation, self._stamp)
        assert made is not None
        self.mine.merge(made.update)

    def text(self) -> str:
        """The text as it is."""
        content = self.mine.content()
        assert isinstance(content, TextContent)
        return content.text

    def save(self, text: str, base: Version) -> float:
        """Save a whole text for a version. Gives the milliseconds of processor time."""
        mark = f"<{next(self._numbers)}>"
        self._marks.append(mark)
        started = time.process_time()
        made = self.mine.apply(SetText(text + mark), self._stamp, base)
        spent = 1000 * (time.process_time() - started)
        assert made is not None
        self.theirs.merge(made.update)
        # Nothing that anybody wrote and nobody removed may be missing, whatever it took.
        assert all(self.text().count(each) == 1 for each in self._marks)
        return spent


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds: of a save for an older version, and of one for the present version."""

    first: float
    late: float
    longest: float
    present: float

    def __str__(self) -> str:
        return (
            f"for three changes ago {self.late:.2f} ms (the first one {self.first:.1f}, then at most "
            f"{self.longest:.2f}), for the present version {self.present:.2f} ms: {self.late / self.present:.1f} times"
        )


def measured(changes: int, saves: int) -> Times:
    """The times after so many changes."""
    pair = Pair(changes)
    for _ in range(changes):
        pair.write()
    late: list[float] = []
    present: list[float] = []
    for _ in range(saves + 1):
        base, text = pair.mine.version, pair.text()
        for _ in range(3):
            pair.write()
        late.append(pair.save(text, base))
        present.append(pair.save(pair.text(), pair.mine.version))
    return Times(late[0], statistics.median(late[1:]), max(late[1:]), statistics.median(present))


def main() -> int:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--changes", type=int, default=20_000)
    parser.add_argument("--saves", type=int, default=100)
    given = parser.parse_args()
    short, long = (measured(changes, given.saves) for changes in (given.changes // 10, given.changes))
    print(f"{given.changes // 10} changes: {short}")
    print(f"{given.changes} changes: {long}")
    print(f"ten times the history: {long.late / short.late:.2f} times")
    return int(long.late > MOST_TIMES * long.present or long.late > MOST_GROWN * short.late)


if __name__ == "__main__":
    sys.exit(main())
