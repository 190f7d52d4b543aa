"""Says whether two pieces of a Request have the same content, spelled differently."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Sequence

from inspector.domain.requests import Piece

_LONGEST_JSON = 200_000
"""Characters of a text that is read as JSON to compare it."""


def is_same_content(one: Piece, other: Piece) -> bool:
    """Whether both say the same: but for JSON's order and spaces, line ends, and cuts into parts."""
    texts = [_sent(each) for each in (one, other)]
    if any(not each for each in texts):
        return False
    first, second = (tuple(map(_plain, each)) for each in texts)
    if first == second:
        return True
    # Cut into other parts, with nothing or a line end between them.
    return any(
        _plain(between.join(texts[0])) == _plain(between.join(texts[1])) for between in ("", "\n", "\n\n")
    )


def _sent(piece: Piece) -> Sequence[str]:
    return [run.text for run in piece.runs if run.sent]


def _plain(text: str) -> str:
    stripped = text.strip()
    if len(stripped) <= _LONGEST_JSON and stripped[:1] + stripped[-1:] in ("{}", "[]"):
        try:
            return json.dumps(json.loads(stripped), sort_keys=True, ensure_ascii=False)
        except (ValueError, RecursionError):
            pass
    return unicodedata.normalize("NFC", "\n".join(_lines(stripped)))


def _lines(text: str) -> Iterator[str]:
    """The lines without the white space at their ends: indentation may mean something, that never does."""
    return (line.rstrip() for line in text.splitlines())
