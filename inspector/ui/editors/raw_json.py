"""A block's content as JSON text to be edited, and what of an edited text cannot be read, with its line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from inspector.domain.blocks import Schema
from inspector.domain.codec import from_plain, to_plain
from inspector.domain.content import CONTENT_TYPES, Content
from inspector.domain.content_faults import Place, content_faults
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import MalformedError
from inspector.domain.strict_json import read_strictly, starts
from inspector.ui.wording import number, tr, tr_code, tr_error

MOST = 4_000_000
"""Characters up to which a content is shown as JSON."""

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
_WITH_IDS = ("items", "entries", "roots", "children")
"""The lists whose elements have ids, by their keys."""


@dataclass(frozen=True, slots=True)
class RawFault:
    """Why a JSON text is no content, and at which line that shows."""

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
        return _fault_at(text, _place_of(str(error.parameters.get("where", ""))), tr_error(error))
    except RecursionError:
        return RawFault(tr_code("json.too_deep", {"line": 1, "column": 1}))
    fault = next(content_faults(schema, base, content), None)
    if fault is None:
        return content
    return _fault_at(text, fault.place, tr_code(fault.refusal.code, fault.refusal.parameters))


def read_json(text: str) -> Any | RawFault:
    """What a JSON text holds, or the first thing that is wrong with it."""
    try:
        return read_strictly(text)
    except MalformedError as error:
        return RawFault(tr_error(error))


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


def _place_of(where: str) -> Place:
    return tuple(name or int(number) for name, number in _STEP.findall(where))


def _fault_at(text: str, place: Place, why: str) -> RawFault:
    """What is wrong with what stands at a place; its line is that of the nearest thing that is there."""
    found = dict(starts(text))
    while place and place not in found:
        place = place[:-1]
    line = text.count("\n", 0, found.get(place, 0)) + 1
    return RawFault(tr("Line {line}: {text}", line=number(line), text=why))
