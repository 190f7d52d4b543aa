"""A Request as one page: no script, no picture, no address. All text of it is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape

from inspector.exchange.requests.account import Account

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; } h3 { font-size: 1rem; margin-bottom: .3rem; }
pre { background: rgba(128, 128, 128, .12); overflow-x: auto; padding: .8rem; white-space: pre-wrap;
  overflow-wrap: anywhere; }
table { border-collapse: collapse; } td, th { padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top; }
td.number { text-align: right; }
"""

_HIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)

_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width">
"""


def to_page(account: Account, note: str) -> str:
    """The page. `note` is said under the title."""
    return "".join(_parts(account, note))


def _parts(account: Account, note: str) -> Iterator[str]:
    title = _shown(account.title)
    yield f"{_HEAD}<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    yield f"<p>{_shown(note)}</p>\n"
    yield from _table((), account.head())
    yield "<h2>Sections</h2>\n"
    figures = ((section.title, f"{section.tokens:,}", section.method.value) for section in account.sections())
    yield from _table(
        ("Section", "Tokens", "Method"),
        ((account.clean(name), tokens, method) for name, tokens, method in figures),
        frozenset({1}),
    )
    for section in account.sections():
        yield f"<h2>{_shown(account.section_title(section))}</h2>\n"
        for piece in section.pieces:
            yield f"<h3>{_shown(account.piece_title(piece))}</h3>\n"
            # A newline right behind the tag would be dropped by the reader.
            yield f"<pre>\n{_shown(account.clean(piece.text))}</pre>\n"
    left_out = list(account.left_out())
    if left_out:
        yield "<h2>Left out</h2>\n"
        yield from _table(("Name", "Tokens", "Why", "What would bring it in"), left_out, frozenset({1}))
    problems = list(account.problems())
    if problems:
        lines = "".join(f"<li>{_shown(problem)}</li>\n" for problem in problems)
        yield f"<h2>Problems and changes</h2>\n<ul>\n{lines}</ul>\n"
    yield "</body>\n</html>\n"


def _table(
    head: tuple[str, ...], rows: Iterable[tuple[str, ...]], numbers: frozenset[int] = frozenset()
) -> Iterator[str]:
    yield "<table>\n"
    if head:
        yield f"<tr>{''.join(f'<th>{escape(cell)}</th>' for cell in head)}</tr>\n"
    for row in rows:
        yield f"<tr>{''.join(_cell(cell, is_number=at in numbers) for at, cell in enumerate(row))}</tr>\n"
    yield "</table>\n"


def _cell(text: str, *, is_number: bool) -> str:
    kind = ' class="number"' if is_number else ""
    return f"<td{kind}>{_shown(text)}</td>"


def _shown(text: str) -> str:
    """Escaped text; control and direction signs, which a page would obey or hide, as their numbers."""
    return _HIDDEN.sub(lambda sign: f"\\x{ord(sign[0]):02x}", escape(text))
