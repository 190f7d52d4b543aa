"""Encloses untrusted text in a Request so that it cannot close its own wrapper."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection

from inspector.domain.dataclass import dataclass
from inspector.domain.layout_rules import GENERIC_ELEMENT, START, is_element_name, starts_legally
from inspector.domain.requests import Mark

__all__ = [
    "GENERIC_ELEMENT",
    "UNDERLINE",
    "EscapedText",
    "attribute",
    "close_proof",
    "comment",
    "frame_line",
    "frame_proof",
    "is_element_name",
    "one_line",
    "starts_legally",
]

_NAME_PART = f"[{START}.0-9\u00b7\u0300-\u036f\u203f-\u2040:-]"
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_ESCAPED = "&lt;"
RULE, UNDERLINE = "---", "==="
_RULE = re.compile(r"([-*_])(?:[ \t]*\1){2,}")
_UNDERLINE = re.compile(r"=+")


@dataclass(frozen=True, slots=True)
class EscapedText:
    """A text whose closing tags were defused; `places` are where a ``<`` became ``&lt;``, in the old text."""

    text: str
    places: tuple[int, ...]

    def move(self, marks: tuple[Mark, ...], by: int) -> tuple[Mark, ...]:
        """Marks of the old text as marks of the new one that stands `by` characters further on."""
        if not self.places:
            # A long list has thousands, and `replace` takes three times as long.
            return tuple(Mark(mark.kind, mark.name, mark.start + by, mark.end + by) for mark in marks)
        return tuple(
            Mark(mark.kind, mark.name, self._moved(mark.start) + by, self._moved(mark.end) + by)
            for mark in marks
        )

    def _moved(self, at: int) -> int:
        return at + (len(_ESCAPED) - 1) * bisect_left(self.places, at)


def attribute(text: str) -> str:
    """The text between the quotes of an attribute; control characters and line ends as references."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return _CONTROL.sub(lambda match: f"&#{ord(match[0])};", text)


def comment(text: str) -> str:
    """A comment that its text cannot end: no two hyphens of it stand together."""
    return f"<!-- {re.sub('-(?=-)', '- ', text.strip())} -->"


def close_proof(text: str, elements: Collection[str]) -> EscapedText:
    """The text with every ``<`` that would begin a closing tag of one of `elements` escaped."""
    if "/" not in text or "<" not in text:
        return EscapedText(text, ())
    names = "|".join(sorted(map(re.escape, elements)))
    closing = re.compile(rf"<(?=\s*/\s*(?:{names})(?!{_NAME_PART}))", re.IGNORECASE)
    places = tuple(match.start() for match in closing.finditer(text))
    return EscapedText(closing.sub(_ESCAPED, text), places) if places else EscapedText(text, ())


def frame_line(text: str) -> str:
    """A line as a reader takes it: all rules are one, headings the same at any level and however closed."""
    line = text.strip()
    if _RULE.fullmatch(line):
        return RULE
    if _UNDERLINE.fullmatch(line):
        return UNDERLINE
    words = one_line(line.strip("#")).casefold()
    return f"# {words}" if line.startswith("#") else words or one_line(line)


def frame_proof(text: str, frame: Collection[str]) -> tuple[str, int]:
    """The text with a backslash before each line that is one of a frame's, and how many there were.

    Args:
        text: Text that stands in the frame without a wrapper of its own.
        frame: The frame's lines, as `frame_line` gives them.
    """
    lines = text.splitlines(keepends=True) if frame else []
    found = [at for at, line in enumerate(lines) if line.strip() and frame_line(line) in frame]
    for at in found:
        bare = lines[at].lstrip()
        lines[at] = f"{lines[at][: -len(bare)]}\\{bare}"
    return "".join(lines) if found else text, len(found)


def one_line(text: str) -> str:
    """The text without line ends and other runs of white space."""
    return " ".join(text.split())
