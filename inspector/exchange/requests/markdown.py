"""A Request as Markdown: every text stands in a fence that it cannot close, every name is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from inspector.exchange.requests.account import Account

_SIGNS = re.compile(r"([\\`*_{}\[\]<>|~&#$@^]|^[-+=]|:(?=//)|(?<=www)\.)", re.IGNORECASE)
_NUMBER = re.compile(r"^(\d+)([.)])")
_SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_TICKS = re.compile(r"`+")


def to_markdown(account: Account) -> str:
    """The whole of it, texts included."""
    return "\n".join(_lines(account)) + "\n"


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


def _lines(account: Account) -> Iterator[str]:
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
    yield from _table("Left out", ("Name", "Tokens", "Why", "What would bring it in"), account.left_out())
    problems = list(account.problems())
    if problems:
        yield ""
        yield "## Problems and changes"
        yield ""
        yield from (f"- {inline(problem)}" for problem in problems)


def _table(title: str, head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
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
