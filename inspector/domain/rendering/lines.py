"""How a value of several lines stands in a rendering whose lines are its parts.

Every further line of a value is set in below its first, so that none can be taken for a part's own line, whatever
the value holds. What is set in can be taken out again: nothing else stands behind a line's end inside of a value.
"""

from __future__ import annotations

import re

_END = "\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]"
_BLANKS = "[^\\S\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*"
_LINE_END = re.compile(_END)
_NODE_LIKE = re.compile(f"({_END})({_BLANKS})(?=\\\\*-)")
_TOO_FAR_IN = re.compile(r"\\*(?:\s|=== )")
_HEADING_LIKE = re.compile(rf"(\A|{_END})(?=\\*=== )")


def hung(text: str, indent: str) -> str:
    """The text with what follows a line's end, of whatever kind, set in by `indent`."""
    if text.isprintable():
        # Quicker than looking for each: no end of a line is printable.
        return text
    return _LINE_END.sub(lambda end: end.group() + indent, text)


def hung_below_node(text: str, indent: str) -> str:
    r"""As `hung`, and a further line that begins with a dash, as nodes do at any depth, bears a ``\`` before it."""
    if text.isprintable():
        return text
    return hung(_NODE_LIKE.sub(r"\1\2\\", text), indent)


def beginning_a_line(text: str) -> str:
    r"""The text as the beginning of a line: with a ``\`` before white space, or before a section's heading."""
    return f"\\{text}" if _TOO_FAR_IN.match(text) else text


def without_headings(text: str) -> str:
    r"""The text with a ``\`` before each line that begins as a section's heading does."""
    return _HEADING_LIKE.sub(r"\1\\", text) if "=== " in text else text
