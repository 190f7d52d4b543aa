"""The health service: the problems of the open file, each published once with its end."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.domain.changes import Health
from inspector.domain.errors import Problem
from inspector.domain.ref import Ref
from inspector.storage.database import Database

_FILE = "file"


class HealthService:
    """Problems that belong to no agent's Request, by family."""

    def __init__(self, database: Database) -> None:
        self._feed = database.feed
        self._families: dict[str, tuple[Health, ...]] = {_FILE: tuple(map(_health, database.problems))}

    @property
    def present(self) -> tuple[Health, ...]:
        """Everything that is wrong now, as whoever comes later must be told it."""
        return tuple(each for family in self._families.values() for each in family)

    def tell(self, family: str, problems: Iterable[Problem]) -> None:
        """Take what is wrong in one family, in place of what was, and publish the difference."""
        before, now = self._families.get(family, ()), tuple(map(_health, problems))
        self._families[family] = now
        for each in now:
            if each not in before:
                self._feed.publish(each)
        still = {(each.code, each.ref) for each in now}
        for each in before:
            if (each.code, each.ref) not in still:
                self._feed.publish(Health(each.code, each.ref, severity=each.severity, resolved=True))


def _health(problem: Problem) -> Health:
    parameters = tuple(
        (name, "" if value is None else _text(value)) for name, value in problem.parameters.items()
    )
    return Health(problem.code, Ref.read(problem.where), parameters, problem.severity)


def _text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
