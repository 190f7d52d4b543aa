"""From which share of the usable window the budget warns: gauge, badges and status line change at the same marks."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.runtime.settings import Settings


@dataclass(frozen=True, slots=True)
class Marks:
    """Shares of what is usable, past which a figure has the tone of a warning or of an error."""

    warning: float
    error: float

    def tone(self, tokens: int, usable: int) -> str:
        """The tone of a figure, nothing where all is well. With nothing usable, any token is too much."""
        if usable <= 0:
            return "error" if tokens else ""
        share = tokens / usable
        return "error" if share > self.error else "warning" if share > self.warning else ""


def marks_of(settings: Settings) -> Marks:
    """The marks as they are set."""
    return Marks(settings.number("budget.warning_share"), settings.number("budget.error_share"))
