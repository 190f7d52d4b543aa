"""What the memory tool answers, word for word as Anthropic's own implementation of it does: its models expect that.

The words are the wire's, as names of fields are, and are in no table of words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

CREATED = "File created successfully at: {path}"
INSERTED = "The file {path} has been edited."
DELETED = "Successfully deleted {path}"
RENAMED = "Successfully renamed {path} to {new_path}"
EXISTS = "File {path} already exists"
DESTINATION_EXISTS = "The destination {path} already exists"
NOT_FOUND = "No replacement was performed, old_str `{text}` did not appear verbatim in {path}."
NO_LINE = "Invalid `insert_line` parameter: {line}. It should be within the range [0, {lines}]."
ROOT_NOT_DELETED = "Cannot delete the /memories directory itself"
ROOT_NOT_RENAMED = "Cannot rename the /memories directory itself"

_UNITS = "BKMG"
_KIB = 1024
_AROUND = 2
"""Lines before and after a changed one that are shown."""


def size(length: int) -> str:
    """Bytes for a person: ``0B``, ``5.5K``, ``2M``."""
    power = min(max(0, length.bit_length() - 1) // 10, len(_UNITS) - 1)
    value = length / _KIB**power
    return f"{int(value) if value == int(value) else f'{value:.1f}'}{_UNITS[power]}"


def folder(path: str, length: int, entries: Iterable[tuple[int, str]]) -> str:
    """A folder: its path and whole size, then sizes and paths of what is in it."""
    head = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
    return "\n".join((head, *(f"{size(each)}\t{name}" for each, name in ((length, path), *entries))))


def content(path: str, lines: Sequence[str], first: int) -> str:
    """Lines of a file, the first of which has the number `first`."""
    return "\n".join((f"Here's the content of {path} with line numbers:", *_numbered(lines, first)))


def _numbered(lines: Sequence[str], first: int) -> Iterable[str]:
    """Lines behind their numbers, as the tool shows them."""
    return (f"{number:6}\t{line}" for number, line in enumerate(lines, first))


def replaced(text: str, line: int) -> str:
    """The text after a replacement in a line, which is counted from 0: that line and those around it."""
    lines = text.split("\n")
    first = max(0, line - _AROUND)
    head = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
    return "\n".join((head, *_numbered(lines[first : line + _AROUND + 1], first + 1)))


def outside(path: str) -> str:
    """Why a path is refused that isn't in the memory."""
    if not path.startswith("/memories"):
        return f"Path must start with /memories, got: {path}"
    return f"Path {path} would escape /memories directory"


def missing(path: str, *, is_read: bool) -> str:
    """Why a path is refused at which nothing is; what is read or edited names another way out than what is moved."""
    return f"The path {path} does not exist{'. Please provide a valid path.' if is_read else ''}"


def not_unique(text: str, lines: Iterable[int]) -> str:
    """Why a text isn't replaced that occurs in several places; lines are counted from 1."""
    found = ", ".join(map(str, lines))
    return (
        f"No replacement was performed. Multiple occurrences of old_str `{text}` in lines: {found}. "
        "Please ensure it is unique"
    )
