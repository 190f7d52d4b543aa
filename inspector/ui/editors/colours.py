"""The colours of Markdown and JSON in a block: what Pygments makes of the part of its content that is in sight."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from inspector.domain.dataclass import dataclass
from inspector.domain.pauses import Pause, no_pause

if TYPE_CHECKING:
    from pygments.lexer import Lexer

MOST_COLOURED = 24_000
"""Characters that are coloured at once, at most; what is in sight is less."""
_LOOK_BACK = 8_000
"""Characters before what is in sight that are read for where a line or a fence begins."""
_FENCE = "```"
_JSON_BEGIN = re.compile(
    r"""\s*(?:
        \{\s*["}]
        | \[\s*(?:\{\s*["}] | " | -?\d[\d.eE+-]*\s*, | (?:true|false|null)\s*, | \[\s*(?:["\[{] | -?\d[\d.eE+-]*\s*,))
    )""",
    re.VERBOSE,
)
"""What JSON begins with, and lines of a log (``[  0.02s] ok``) and links (``[[page]]``, ``[1]``) don't."""
_QUIET_TOKEN, _CODE_TOKEN = "Comment", "Literal.String"


class TextLanguage(StrEnum):
    """What a text is written in."""

    MARKDOWN = "markdown"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class ColouredSpan:
    """A stretch of a text and the Pygments name of what it is (``Generic.Heading``)."""

    start: int
    end: int
    token: str


@dataclass(frozen=True, slots=True)
class ColouredText:
    """The spans of a text between two places, in ascending order; what is not in them is plain."""

    text: str
    start: int
    end: int
    spans: Sequence[ColouredSpan]


def language_of(text: str) -> TextLanguage:
    """JSON where the text begins as an object or an array, else Markdown."""
    return TextLanguage.JSON if _JSON_BEGIN.match(text[:1_000]) else TextLanguage.MARKDOWN


def coloured(
    text: str, start: int, end: int, quiet: Sequence[tuple[int, int]] = (), pause: Pause = no_pause
) -> ColouredText:
    """Colour a text from one place to another; `quiet` stretches are those of a comment, whatever they hold."""
    from pygments.lexers.data import JsonLexer
    from pygments.lexers.markup import MarkdownLexer

    start = max(text.rfind("\n", 0, start) + 1, start - _LOOK_BACK)
    end = min(end, start + MOST_COLOURED)
    spans: list[ColouredSpan] = []
    at = start
    if language_of(text) is TextLanguage.JSON:
        spans += _lexed(JsonLexer(), text, at, end, pause)
    else:
        if text.count(_FENCE, 0, start) % 2:
            at = _end_of_fence(text, start, end)
            spans.append(ColouredSpan(start, at, _CODE_TOKEN))
        spans += _lexed(MarkdownLexer(), text, at, end, pause)
    quiets = [ColouredSpan(max(low, start), min(high, end), _QUIET_TOKEN) for low, high in quiet]
    spans = [each for each in spans if all(each.end <= low or each.start >= high for low, high in quiet)]
    spans = sorted((each for each in (*spans, *quiets) if each.start < each.end), key=lambda span: span.start)
    return ColouredText(text, start, end, spans)


def _end_of_fence(text: str, start: int, end: int) -> int:
    closing = text.find(_FENCE, start, end)
    return end if closing < 0 else min(end, closing + len(_FENCE))


def _lexed(lexer: Lexer, text: str, start: int, end: int, pause: Pause) -> Iterator[ColouredSpan]:
    # With a line feed, which the rules of Markdown's lexer want at the end of every line.
    for at, token, part in lexer.get_tokens_unprocessed(text[start:end] + "\n"):
        pause()
        name = str(token).partition(".")[2]
        if name and name != "Text" and not name.startswith(("Text.", "Error")) and not part.isspace():
            yield ColouredSpan(start + at, min(end, start + at + len(part)), name)
