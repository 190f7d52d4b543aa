"""Labels that come from outside: made printable, and told apart where one owner would have two of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from inspector.domain.labels import appearance, is_printable

UNLABELLED = "unlabelled"


def printable(label: str) -> str:
    """The label with ``_`` for what cannot be printed; one that shows nothing gets a name."""
    shown = "".join(each if is_printable(each) else "_" for each in label)
    return shown if appearance(shown) else UNLABELLED


class LabelBook:
    """Gives out labels, each once to an owner: one that is taken gets a number that nobody asks for.

    Labels that look the same count as one.
    """

    def __init__(self, wanted: Iterable[tuple[str, str]], taken: Iterable[tuple[str, str]] = ()) -> None:
        self._wanted = {_seen(*each) for each in wanted}
        self._taken = {_seen(*each) for each in taken}
        self._numbers: Counter[tuple[str, str]] = Counter()

    def take(self, owner: str, label: str) -> str:
        """The label itself, or ``label_2``, ``label_3`` and so on."""
        new = label
        while (seen := _seen(owner, new)) in self._taken or (new != label and seen in self._wanted):
            self._numbers[owner, label] += 1
            new = f"{label}_{self._numbers[owner, label] + 1}"
        self._taken.add(seen)
        return new


def _seen(owner: str, label: str) -> tuple[str, str]:
    return owner, appearance(label)
