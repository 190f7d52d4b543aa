"""Reads a damaged table's column names for a salvage without running its definition."""

from __future__ import annotations

import re

_TOKENS = re.compile(
    r"""--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[(),]|[^\s(),'"`\[]+""",
    re.DOTALL,
)
_OF_TABLE = frozenset({"CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"})
_CLOSING = {'"': '"', "`": "`", "[": "]", "'": "'"}


def columns_of(definition: str) -> tuple[str, ...]:
    """The names in their order; what stands behind the columns, as a key, is none."""
    names: list[str] = []
    depth, is_start = 0, False
    for token in _TOKENS.findall(definition):
        if token.startswith(("--", "/*")):
            continue
        if is_start and depth == 1 and token not in "(),":
            if token.upper() in _OF_TABLE:
                break
            names.append(_plain(token))
        depth += {"(": 1, ")": -1}.get(token, 0)
        is_start = depth == 1 and token in "(,"
    return tuple(names)


def _plain(token: str) -> str:
    end = _CLOSING.get(token[0])
    return token if end is None else token[1:-1].replace(end * 2, end)
