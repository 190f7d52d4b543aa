"""Finds the text edits of a document that undo an earlier change.

Positions are the only thing that contents cannot tell, so they are taken from the history: what the change did, and
what became of the text since. Merging would not do: a text that an undo has put back is made of new characters, and
what takes back the change that once wrote it finds only the old ones. So what was taken back and made again is
followed change by change, see `inspector.documents.character_ledger`. All else goes by ids, see
`inspector.domain.differences.backwards`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loro import LoroText

from inspector.documents.character_ledger import CharacterLedger
from inspector.documents.loro_replica import LoroReplica
from inspector.documents.text_history import TextEdits, TextHistory
from inspector.domain.edits.base import Version
from inspector.domain.history import VersionSpan


def text_undo(
    replica: LoroReplica,
    texts: Mapping[str, LoroText],
    before: Version,
    after: Version,
    spans: Sequence[VersionSpan] = (),
) -> TextEdits:
    """What takes back what led from `before` to `after`, as edits of the present texts by section.

    `spans`, see `inspector.storage.changes.spans_to_take_back`; without any, only this change is ever taken back.
    """
    if not texts:
        return {}
    present = replica.version
    if after == present or not any(span.after == after for span in spans):
        spans = [VersionSpan(before, after), *(() if after == present else spans)]
    history = TextHistory(replica, replica.fork(replica.frontiers(spans[0].before)), texts)
    ledgers = {section: CharacterLedger(text) for section, text in history.texts().items()}
    numbers: dict[Version, int] = {}
    """Which change each span made, took back or made again, by its end."""
    for span in spans:
        came, made = history.go(span.before), history.go(span.after)
        existing = None if span.inverts is None else numbers.get(span.inverts)
        number = numbers[span.after] = len(numbers) if existing is None else existing
        for section, ledger in ledgers.items():
            ledger.edit(came.get(section, ()))
            if existing is None:
                ledger.edit(made.get(section, ()), number)
            else:
                ledger.turn(number, made.get(section, ()))
    since = history.go(present)
    for section, ledger in ledgers.items():
        ledger.edit(since.get(section, ()))
    return {section: ledger.turned(numbers[after]) for section, ledger in ledgers.items()}
