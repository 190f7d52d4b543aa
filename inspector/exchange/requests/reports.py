"""Exports a Request for people to read: Markdown, one HTML page, a table. All text is escaped.

In Markdown every text stands in a fence that it cannot close. The page has no script, no picture, no address. In the
table no cell is a formula.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from html import escape

from inspector.exchange.requests.request_account import PIECE_COLUMNS, RequestAccount

_SIGNS = re.compile(r"([\\`*_{}\[\]<>|~&#$@^]|^[-+=]|:(?=//)|(?<=www)\.)", re.IGNORECASE)
_NUMBER = re.compile(r"^(\d+)([.)])")
_SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_TICKS = re.compile(r"`+")
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
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width">
"""
_TRIGGERS = ("=", "+", "-", "@", "\t", "\r", "\n", "\u2212", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Spreadsheets run what begins so; the last five are the minus sign and the wide forms that some take for them."""


def to_markdown(account: RequestAccount) -> str:
    """The whole of it, texts included."""
    return "\n".join(_markdown_lines(account)) + "\n"


def inline(text: str) -> str:
    """Text within a line: no mark-up comes of it, and no line begins in it."""
    return _NUMBER.sub(r"\1\\\2", _SIGNS.sub(r"\\\1", _SPACE.sub(" ", text).strip()))


def fenced(text: str) -> str:
    """Text as a block of code, in a fence that is longer than any run of its sign in the text.

    What no Markdown can hold (NUL, line ends other than a newline) comes out as the reader makes it.
    """
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    end = "" if text.endswith("\n") or not text else "\n"
    return f"{fence}text\n{text}{end}{fence}"


def _markdown_lines(account: RequestAccount) -> Iterator[str]:
    yield f"# {inline(account.title)}"
    yield ""
    for name, value in account.head():
        yield f"- **{inline(name)}:** {inline(value)}"
    for section in account.sections():
        yield ""
        yield f"## {inline(account.section_title(section))}"
        for piece in section.pieces:
            yield ""
            yield f"### {inline(account.piece_title(piece))}"
            yield ""
            yield fenced(account.clean(piece.text))
    yield from _markdown_table("Left out", ("Name", "Tokens", "Why", "To include it"), account.left_out())
    problems = list(account.problems())
    if problems:
        yield ""
        yield "## Problems and changes"
        yield ""
        yield from (f"- {inline(problem)}" for problem in problems)


def _markdown_table(title: str, head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    found = list(rows)
    if not found:
        return
    yield ""
    yield f"## {title}"
    yield ""
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('---' for _ in head)} |"
    for row in found:
        yield f"| {' | '.join(inline(cell) for cell in row)} |"


def to_page(account: RequestAccount, note: str) -> str:
    """The page. `note` is said under the title."""
    return "".join(_html_parts(account, note))


def _html_parts(account: RequestAccount, note: str) -> Iterator[str]:
    title = _shown(account.title)
    yield f"{_HEAD}<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    yield f"<p>{_shown(note)}</p>\n"
    yield from _html_table((), account.head())
    yield "<h2>Sections</h2>\n"
    figures = ((section.title, f"{section.tokens:,}", section.method.value) for section in account.sections())
    yield from _html_table(
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
        yield from _html_table(("Name", "Tokens", "Why", "To include it"), left_out, frozenset({1}))
    problems = list(account.problems())
    if problems:
        lines = "".join(f"<li>{_shown(problem)}</li>\n" for problem in problems)
        yield f"<h2>Problems and changes</h2>\n<ul>\n{lines}</ul>\n"
    yield "</body>\n</html>\n"


def _html_table(
    head: tuple[str, ...], rows: Iterable[tuple[str, ...]], numbers: frozenset[int] = frozenset()
) -> Iterator[str]:
    yield "<table>\n"
    if head:
        yield f"<tr>{''.join(f'<th>{escape(cell)}</th>' for cell in head)}</tr>\n"
    for row in rows:
        yield f"<tr>{''.join(_html_cell(cell, is_number=at in numbers) for at, cell in enumerate(row))}</tr>\n"
    yield "</table>\n"


def _html_cell(text: str, *, is_number: bool) -> str:
    kind = ' class="number"' if is_number else ""
    return f"<td{kind}>{_shown(text)}</td>"


def _shown(text: str) -> str:
    """Escaped text; control and direction signs, which a page would obey or hide, as their numbers."""
    return _HIDDEN.sub(lambda sign: f"\\x{ord(sign[0]):02x}", escape(text))


def to_csv(account: RequestAccount, *, raw: bool = False) -> str:
    """Write the figures of a Request, one row for each piece.

    Args:
        account: Whose.
        raw: Leave cells as they are.
    """
    written = io.StringIO()
    # With both signs in its line end, the writer quotes cells that hold either.
    table = csv.writer(written, lineterminator="\r\n")
    table.writerow(PIECE_COLUMNS)
    for placed in account.request.placed():
        row = account.piece_row(placed)
        table.writerow(row if raw else map(safe_cell, row))
    return written.getvalue()


def safe_cell(text: str) -> str:
    """The cell with an apostrophe before it where it begins like a formula."""
    return f"'{text}" if text.startswith(_TRIGGERS) else text
