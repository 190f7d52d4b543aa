"""The text of each block, message, summary and archival entry that search finds.

A thing is found by its whole text, never only by the part that a prompt shows. The index makes words at spaces and
signs and forgets case and accents. Scripts that put no space between words (Han, Kana, Hangul, Thai …) are compared
character by character, so that one character is enough to find them. Characters that nobody sees (zero-width spaces,
soft hyphens, marks of direction) are in nobody's way.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache
from itertools import chain
from typing import assert_never

from inspector.domain.blocks import ArchivalEntry, Block
from inspector.domain.content import (
    CompositeContent,
    Content,
    FieldItem,
    ListContent,
    LogContent,
    MapContent,
    TextContent,
    TreeContent,
)
from inspector.domain.dataclass import dataclass
from inspector.domain.messages import Message, Part, TextPart, ThinkingPart, ToolCallPart, ToolResultPart
from inspector.domain.ref import RefKind
from inspector.domain.summaries import Summary


@dataclass(frozen=True, slots=True)
class SearchEntry:
    """One thing as search knows it. `role` is a message's; `at` a block's last change, else its creation."""

    kind: RefKind
    ref_id: str
    owner: str | None
    role: str | None
    at: datetime
    title: str
    body: str
    is_deleted: bool = False


def found_of_block(block: Block, body: str, at: datetime) -> SearchEntry:
    """A block: its label and description, and all that its content says."""
    return SearchEntry(
        RefKind.BLOCK,
        block.id,
        block.owner,
        None,
        at,
        title_of_block(block),
        body,
        is_deleted=not block.is_active,
    )


def found_of_entry(entry: ArchivalEntry) -> SearchEntry:
    """An archival entry, its tags as the title."""
    return SearchEntry(
        RefKind.ARCHIVAL,
        entry.id,
        entry.agent_id,
        None,
        entry.created_at,
        ", ".join(entry.tags),
        entry.content,
        entry.is_deleted,
    )


def found_of_message(message: Message) -> SearchEntry:
    """A message: texts, thinking, tool calls and their results."""
    return SearchEntry(
        RefKind.MESSAGE,
        message.id,
        message.agent_id,
        message.role.value,
        message.created_at,
        "",
        "\n".join(chain.from_iterable(_said(part) for part in message.content)),
        message.is_deleted,
    )


def found_of_summary(summary: Summary) -> SearchEntry:
    """A summary with its details, its topics as the title."""
    details = summary.details
    lines = (summary.content, *details.decisions, *details.facts, *details.tasks, *details.entities)
    return SearchEntry(
        RefKind.SUMMARY,
        summary.id,
        summary.agent_id,
        None,
        summary.created_at,
        ", ".join(summary.topics),
        "\n".join(lines),
        summary.is_deleted,
    )


def title_of_block(block: Block) -> str:
    """A block's label, and its description on a line of its own."""
    return f"{block.label}\n{block.description}" if block.description else block.label


def content_text(content: Content) -> str:
    """All that a content says, one value a line: whole texts and every entry, not only what is rendered."""
    return "\n".join(_lines(content))


def _said(part: Part) -> Iterator[str]:
    match part:
        case TextPart(text) | ThinkingPart(text):
            yield text
        case ToolCallPart():
            yield from (part.name, part.arguments)
        case ToolResultPart():
            yield part.content
        case _:
            return


def _lines(content: Content) -> Iterator[str]:
    match content:
        case TextContent():
            yield content.text
        case MapContent():
            yield from _fields(content.fields)
        case ListContent():
            yield from chain.from_iterable(_value(item.value) for item in content.items)
        case LogContent():
            yield from chain.from_iterable(_fields(entry.fields) for entry in content.entries)
        case TreeContent():
            yield from chain.from_iterable(_value(node.value) for _, node in content.walk())
        case CompositeContent():
            yield from chain.from_iterable(_lines(section) for section in content.sections.values())
        case _:
            assert_never(content)


def _value(value: str | Mapping[str, FieldItem]) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    else:
        yield from _fields(value)


def _fields(fields: Mapping[str, FieldItem]) -> Iterator[str]:
    for value in fields.values():
        if isinstance(value, tuple):
            yield from (str(entry.value) for entry in value if entry.value is not None)
        elif value is not None:
            yield str(value)


LONGEST_TEXT = 2_000
"""Characters of a search text that are looked for; pasted pages are legal, and nobody means all of them."""
MOST_TERMS = 64

# Thai to Khmer, Kana, Han, Hangul and their compatibility forms.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u312f"
UNSPACED += "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f"
UNSPACED += "\U00020000-\U0003ffff"

BREAK = "\ue000"
"""Stands for what lies between two pieces that do not touch: a word that nobody writes."""
CHUNK_BREAK = "\ue001"
"""Stands for what lies between two stretches of a text, whatever that is."""

_TERM = re.compile(r'"([^"]*)"|(\S+)')


# Large classes take milliseconds to compile: when they are first needed, and not at every start.
@cache
def _unspaced_one() -> re.Pattern[str]:
    return re.compile(f"[{UNSPACED}]")


@cache
def _piece() -> re.Pattern[str]:
    return re.compile(f"[{UNSPACED}]|[^\\W_{UNSPACED}]+|[\\W_]+")


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that must be there: words that touch or follow one another, or mere signs (`is_sign`).

    With `prefix` the last word may go on.
    """

    text: str
    prefix: bool
    is_sign: bool = False


@dataclass(frozen=True, slots=True)
class Terms:
    """All that must be there. `cut` says that the rest of the text was left away."""

    terms: tuple[Term, ...]
    cut: bool


def terms_of(text: str) -> Terms:
    """The terms of any text; each once."""
    cut = len(text) > LONGEST_TEXT
    readable = _legal(text[:LONGEST_TEXT])
    found: dict[Term, None] = {}
    for match in _TERM.finditer(readable):
        quoted, word = match.groups()
        term = _term(word if quoted is None else quoted.strip(), quoted=quoted is not None)
        if term.text:
            found[term] = None
    return Terms(tuple(found)[:MOST_TERMS], cut or len(found) > MOST_TERMS)


def pieces(text: str) -> list[str]:
    """Words and single characters of scripts without spaces, in order; `BREAK` where something lies between."""
    found: list[str] = []
    for match in _piece().finditer(plain(text)):
        piece = match.group()
        if _is_word(piece[0]):
            found.append(piece)
        elif found and found[-1] != BREAK and not all(_is_mark(each) for each in piece):
            found.append(BREAK)
    if found and found[-1] == BREAK:
        found.pop()
    return found


def plain(text: str) -> str:
    """A text in the form that all its ways of writing share: case, wide and joined forms, what nobody sees."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", seen(text)).casefold()


def seen(text: str) -> str:
    """A text without the characters that nobody sees."""
    return "".join(each for each in text if unicodedata.category(each) != "Cf")


def spaced(text: str) -> str:
    """What of a text the index would not take apart as it is read: each piece of it as a word of its own."""
    if text.isascii():
        return ""
    return f" {CHUNK_BREAK} ".join(" ".join(pieces(chunk)) for chunk in _unlike(text))


def fold(text: str) -> tuple[str, list[int]]:
    """A text without case and accents, and for each of its characters the place that it comes from."""
    if text.isascii():
        return text.lower(), list(range(len(text)))
    folded: list[str] = []
    places: list[int] = []
    existing: dict[str, str] = {}
    for place, character in enumerate(text):
        plain = existing.get(character)
        if plain is None:
            plain = existing[character] = _fold_one(character)
        folded.append(plain)
        places.extend([place] * len(plain))
    return "".join(folded), places


def _legal(text: str) -> str:
    """A text that can be stored and compared: half characters and NUL separate words."""
    return "".join(" " if each == "\0" or "\ud800" <= each <= "\udfff" else each for each in text)


def _term(text: str, *, quoted: bool) -> Term:
    if not any(_is_word(each) for each in text):
        return Term(text, prefix=False, is_sign=True)
    text = seen(text)
    last = text[-1]
    return Term(text, prefix=not quoted and (_is_word(last) or _is_mark(last)))


def _unlike(text: str) -> Iterator[str]:
    """The stretches between spaces that hold scripts without spaces, or characters that have a plainer form."""
    for chunk in text.split():
        if not chunk.isascii() and (_unspaced_one().search(chunk) or plain(chunk) != chunk.lower()):
            yield chunk


def _fold_one(character: str) -> str:
    if _unspaced_one().match(character):
        return unicodedata.normalize("NFKC", character)
    parts = unicodedata.normalize("NFKD", seen(character))
    return "".join(each for each in parts if not _is_mark(each)).casefold()


def _is_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LN"


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"
