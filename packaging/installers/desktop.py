"""What the program is called on a desktop, and the kinds of files that a double click opens with it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ID = "org.contextinspector.ContextInspector"
NAME = "Context Inspector"
SUMMARY = "See, measure and edit what an agent's model call sends"


@dataclass(frozen=True)
class FileType:
    """A kind of file: its suffix without a dot, MIME type and the type that it is a kind of, and who made it up."""

    suffix: str
    mime: str
    parent: str
    name: str
    is_ours: bool


FILE_TYPES = (
    FileType(
        "constellation",
        "application/vnd.context-inspector.constellation",
        "application/vnd.sqlite3",
        "Constellation of agents",
        True,
    ),
    FileType("af", "application/vnd.letta.agent-file+json", "application/json", "Letta Agent File", False),
)


def version_numbers() -> str:
    """The version without what only Python understands, as macOS and Windows want it: ``1.2.3``."""
    text = (Path(__file__).resolve().parents[2] / "inspector" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'__version__ = "(\d+\.\d+\.\d+)', text)
    return found[1] if found else "0.0.0"
