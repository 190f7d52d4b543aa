"""Problems as values: what, where, how bad. Wording happens at the screen."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from inspector.domain.errors import Parameters


class Severity(StrEnum):
    """How bad."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Problem:
    """`where` is a Ref as text, a path into a file (``agents[0].messages[3]``) or a section's name."""

    code: str
    severity: Severity
    where: str
    parameters: Parameters = field(default_factory=dict)
