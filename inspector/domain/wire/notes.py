"""What an adapter had to change, collected on the way."""

from __future__ import annotations

from inspector.domain.errors import Parameter
from inspector.domain.health import Problem, Severity


class Adaptations:
    """The list of changes. *Changed* keeps all content, *lost* leaves something out."""

    def __init__(self) -> None:
        self._told: dict[tuple[str, str, tuple[tuple[str, Parameter], ...]], Problem] = {}

    def changed(self, code: str, where: str, **parameters: Parameter) -> None:
        """Note a change of form; the same one is told once."""
        self._tell(Severity.INFO, code, where, parameters)

    def lost(self, code: str, where: str, **parameters: Parameter) -> None:
        """Note that something is not sent, or not as it is stored."""
        self._tell(Severity.WARNING, code, where, parameters)

    @property
    def told(self) -> tuple[Problem, ...]:
        """All of them, in order."""
        return tuple(self._told.values())

    def _tell(self, severity: Severity, code: str, where: str, parameters: dict[str, Parameter]) -> None:
        key = (code, where, tuple(parameters.items()))
        self._told.setdefault(key, Problem(f"wire.{code}", severity, where, parameters))
