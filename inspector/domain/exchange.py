"""The plan of an import, and what an export is asked for with its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

from inspector.domain.actor import IdGenerator
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Intent
from inspector.domain.errors import Problem


@dataclass(frozen=True, slots=True)
class ImportedAgent:
    """One agent of a plan, for the preview. Counts are of rows that will be made."""

    id: str
    name: str
    model: str
    blocks: int
    shared_blocks: int
    messages: int
    messages_in_context: int
    tools: int


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """Edits in an order that can be applied in one transaction, or not at all.

    `kept_in_metadata` names fields (paths into the source) that have no place of their own and were kept as metadata.
    """

    source_format: str
    intents: tuple[Intent, ...]
    agents: tuple[ImportedAgent, ...]
    problems: tuple[Problem, ...] = ()
    kept_in_metadata: tuple[str, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class ImportRow:
    """One of several recorded requests in a file, for choosing among them.

    Attributes:
        number: Its place among them, from 1.
        title: The name that the file gives it, or empty.
        source_format: The id of its body's format.
        model: As asked for.
        first_words: The beginning of what the user said first.
        messages: How many it sends, instructions not among them.
        input_tokens: What the provider billed for it, None where the file doesn't say.
        output_tokens: The same for the reply.
    """

    number: int
    title: str
    source_format: str
    model: str
    first_words: str
    messages: int
    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ImportSource:
    """A foreign file that was read.

    Attributes:
        rows: Empty for a file that is imported as a whole.
        plan: What importing the rows of these numbers would do; without rows, the whole file.
        others: How many entries of the file aren't requests to a model.
    """

    rows: tuple[ImportRow, ...]
    plan: Callable[[IdGenerator, Sequence[int]], ImportPlan]
    others: int = 0

    @property
    def must_pick(self) -> bool:
        """Whether there is something to choose among."""
        return len(self.rows) > 1


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
class ExportOptions:
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
class RequestExport:
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
