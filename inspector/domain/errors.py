"""The tree of errors and the problems. Each carries a code and parameters; the command or the window words it.

InspectorError
├── RefusedError          a rule said no; nothing changed (exit code 3)
├── InputError            the input is at fault (exit code 1)
│   ├── NotFoundError     no such agent, block, message, file
│   ├── AmbiguousError    a name fits several things; carries the candidates
│   └── MalformedError    an unreadable file or value; carries the place in it
├── FileError             the constellation file cannot be used (locked, newer, damaged, replaced)
├── DocumentError         a Loro document refused or could not be read
└── BudgetError           what must be sent cannot fit; names the piece and the two numbers
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from inspector.domain.dataclass import dataclass

Parameter = str | int | float | bool | None | tuple[str, ...]
Parameters = Mapping[str, Parameter]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Which rule refused an edit, with the numbers or levels it compared.

    `code` is a key of the word catalogue (``refused.permission``, ``refused.char_limit`` …).
    """

    code: str
    parameters: Parameters = field(default_factory=dict)


class InspectorError(Exception):
    """Base of all errors of ours. `str()` gives code and parameters, for logs; screens word it."""

    def __init__(self, code: str, **parameters: Parameter) -> None:
        self.code = code
        self.parameters: Parameters = parameters
        super().__init__(code, parameters)

    def __str__(self) -> str:
        reported = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"{self.code}({reported})"


class RefusedError(InspectorError):
    """A rule said no. Nothing was changed."""

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal
        super().__init__(refusal.code, **dict(refusal.parameters))


class InputError(InspectorError):
    """What was given is at fault."""


class NotFoundError(InputError):
    """Nothing has that id or name."""


class AmbiguousError(InputError):
    """Several things have that name."""


class MalformedError(InputError):
    """A file or a value that cannot be read. Parameters: ``where`` (place in it) and ``why``."""


class FileError(InspectorError):
    """The constellation file cannot be used as asked."""


class DocumentError(InspectorError):
    """A block's document refused an operation or its bytes cannot be read."""


class BudgetError(InspectorError):
    """What must be sent does not fit. Parameters: ``piece``, ``needed`` and ``available`` (tokens)."""


class Severity(StrEnum):
    """How severe a problem is, mildest first."""

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
