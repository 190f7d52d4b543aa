"""A block's content as JSON text to be edited, and what of an edited text cannot be read, with its line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from math import isfinite
from typing import Any

from inspector.domain.blocks import Schema
from inspector.domain.codec import from_plain, to_plain
from inspector.domain.content import CONTENT_TYPES, Content
from inspector.domain.content_faults import Place, content_faults
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import MalformedError
from inspector.ui.safe_text import one_line
from inspector.ui.wording import tr, tr_code, tr_error

MOST = 4_000_000
"""Characters up to which a content is shown as JSON."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
_WITH_IDS = ("items", "entries", "roots", "children")
"""The lists whose elements have ids, by their keys."""


@dataclass(frozen=True, slots=True)
class RawFault:
    """Why a JSON text is no content, and the line, from 1, where that shows."""

    line: int
    text: str


def raw_text(content: Content) -> str:
    """The JSON of a content, to be edited."""
    return json.dumps(to_plain(content), ensure_ascii=False, indent=2)


def read_raw(text: str, schema: Schema, base: Content, new_id: Callable[[str], str]) -> Content | RawFault:
    """The content that a text describes, or the first thing that is wrong with it. What has no id gets one."""
    plain = read_json(text)
    if isinstance(plain, RawFault):
        return plain
    try:
        content: Content = from_plain(CONTENT_TYPES[type(schema)], _with_ids(plain, new_id))
    except MalformedError as error:
        place = _place_of(str(error.parameters.get("where", "")))
        return RawFault(_line_of(text, place), tr_error(error))
    except RecursionError:
        return RawFault(1, _too_deep())
    fault = next(content_faults(schema, base, content), None)
    if fault is None:
        return content
    return RawFault(_line_of(text, fault.place), tr_code(fault.refusal.code, fault.refusal.parameters))


def read_json(text: str) -> Any | RawFault:
    """What a JSON text holds, or the first thing that is wrong with it.

    Python reads more than JSON has, and what can't be stored: those are wrong too, as is a key that stands twice.
    """
    try:
        plain = json.loads(text, parse_constant=_refused, parse_float=_finite, parse_int=_whole)
        return _repeated(text) or _half_character(text) or plain
    except json.JSONDecodeError as error:
        return RawFault(error.lineno, tr("Not valid JSON: {why}.", why=error.msg))
    except _UnfitNumberError as error:
        at = next((each.start() for each in _TOKEN.finditer(text) if each.group() == error.token), 0)
        why = tr("{number} can't be stored as a number.", number=one_line(error.token, 24))
        return RawFault(_line_at(text, at), why)
    except RecursionError:
        return RawFault(1, _too_deep())


class _UnfitNumberError(ValueError):
    """A number that JSON doesn't have, or that is too large to be one here."""

    def __init__(self, token: str) -> None:
        super().__init__(token)
        self.token = token


def _refused(token: str) -> float:
    raise _UnfitNumberError(token)


def _finite(token: str) -> float:
    found = float(token)
    return found if isfinite(found) else _refused(token)


def _whole(token: str) -> int | float:
    try:
        return int(token)
    except ValueError:
        # It has more digits than Python reads.
        return _refused(token)


def _too_deep() -> str:
    return tr("Not valid JSON: {why}.", why=tr("nested too deeply"))


def _half_character(text: str) -> RawFault | None:
    """A text with a lone surrogate, which has no UTF-8."""
    if "\\u" not in text and _is_unicode(text):
        return None
    for found in _TOKEN.finditer(text):
        token = found.group()
        if token.startswith('"') and not _is_unicode(json.loads(token)):
            why = tr("The text contains half a character and can't be stored.")
            return RawFault(_line_at(text, found.start()), why)
    return None


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _with_ids(plain: Any, new_id: Callable[[str], str]) -> Any:
    """The same, with an id in every item, entry, node and list element that has none."""
    waiting = [plain]
    while waiting:
        each = waiting.pop()
        for key, value in each.items() if isinstance(each, dict) else ():
            for element in value if isinstance(value, list) else ():
                is_object = isinstance(element, dict)
                if is_object and (key in _WITH_IDS or "value" in element) and not element.get("id"):
                    element["id"] = new_id("itm")
                if is_object and key == "entries":
                    # The store fills them in.
                    element.setdefault("timestamp", None)
                    element.setdefault("author", None)
                waiting.append(element)
            waiting.append(value)
    return plain


def _repeated(text: str) -> RawFault | None:
    """A key that one object has twice: JSON would drop the first without a word."""
    seen: set[Place] = set()
    for place, at in _keys(text):
        if place in seen:
            why = tr("The key {key} is there twice.", key=str(place[-1]))
            return RawFault(_line_at(text, at), why)
        seen.add(place)
    return None


def _place_of(where: str) -> Place:
    return tuple(name or int(number) for name, number in _STEP.findall(where))


def _line_of(text: str, place: Place) -> int:
    """The line of what stands at a place, or of the nearest thing that it is in."""
    starts = dict(_starts(text))
    while place and place not in starts:
        place = place[:-1]
    return _line_at(text, starts.get(place, 0))


def _line_at(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _keys(text: str) -> Iterator[tuple[Place, int]]:
    return ((place, at) for place, at in _starts(text) if place and isinstance(place[-1], str))


def _starts(text: str) -> Iterator[tuple[Place, int]]:
    """Where each key and each element of valid JSON begins."""
    path: list[str | int] = []
    is_key: list[bool] = []
    """For each open bracket, whether a key is next: it is always so behind a brace or its commas."""
    kinds: list[str] = []
    for found in _TOKEN.finditer(text):
        token = found.group()
        if token in "}]":
            path.pop()
            kinds.pop()
            is_key.pop()
            continue
        if token == ",":
            if kinds[-1] == "[":
                path[-1] = int(path[-1]) + 1
            else:
                is_key[-1] = True
            continue
        if token == ":":
            continue
        if kinds and kinds[-1] == "{" and is_key[-1]:
            path[-1], is_key[-1] = json.loads(token), False
            yield tuple(path), found.start()
            continue
        if kinds and kinds[-1] == "[":
            yield tuple(path), found.start()
        if token in "{[":
            path.append("" if token == "{" else 0)
            kinds.append(token)
            is_key.append(token == "{")
