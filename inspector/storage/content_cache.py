"""Caches large contents that were just read or written, so that an edit need not decode them again.

To make values of a long list's JSON, or JSON of its values, takes longer than the edit itself. Contents are values:
whoever has one may keep it, and what an edit has left alone is the very same value afterwards, so that its JSON is
too. Nothing depends on what is here.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import field
from threading import Lock
from typing import assert_never

from inspector.domain.blocks import Schema
from inspector.domain.content import (
    CompositeContent,
    Content,
    ListContent,
    ListItem,
    LogContent,
    LogEntry,
    MapContent,
    TextContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.dataclass import dataclass
from inspector.domain.rendering.render import limit_length
from inspector.storage.json_columns import dump, load

_WORTH_KEEPING = 8_000
_MOST_CHARACTERS = 4_000_000
_WORTH_TAKING_APART = 100
_TRIED = 4
_SMALL_KEPT = 16

_Element = ListItem | LogEntry | TreeNode


@dataclass(slots=True)
class _CachedContent:
    """A content, the JSON of its elements by their identities, which hold for as long as it is kept, and its length."""

    content: Content
    pieces: Mapping[int, str] = field(default_factory=dict)
    length: tuple[Schema, int] | None = None


_cache: OrderedDict[str, _CachedContent] = OrderedDict()
_small: dict[str, Content] = {}
"""Those that were just written, for the next edits of theirs."""
_lock = Lock()


def content_of(text: str) -> Content:
    """The content that a JSON column holds.

    Raises:
        MalformedError: with the place in it.
    """
    if len(text) < _WORTH_KEEPING:
        small = _small.get(text)
        return _loaded(text) if small is None else small
    with _lock:
        cached = _cache.get(text)
        if cached is not None:
            _cache.move_to_end(text)
            return cached.content
    content = _loaded(text)
    _keep(text, _CachedContent(content))
    return content


def text_of(content: Content) -> str:
    """The JSON text of a content.

    Raises:
        MalformedError: as `json_columns.dump`.
    """
    elements = _elements(content)
    if len(elements) < _WORTH_TAKING_APART:
        text, pieces = dump(content), {}
    else:
        existing = _nearest(elements)
        pieces = {id(each): existing.get(id(each)) or dump(each) for each in elements}
        text = _written(content, pieces)
    if len(text) >= _WORTH_KEEPING:
        _keep(text, _CachedContent(content, pieces))
    else:
        _keep_small(text, content)
    return text


def length_of(schema: Schema, content: Content) -> int:
    """The characters that count against a block's limit, as `limit_length` has it.

    Raises:
        MalformedError: as `limit_length`.
    """
    with _lock:
        kept = next((each for each in reversed(_cache.values()) if each.content is content), None)
    if kept is None:
        return limit_length(schema, content)
    existing = kept.length
    if existing is None or existing[0] != schema:
        existing = kept.length = (schema, limit_length(schema, content))
    return existing[1]


def _written(content: Content, pieces: Mapping[int, str]) -> str:
    """As `json_columns.dump`, put together of what the elements are."""
    if isinstance(content, CompositeContent):
        bare = dump(CompositeContent())
        sections = (f"{dump(name)}:{_written(each, pieces)}" for name, each in content.sections.items())
        return f"{bare[:-2]}{','.join(sections)}}}}}"
    elements = _elements(content)
    if not elements:
        return dump(content)
    bare = dump(type(content)())
    return f"{bare[:-2]}{','.join(pieces[id(each)] for each in elements)}]}}"


def _elements(content: Content) -> tuple[_Element, ...]:
    match content:
        case ListContent():
            return content.items
        case LogContent():
            return content.entries
        case TreeContent():
            return content.roots
        case CompositeContent():
            return tuple(each for section in content.sections.values() for each in _elements(section))
        case TextContent() | MapContent():
            return ()
        case _:
            assert_never(content)


def _nearest(elements: tuple[_Element, ...]) -> Mapping[int, str]:
    """The pieces of the newest content that has any of a few of the elements."""
    some = [id(elements[number * (len(elements) - 1) // (_TRIED - 1)]) for number in range(_TRIED)]
    with _lock:
        for kept in reversed(_cache.values()):
            if any(each in kept.pieces for each in some):
                return kept.pieces
    return {}


def _loaded(text: str) -> Content:
    content: Content = load(Content, text)
    return content


def _keep_small(text: str, content: Content) -> None:
    with _lock:
        while len(_small) >= _SMALL_KEPT:
            del _small[next(iter(_small))]
        _small[text] = content


def _keep(text: str, kept: _CachedContent) -> None:
    if len(text) > _MOST_CHARACTERS:
        return
    with _lock:
        _cache[text] = kept
        _cache.move_to_end(text)
        total = sum(map(len, _cache))
        while total > _MOST_CHARACTERS:
            total -= len(_cache.popitem(last=False)[0])
