"""Words an error for the window: what happened, what it means for the data, what to do."""

from __future__ import annotations

import traceback
from pathlib import Path

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import (
    BudgetError,
    DocumentError,
    FileError,
    InputError,
    InspectorError,
    RefusedError,
)
from inspector.ui.run_marks import about_this_run
from inspector.ui.wording import number, tr, tr_error

_MOST_CALLS = 60
_PACKAGES = frozenset({"inspector", "tests", "site-packages"})
MOVED_CODES = frozenset({"file.moved", "file.overwritten", "file.version_changed", "file.switched_to_wal"})
"""What another program did to the open file: writing has stopped."""

_SALVAGED = frozenset(
    {
        "file.damaged",
        "file.foreign_objects",
        "file.wrong_schema",
        "file.no_id",
        "file.no_migration",
        "file.no_version",
    }
)
"""What keeps a file from being opened, though much of it may be whole."""

_NAMES = frozenset(
    {"refused.label_empty", "refused.label_taken", "refused.label_unprintable", "refused.name_empty"}
)


@dataclass(frozen=True, slots=True)
class FailureText:
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


def failure_of(error: BaseException, *, doing: str) -> FailureText:
    """The words for an error.

    Args:
        error: What was raised.
        doing: What was being done, as a person would say it (``saving persona``).
    """
    details = "".join(traceback.format_exception(error))
    if isinstance(error, InspectorError):
        happened = tr_error(error)
        file = Path(str(error.parameters.get("path") or "")).name
        # "Opening a.constellation failed: a.constellation …" would name it twice.
        if not file or file not in doing:
            happened = tr("{doing} failed: {told}", doing=doing, told=happened)
        meaning, advice = _advice(error)
        return FailureText(happened, meaning, advice, details, code=error.code)
    if isinstance(error, OSError):
        return FailureText(
            tr("{doing} failed: {told}", doing=doing, told=error.strerror or str(error)),
            tr("Nothing was written. Your saved work is safe."),
            tr("Check that the folder exists, has free space and is writable. Then try again."),
            details,
        )
    return FailureText(
        tr("{doing} failed because of a bug in this program.", doing=doing),
        tr("Your saved work and drafts are safe. Nothing was sent to anyone."),
        tr("Try again. If it happens again, copy the details into a bug report."),
        f"{about_this_run()}\n{calls_of_fault(error)}",
        fault=True,
    )


def calls_of_fault(error: BaseException) -> str:
    """Where a fault arose: kinds of errors and calls, the first cause first. No message: it may quote the file."""
    lines: list[str] = []
    seen: set[int] = set()
    each: BaseException | None = error
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        calls = [
            f"  {_short(frame.f_code.co_filename)}:{line} {frame.f_code.co_qualname}"
            for frame, line in traceback.walk_tb(each.__traceback__)
        ]
        lines[:0] = [*calls[-_MOST_CALLS:], type(each).__qualname__]
        each = each.__cause__ or (None if each.__suppress_context__ else each.__context__)
    return "\n".join(lines)


def _short(file: str) -> str:
    """A module's path from its package on: what stands before it names the user."""
    parts = Path(file).parts
    package = max((place for place, part in enumerate(parts) if part in _PACKAGES), default=-2)
    return "/".join(parts[package:] if package >= 0 else parts[-2:])


def _advice(error: InspectorError) -> tuple[str, str]:
    if isinstance(error, RefusedError):
        return _refused(error)
    if isinstance(error, BudgetError):
        return tr("The Request can't be built with these settings."), tr(
            "Shorten that piece or raise the limit."
        )
    if isinstance(error, InputError):
        return tr("Nothing was changed."), tr("Correct the input, or choose another file.")
    if isinstance(error, FileError):
        return tr("Nothing was written to the file. Drafts are kept."), _file_advice(error.code)
    if isinstance(error, DocumentError):
        return tr("This block is unchanged. All others work."), tr(
            "Run “context-inspector check FILE” to see what is damaged."
        )
    return tr("Nothing was changed."), tr("Try again.")


def _refused(error: RefusedError) -> tuple[str, str]:
    if error.code in _NAMES:
        return tr("Nothing was changed."), tr("Choose another name.")
    if error.code == "refused.summary_overtaken":
        return tr("Nothing was changed."), tr("Summarise again.")
    if error.code == "refused.redacted_version":
        return tr("Nothing was changed."), tr("Choose another version.")
    kept = tr("Nothing was changed. Your draft is kept.")
    length, limit = error.parameters.get("length"), error.parameters.get("limit")
    if error.code == "refused.char_limit" and isinstance(length, int) and isinstance(limit, int):
        return kept, tr("Shorten it by {count} or raise the limit.", count=number(length - limit))
    return kept, tr("Correct it, then save again.")


def _file_advice(code: str) -> str:
    if code == "file.not_found":
        return tr("Find out where it went, or open another file.")
    if code in MOVED_CODES:
        return tr("Save a copy of the open file, or open another one.")
    if code == "file.not_a_constellation":
        return tr("Open another file. To read an agent file, choose “Import an agent file …”.")
    if code in _SALVAGED:
        return tr("Run “context-inspector salvage FILE --out NEW” to recover what can be read.")
    return tr("Open it again, or open another file.")
