"""What a person is told when something went wrong: what happened, what it means for the data, what to do."""

from __future__ import annotations

import traceback
from dataclasses import dataclass

from inspector.domain.errors import (
    BudgetError,
    DocumentError,
    FileError,
    InputError,
    InspectorError,
    RefusedError,
)
from inspector.ui.wording import tr, tr_error

_SALVAGED = frozenset(
    {"file.damaged", "file.foreign_objects", "file.wrong_schema", "file.no_migration", "file.no_version"}
)
"""What keeps a file from being opened, though much of it may be whole."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure in words. `details` is for a report: the error's own text and where it arose.

    `code` is the engine's, empty for what is none of its errors.
    """

    happened: str
    meaning: str
    advice: str
    details: str
    fault: bool = False
    """True for a fault of the program itself, False when the world or a rule said no."""
    code: str = ""


def failure_of(error: BaseException, *, doing: str) -> Failure:
    """The words for an error.

    Args:
        error: What was raised.
        doing: What was being done, as a person would say it (``saving persona``).
    """
    details = "".join(traceback.format_exception(error))
    if isinstance(error, InspectorError):
        happened = tr("{doing}: {told}", doing=doing, told=tr_error(error))
        meaning, advice = _known(error)
        return Failure(happened, meaning, advice, details, code=error.code)
    if isinstance(error, OSError):
        return Failure(
            tr("{doing}: {told}", doing=doing, told=error.strerror or str(error)),
            tr("Nothing was written; what was saved before is safe."),
            tr("Check that the place exists, has room and may be written, then try again."),
            details,
        )
    return Failure(
        tr("{doing} failed because of a fault in the program.", doing=doing),
        tr("What was saved is safe; drafts are kept."),
        tr("Try again; if it stays, copy the details into a report."),
        details,
        fault=True,
    )


def _known(error: InspectorError) -> tuple[str, str]:
    if isinstance(error, RefusedError):
        return tr("Nothing was changed; your draft is kept."), tr(
            "Change it so that the rule allows it, then save."
        )
    if isinstance(error, BudgetError):
        return tr("No Request can be built as it is set."), tr("Shorten that piece or raise the limit.")
    if isinstance(error, InputError):
        return tr("Nothing was changed."), tr("Mend what was given, or choose another.")
    if isinstance(error, FileError):
        return tr("Nothing was written to the file; drafts are kept."), _file_advice(error.code)
    if isinstance(error, DocumentError):
        return tr("This block is left as it was; all others work."), tr(
            "“context-inspector check FILE” on the command line says what is wrong with the file."
        )
    return tr("Nothing was changed."), tr("Try again.")


def _file_advice(code: str) -> str:
    if code == "file.not_found":
        return tr("Look where it went, or open another file.")
    if code == "file.moved":
        return tr("Save a copy of what is open, or open another file.")
    if code == "file.not_a_constellation":
        return tr("Open another file; one of another program comes in by “Import an agent file …”.")
    if code in _SALVAGED:
        return tr(
            "“context-inspector salvage FILE NEW” on the command line brings what can be read into a new file."
        )
    return tr("Open it again, or open another file.")
