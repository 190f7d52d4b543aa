"""Calls of the memory tool, and what the vendor's own implementation of it answers to them, on files in a folder."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anthropic.lib.tools import ToolError
from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool

Call = Mapping[str, Any]
NOTES = "/memories/notes.md"
LINES = "".join(f"line {number}\n" for number in range(1, 9))

CALLS: tuple[Call, ...] = (
    {"command": "view", "path": "/memories"},
    {"command": "create", "path": NOTES, "file_text": LINES},
    {"command": "create", "path": NOTES, "file_text": "again"},
    {"command": "create", "path": "/memories/facts.md", "file_text": "x" * 1536},
    {"command": "create", "path": "/memories/empty.md", "file_text": ""},
    {"command": "view", "path": "/memories"},
    {"command": "view", "path": NOTES},
    {"command": "view", "path": NOTES, "view_range": [2, 4]},
    {"command": "view", "path": NOTES, "view_range": [7, -1]},
    {"command": "view", "path": NOTES, "view_range": [0, 2]},
    {"command": "view", "path": NOTES, "view_range": [8, 99]},
    {"command": "view", "path": "/memories/empty.md"},
    {"command": "view", "path": "/memories/none.md"},
    {"command": "view", "path": "/memories/../secret.md"},
    {"command": "view", "path": "/etc/passwd"},
    {"command": "str_replace", "path": NOTES, "old_str": "line 5", "new_str": "a fifth\nand more"},
    {"command": "str_replace", "path": NOTES, "old_str": "line", "new_str": "x"},
    {"command": "str_replace", "path": NOTES, "old_str": "absent {path}", "new_str": "x"},
    {"command": "str_replace", "path": "/memories/none.md", "old_str": "a", "new_str": "b"},
    {"command": "str_replace", "path": "/memories/../../x.md", "old_str": "a", "new_str": "b"},
    {"command": "insert", "path": NOTES, "insert_line": 0, "insert_text": "first"},
    {"command": "insert", "path": NOTES, "insert_line": 3, "insert_text": "two\nlines\n"},
    {"command": "insert", "path": NOTES, "insert_line": 12, "insert_text": "last"},
    {"command": "insert", "path": NOTES, "insert_line": 99, "insert_text": "beyond"},
    {"command": "insert", "path": NOTES, "insert_line": -1, "insert_text": "before"},
    {"command": "insert", "path": "/memories/empty.md", "insert_line": 0, "insert_text": "one"},
    {"command": "insert", "path": "/memories/none.md", "insert_line": 0, "insert_text": "one"},
    {"command": "view", "path": NOTES},
    {"command": "view", "path": "/memories/empty.md"},
    {"command": "rename", "old_path": NOTES, "new_path": "/memories/kept.md"},
    {"command": "rename", "old_path": NOTES, "new_path": "/memories/other.md"},
    {"command": "rename", "old_path": "/memories/kept.md", "new_path": "/memories/facts.md"},
    {"command": "rename", "old_path": "/memories", "new_path": "/memories/all.md"},
    {"command": "rename", "old_path": "/memories/kept.md", "new_path": "/memories/../out.md"},
    {"command": "view", "path": "/memories/kept.md"},
    {"command": "delete", "path": "/memories/kept.md"},
    {"command": "delete", "path": "/memories/kept.md"},
    {"command": "delete", "path": "/memories"},
    {"command": "delete", "path": "/memories/../out.md"},
    {"command": "view", "path": "/memories"},
)
"""Every command, right and wrong: each answer is a text, with whether it is an error."""


def by_vendor(folder: Path) -> list[tuple[str, bool]]:
    """What the vendor's implementation answers to `CALLS`."""
    tool = BetaLocalFilesystemMemoryTool(str(folder))
    answers: list[tuple[str, bool]] = []
    for call in CALLS:
        try:
            answers.append((str(tool.call(dict(call))), False))
        except ToolError as error:
            answers.append((str(error), True))
    return answers


def without_folder_sizes(answer: str) -> str:
    """An answer without the size of a folder, which is the disk's with the vendor and that of its texts here."""
    return re.sub(r"^\S+\t(/memories)$", r"\1", answer, flags=re.MULTILINE)
