"""Which edits of the texts as they are take back an earlier change of theirs.

Positions are the only thing that contents cannot tell, so they are taken from the history: what the change did, and
what became of the text since. Merging would not do: a text that an undo has put back is made of new characters, and
what takes back the change that once wrote it finds only the old ones. So what was taken back and made again is
followed change by change, see `inspector.domain.differences.letters`. All else goes by ids, see
`inspector.domain.differences.backwards`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loro import ContainerID, Diff, DiffEvent, LoroText, TextDelta

from inspector.documents.errors import guarded
from inspector.documents.replica import Replica
from inspector.documents.text_deltas import delta_of, splices_of
from inspector.domain.differences.letters import Letters
from inspector.domain.edits.base import Version
from inspector.domain.history import Span

Deltas = Mapping[str, list[TextDelta]]
"""What to do to each text, by the name of its container."""


def text_deltas(
    replica: Replica,
    texts: Mapping[str, LoroText],
    before: Version,
    after: Version,
    spans: Sequence[Span] = (),
) -> Deltas:
    """What takes back what led from `before` to `after`, in the positions of the present texts.

    `spans`, see `inspector.storage.changes.spans_to_take_back`; without any, only this change is ever taken back.
    """
    if not texts:
        return {}
    with guarded("document.failed"):
        names = frozenset(_name_of(text.id) for text in texts.values())
    walk = _Walk(replica, names)
    if after == replica.version:
        walk.go(after)
        return walk.go(before)
    every = spans if any(span.after == after for span in spans) else [Span(before, after), *spans]
    walk.go(every[0].before)
    letters = {name: Letters(text) for name, text in walk.texts().items()}
    numbers = _follow(walk, letters, every, replica.version)
    return {name: list(delta_of(each.turned(numbers[after]))) for name, each in letters.items()}


def apply_deltas(replica: Replica, deltas: Deltas) -> None:
    """Edit texts; to be called inside a change.

    Also where the texts will say the same: these are other characters, and the next undo asks for them.
    """
    for name, delta in deltas.items():
        if delta:
            replica.doc.get_text(name).apply_delta(delta)


class _Walk:
    """Goes from version to version of a fork, which is far quicker than comparing each with the next."""

    def __init__(self, replica: Replica, names: frozenset[str]) -> None:
        self._replica = replica
        self._names = names
        self._heard: list[DiffEvent] = []
        with guarded("document.failed"):
            self._doc = replica.doc.fork()
            self._subscription = self._doc.subscribe_root(self._heard.append)

    def go(self, version: Version) -> Deltas:
        """Go to a version, and give what that does to each text."""
        frontiers = self._replica.frontiers(version)
        self._heard.clear()
        with guarded("document.failed"):
            self._doc.checkout(frontiers)
            return self._told()

    def texts(self) -> dict[str, str]:
        """The texts where the walk has come to."""
        with guarded("document.failed"):
            return {name: self._doc.get_text(name).to_string() for name in self._names}

    def _told(self) -> Deltas:
        told: dict[str, list[TextDelta]] = {}
        for each in (part for event in self._heard for part in event.events):
            target, diff = each.target, each.diff
            if (
                isinstance(target, ContainerID.Root)
                and target.name in self._names
                and isinstance(diff, Diff.Text)
            ):
                told[target.name] = diff.diff
        return told


def _follow(
    walk: _Walk, letters: Mapping[str, Letters], spans: Sequence[Span], present: Version
) -> dict[Version, int]:
    """Follow the texts to the present. Gives which change each span made, took back or made again, by its end."""
    numbers: dict[Version, int] = {}
    for span in spans:
        between, made = walk.go(span.before), walk.go(span.after)
        known = None if span.inverts is None else numbers.get(span.inverts)
        number = numbers[span.after] = len(numbers) if known is None else known
        for name, each in letters.items():
            each.edit(splices_of(between.get(name, ())))
            splices = tuple(splices_of(made.get(name, ())))
            if known is None:
                each.edit(splices, number)
            else:
                each.turn(number, splices)
    since = walk.go(present)
    for name, each in letters.items():
        each.edit(splices_of(since.get(name, ())))
    return numbers


def _name_of(container: ContainerID) -> str:
    if not isinstance(container, ContainerID.Root):
        raise TypeError(type(container).__name__)
    return container.name
