"""The large contents that were read or written last, so that an edit need not read again what it has just written.

To make values of a long list's JSON takes longer than the edit itself. Contents are values: whoever has one may keep
it. Nothing depends on what is here.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from inspector.domain.content import Content
from inspector.storage.json_columns import dump, load

_WORTH_KEEPING = 8_000
_MOST_CHARACTERS = 4_000_000

_known: OrderedDict[str, Content] = OrderedDict()
_lock = Lock()


def content_of(text: str) -> Content:
    """The content that a JSON column holds.

    Raises:
        MalformedError: with the place in it.
    """
    if len(text) < _WORTH_KEEPING:
        return _loaded(text)
    with _lock:
        known = _known.get(text)
        if known is not None:
            _known.move_to_end(text)
            return known
    content = _loaded(text)
    _keep(text, content)
    return content


def text_of(content: Content) -> str:
    """The JSON text of a content.

    Raises:
        MalformedError: as `json_columns.dump`.
    """
    text = dump(content)
    if len(text) >= _WORTH_KEEPING:
        _keep(text, content)
    return text


def _loaded(text: str) -> Content:
    content: Content = load(Content, text)
    return content


def _keep(text: str, content: Content) -> None:
    if len(text) > _MOST_CHARACTERS:
        return
    with _lock:
        _known[text] = content
        _known.move_to_end(text)
        total = sum(map(len, _known))
        while total > _MOST_CHARACTERS:
            total -= len(_known.popitem(last=False)[0])
