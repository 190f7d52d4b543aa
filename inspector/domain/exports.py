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


class RequestFormat(StrEnum):
    """What one Request can be written as."""

    TEXT = "text"
    """The text form and nothing else."""
    JSON = "json"
    """Neutral JSON, or a provider's if one is named."""
    MARKDOWN = "markdown"
    """All of it to read, with figures."""
    CSV = "csv"
    """The figures of every piece, for a spreadsheet."""
    CURL = "curl"
    """A command for a POSIX shell that sends it."""
    POWERSHELL = "powershell"
    """The same for PowerShell."""
    REPORT = "report"
    """A page that needs nothing else, with what looks like a secret left out."""
    REPORT_MARKDOWN = "report-markdown"
    """The same as Markdown."""

    @classmethod
    def of_suffix(cls, suffix: str) -> RequestFormat:
        """The format that a file name's suffix asks for; the text form where none does."""
        return _REQUEST_SUFFIXES.get(suffix.lower(), cls.TEXT)


_REQUEST_SUFFIXES = {
    ".json": RequestFormat.JSON,
    ".md": RequestFormat.MARKDOWN,
    ".csv": RequestFormat.CSV,
    ".sh": RequestFormat.CURL,
    ".ps1": RequestFormat.POWERSHELL,
    ".html": RequestFormat.REPORT,
    ".htm": RequestFormat.REPORT,
}


@dataclass(frozen=True, slots=True)
class RequestWish:
    """How a Request is to be written.

    Attributes:
        form: As what.
        base: Another address than the provider's, for a command that sends it.
        raw_cells: Leave cells that a spreadsheet may take for formulas as they are.
    """

    form: RequestFormat
    base: str | None = None
    raw_cells: bool = False


@dataclass(frozen=True, slots=True)
class WrittenRequest:
    """A Request as it is written. `redacted` counts what looked like a secret and was left out."""

    text: str
    redacted: int = 0
