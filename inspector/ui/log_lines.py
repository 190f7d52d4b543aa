"""What the program logs, on standard error, where a terminal may read it: control characters shown as marks."""

from __future__ import annotations

import logging
import sys

from inspector.ui.safe_text import show_controls


class PlainLines(logging.Formatter):
    """Messages and tracebacks may hold a stranger's text, which must not speak to the terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """The lines of a record."""
        return show_controls(super().format(record))


def log_to_standard_error() -> logging.Handler | None:
    """Log what the program says of itself; None where there is no standard error, as in a program of a desktop."""
    if sys.stderr is None:
        return None
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(PlainLines("%(levelname)s %(name)s: %(message)s"))
    logging.getLogger("inspector").addHandler(handler)
    return handler
