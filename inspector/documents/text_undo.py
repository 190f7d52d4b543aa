"""Finds the text edits of a document that undo an earlier change.

Positions are the only thing that contents cannot tell, so they are taken from the history: what the change did, and
what became of the text since. Merging would not do: a text that an undo has put back is made of new characters, and
what takes back the change that once wrote it finds only the old ones. So what was taken back and made again is
followed change by change, see `inspector.domain.differences.character_ledger`. All else goes by ids, see
`inspector.domain.differences.backwards`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from loro import ContainerID, Diff, DiffEvent, LoroText

from inspector.documents.errors import guarded
from inspector.documents.linear_history import Splices, straight_steps
from inspector.documents.loro_replica import LoroReplica
from inspector.documents.shapes.text import splice_text, splices_of_delta
from inspector.domain.differences.character_ledger import CharacterLedger
from inspector.domain.edits.base import Version
from inspector.domain.history import VersionSpan


def text_splices(
    replica: LoroReplica,
    texts: Mapping[str, LoroText],
    before: Version,
    after: Version,
    spans: Sequence[VersionSpan] = (),
) -> Splices:
    """What takes back what led from `before` to `after`, in the positions of the present texts.

    `spans`, see `inspector.storage.changes.spans_to_take_back`; without any, only this change is ever taken back.
    """
    if not texts:
        return {}
    names = names_of(texts.values())
    is_last = after == replica.version
    if is_last or not any(span.after == after for span in spans):
        spans = [VersionSpan(before, after), *(() if is_last else spans)]
    way: _Way | None = _Straight.of(replica, names, spans)
    if way is None:
        way = _Walk(replica, names)
        if is_last:
            way.go(after)
            return way.go(before)
        way.go(spans[0].before)
    letters = {name: CharacterLedger(text) for name, text in way.texts().items()}
    numbers = _follow(way, letters, spans, replica.version)
    return {name: each.turned(numbers[after]) for name, each in letters.items()}


def names_of(texts: Iterable[LoroText]) -> frozenset[str]:
    """The names of texts, all of which are containers of a document itself."""
    with guarded("document.failed"):
        found = [text.id for text in texts]
    return frozenset(each.name for each in found if isinstance(each, ContainerID.Root))


def splice_texts(replica: LoroReplica, splices: Splices) -> None:
    """Edit texts; to be called inside a change.

    Also where the texts will say the same: these are other characters, and the next undo asks for them.
    """
    for name, each in splices.items():
        if each:
            splice_text(replica.doc.get_text(name), each)


def _of_texts(diffs: Iterable[tuple[ContainerID, Diff]], names: frozenset[str]) -> Splices:
    return {
        target.name: tuple(splices_of_delta(diff.diff))
        for target, diff in diffs
        if isinstance(target, ContainerID.Root) and target.name in names and isinstance(diff, Diff.Text)
    }


class _Way(Protocol):
    def go(self, version: Version, /) -> Splices:
        """Go to the next version, and give what that does to each text."""
        ...

    def texts(self) -> Mapping[str, str]: ...


class _Straight:
    """The steps that the operations tell of, one after the other."""

    def __init__(self, texts: Mapping[str, str], steps: Iterable[Splices]) -> None:
        self._texts = texts
        self._steps = iter(steps)

    @classmethod
    def of(
        cls, replica: LoroReplica, names: frozenset[str], spans: Sequence[VersionSpan]
    ) -> _Straight | None:
        """The steps that following these takes, None if the operations do not tell."""
        stops = [spans[0].before, *(stop for span in spans for stop in (span.before, span.after))]
        found = straight_steps(replica, names, [*stops, replica.version])
        return None if found is None else cls(*found)

    def go(self, _: Version) -> Splices:
        return next(self._steps)

    def texts(self) -> Mapping[str, str]:
        return self._texts


class _Walk:
    """Goes from version to version of a fork: for many that is far quicker than comparing each with the next."""

    def __init__(self, replica: LoroReplica, names: frozenset[str]) -> None:
        self._replica = replica
        self._names = names
        self._heard: list[DiffEvent] = []
        with guarded("document.failed"):
            self._doc = replica.doc.fork()
            self._subscription = self._doc.subscribe_root(self._heard.append)

    def go(self, version: Version) -> Splices:
        """Go to a version, and give what that does to each text."""
        frontiers = self._replica.frontiers(version)
        self._heard.clear()
        with guarded("document.failed"):
            self._doc.checkout(frontiers)
            return self._undone_splices()

    def texts(self) -> dict[str, str]:
        with guarded("document.failed"):
            return {name: self._doc.get_text(name).to_string() for name in self._names}

    def _undone_splices(self) -> Splices:
        parts = (part for event in self._heard for part in event.events)
        return _of_texts(((part.target, part.diff) for part in parts), self._names)


def _follow(
    walk: _Way, letters: Mapping[str, CharacterLedger], spans: Sequence[VersionSpan], present: Version
) -> dict[Version, int]:
    """Follow the texts to the present. Gives which change each span made, took back or made again, by its end."""
    numbers: dict[Version, int] = {}
    for span in spans:
        between, made = walk.go(span.before), walk.go(span.after)
        existing = None if span.inverts is None else numbers.get(span.inverts)
        number = numbers[span.after] = len(numbers) if existing is None else existing
        for name, each in letters.items():
            each.edit(between.get(name, ()))
            splices = made.get(name, ())
            if existing is None:
                each.edit(splices, number)
            else:
                each.turn(number, splices)
    since = walk.go(present)
    for name, each in letters.items():
        each.edit(since.get(name, ()))
    return numbers
