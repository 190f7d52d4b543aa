"""Names and ids as a provider accepts them: legal characters, short enough, unique."""

from __future__ import annotations

import re
from collections.abc import Mapping

from inspector.domain.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class NameRule:
    """What a name may be. `illegal` matches one character that it may not hold; `first` one that it may begin with."""

    illegal: re.Pattern[str]
    longest: int
    first: re.Pattern[str] | None = None
    fallback: str = "unnamed"

    def legal(self, name: str) -> str:
        shown = self.illegal.sub("_", name)[: self.longest] or self.fallback
        if self.first is not None and not self.first.match(shown):
            shown = f"_{shown}"[: self.longest]
        return shown


class UniqueNames:
    """Gives each own name one legal name, and no legal name to two."""

    def __init__(self, rule: NameRule) -> None:
        self._rule = rule
        self._given: dict[str, str] = {}
        self._owners: dict[str, str] = {}

    def name(self, own: str) -> str:
        given = self._given.get(own)
        if given is None:
            given = self._free(self._rule.legal(own))
            self._given[own] = given
            self._owners[given] = own
        return given

    def reserve(self, own: str) -> None:
        """Let a name that is legal as it is keep itself, whatever others become."""
        if self._rule.legal(own) == own:
            self.name(own)

    @property
    def renamed(self) -> Mapping[str, str]:
        """Given names that differ from the own ones, and the own ones."""
        return {given: own for given, own in self._owners.items() if given != own}

    def _free(self, wanted: str) -> str:
        found, number = wanted, 1
        while found in self._owners:
            number += 1
            tail = f"_{number}"
            found = wanted[: self._rule.longest - len(tail)] + tail
        return found
