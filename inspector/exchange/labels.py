"""Labels that come from outside: made printable, and told apart where one owner would have two of them."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable

UNLABELLED = "unlabelled"
# What no label may hold: controls, lone surrogates, separators of lines and paragraphs.
_UNPRINTABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})


def printable(label: str) -> str:
    """The label with ``_`` for what cannot be printed; one that shows nothing gets a name."""
    shown = "".join("_" if unicodedata.category(each) in _UNPRINTABLE else each for each in label)
    return shown if shown.strip() else UNLABELLED


class LabelBook:
    """Gives out labels, each once to an owner: one that is taken gets a number that nobody asks for."""

    def __init__(self, wanted: Iterable[tuple[str, str]], taken: Iterable[tuple[str, str]] = ()) -> None:
        self._wanted = set(wanted)
        self._taken = set(taken)
        self._numbers: Counter[tuple[str, str]] = Counter()

    def take(self, owner: str, label: str) -> str:
        """The label itself, or ``label_2``, ``label_3`` and so on."""
        new = label
        while (owner, new) in self._taken or (new != label and (owner, new) in self._wanted):
            self._numbers[owner, label] += 1
            new = f"{label}_{self._numbers[owner, label] + 1}"
        self._taken.add((owner, new))
        return new
