"""Which edits of the texts as they are take back an earlier change of theirs.

Positions are the only thing that contents cannot tell, so they are taken from the history: what the change did, and
what became of the text since. Merging would not do: a text that an undo has put back is made of new characters, and
what takes back the change that once wrote it finds only the old ones. So the undos since then are followed one by
one. All else goes by ids, see `inspector.domain.differences.backwards`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from loro import ContainerID, Diff, DiffEvent, Frontiers, LoroText, TextDelta

from inspector.documents.errors import guarded
from inspector.documents.replica import Replica
from inspector.domain.differences.carrying import Followed, Run
from inspector.domain.edits.base import Version
from inspector.domain.edits.text import Splice
from inspector.domain.history import Span

Deltas = Mapping[str, list[TextDelta]]
"""What to do to each text, by the name of its container."""


def text_deltas(
    replica: Replica,
    texts: Mapping[str, LoroText],
    before: Frontiers,
    after: Frontiers,
    undone: Sequence[Span] = (),
) -> Deltas:
    """What takes back what led from `before` to `after`, in the positions of the present texts.

    `undone` are, of the changes since then, those that take one another back and those that are taken back.
    """
    if not texts:
        return {}
    with guarded("document.failed"):
        names = frozenset(_name_of(text.id) for text in texts.values())
        present = replica.doc.state_frontiers
        ended_here = after.encode() == present.encode()
    walk = _Walk(replica, names)
    walk.go(after)
    old = walk.texts()
    inverse = walk.go(before)
    if ended_here or not inverse:
        return inverse
    walk.go(after)
    followed = _followed(walk, {name: len(old[name]) for name in inverse}, undone, present)
    return {name: list(_delta_of(followed[name].carry(list(_splices_of(inverse[name]))))) for name in inverse}


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

    def go(self, place: Frontiers | Version) -> Deltas:
        """Go to a version, and give what that does to each text."""
        frontiers = self._replica.frontiers(place) if isinstance(place, str) else place
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


def _followed(
    walk: _Walk, lengths: Mapping[str, int], undone: Sequence[Span], present: Frontiers
) -> dict[str, Followed]:
    """The texts' characters, from where the walk stands to the present."""
    followed = {name: Followed(length) for name, length in lengths.items()}
    removed: dict[tuple[str, Version], tuple[Run, ...]] = {}
    for span in undone:
        between, change = walk.go(span.before), walk.go(span.after)
        for name, each in followed.items():
            each.edit(_splices_of(between.get(name, ())))
            back = () if span.inverts is None else removed.get((name, span.inverts), ())
            removed[name, span.after] = each.edit(_splices_of(change.get(name, ())), back)
    since = walk.go(present)
    for name, each in followed.items():
        each.edit(_splices_of(since.get(name, ())))
    return followed


def _name_of(container: ContainerID) -> str:
    if not isinstance(container, ContainerID.Root):
        raise TypeError(type(container).__name__)
    return container.name


def _splices_of(delta: Iterable[TextDelta]) -> Iterator[Splice]:
    """A delta as splices of the text that it is for; what removes and inserts at one place is one."""
    at = removed = 0
    inserted = ""
    for each in delta:
        if isinstance(each, TextDelta.Retain):
            if removed or inserted:
                yield Splice(at, removed, inserted)
            at += removed + each.retain
            removed, inserted = 0, ""
        elif isinstance(each, TextDelta.Delete):
            removed += each.delete
        elif isinstance(each, TextDelta.Insert):
            inserted += each.insert
    if removed or inserted:
        yield Splice(at, removed, inserted)


def _delta_of(splices: Iterable[Splice]) -> Iterator[TextDelta]:
    at = 0
    for each in splices:
        if each.start > at:
            yield TextDelta.Retain(each.start - at, None)
        if each.delete:
            yield TextDelta.Delete(each.delete)
        if each.insert:
            yield TextDelta.Insert(each.insert, None)
        at = each.start + each.delete
