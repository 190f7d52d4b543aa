"""What is asked of an export, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from inspector.domain.health import Problem


class ExportFormat(StrEnum):
    """One JSON file, a folder of files that can be compared, or a Letta Agent File of version 2."""

    JSON = "json"
    FOLDER = "folder"
    LETTA = "letta"

    @classmethod
    def of_suffix(cls, suffix: str) -> ExportFormat:
        """The format that a file name's suffix asks for: ``.af`` an Agent File, none a folder, any other JSON."""
        if suffix.lower() == ".af":
            return cls.LETTA
        return cls.JSON if suffix else cls.FOLDER


@dataclass(frozen=True, slots=True)
class ExportWish:
    """What to export. `agent_id` None means the whole constellation; `replace` allows an older export to go."""

    form: ExportFormat = ExportFormat.JSON
    history: bool = False
    agent_id: str | None = None
    replace: bool = False


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written. `problems` tell what of it differs from the constellation, or will when it is read."""

    form: ExportFormat
    agents: int
    files: int
    size: int
    problems: tuple[Problem, ...] = ()
