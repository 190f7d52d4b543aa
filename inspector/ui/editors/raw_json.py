"""A block's content as JSON text to be edited, and what of an edited text cannot be read, with its line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from inspector.domain.blocks import Schema
from inspector.domain.codec import from_plain, to_plain
from inspector.domain.content import CONTENT_TYPES, Content
from inspector.domain.content_faults import Place, content_faults
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import MalformedError
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
    try:
        plain = json.loads(text, parse_constant=_no_number)
        twice = _repeated(text)
        if twice is not None:
            return twice
        content: Content = from_plain(CONTENT_TYPES[type(schema)], _with_ids(plain, new_id))
    except json.JSONDecodeError as error:
        return RawFault(error.lineno, tr("Not valid JSON: {why}.", why=error.msg))
    except MalformedError as error:
        place = _place_of(str(error.parameters.get("where", "")))
        return RawFault(_line_of(text, place), tr_error(error))
    except (RecursionError, ValueError) as error:
        return RawFault(1, tr("Not valid JSON: {why}.", why=str(error)))
    fault = next(content_faults(schema, base, content), None)
    if fault is None:
        return content
    return RawFault(_line_of(text, fault.place), tr_code(fault.refusal.code, fault.refusal.parameters))


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


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
