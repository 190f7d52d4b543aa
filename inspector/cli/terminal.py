"""Writes a command's output and errors to the terminal, with control characters shown as marks.

Text is written as UTF-8 bytes without newline translation. On a terminal, control characters of untrusted text
are shown as escapes, so that no text can move the cursor, set a title or reach the clipboard.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import unicodedata
from collections.abc import Sequence
from typing import Any, TextIO

from inspector.domain.errors import InputError

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_CONTROL_IN_JSON = re.compile(r"\x7f")


def escape_controls(text: str) -> str:
    r"""Control and direction characters, newline and tab excepted, as ``\x1b`` or ``\u202e``."""

    def escape(match: re.Match[str]) -> str:
        code = ord(match.group())
        return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"

    return _CONTROL.sub(escape, text)


def write_exactly(text: str) -> None:
    """Write text to standard output and nothing before or after it; escaped on a terminal."""
    _write(sys.stdout, escape_controls(text) if sys.stdout is not None and sys.stdout.isatty() else text)


def write_line(text: str = "") -> None:
    """Write a line of ours, which may hold untrusted text, to standard output: always escaped."""
    _write(sys.stdout, escape_controls(text) + "\n")


def write_error(text: str) -> None:
    """Write a line to standard error: always escaped. There is nobody to tell when that fails."""
    with contextlib.suppress(InputError):
        _write(sys.stderr, escape_controls(text) + "\n")


def write_json(value: Any) -> None:
    """Write one JSON document, ASCII only, to standard output."""
    text = json.dumps(value, ensure_ascii=True, indent=2)
    _write(sys.stdout, _CONTROL_IN_JSON.sub(r"\\u007f", text) + "\n")


def write_json_line(value: Any) -> None:
    """Write one JSON value as a line of its own, ASCII only, to standard output."""
    _write(sys.stdout, _CONTROL_IN_JSON.sub(r"\\u007f", json.dumps(value, ensure_ascii=True)) + "\n")


def _write(stream: TextIO | None, text: str) -> None:
    if stream is None:
        raise InputError("output.failed", why="it is closed")
    try:
        stream.flush()
        buffer = getattr(stream, "buffer", None)
        if buffer is None:
            stream.write(text)
        else:
            buffer.write(text.encode("utf-8", "replace"))
            buffer.flush()
    except BrokenPipeError:
        # Whoever read it has read enough.
        _drop(stream)
    except OSError as error:
        _drop(stream)
        raise InputError("output.failed", why=error.strerror or str(error)) from error


def _drop(stream: TextIO) -> None:
    """Send what is left in the stream nowhere: it is flushed once more when the program ends."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def text_width(text: str) -> int:
    """Columns that a text takes on a terminal: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1
        for each in text
    )


def format_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], numbers: frozenset[int] = frozenset()
) -> str:
    """Columns padded to their widest cell; those in `numbers` stand right. Cells are escaped."""
    cells = [[escape_controls(cell).replace("\n", " ") for cell in row] for row in (head, *rows)]
    widths = [max(text_width(row[column]) for row in cells) for column in range(len(head))]
    lines = []
    for row in cells:
        padded = []
        for column, cell in enumerate(row):
            space = " " * (widths[column] - text_width(cell))
            padded.append(space + cell if column in numbers else cell + space)
        lines.append("  ".join(padded).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)
