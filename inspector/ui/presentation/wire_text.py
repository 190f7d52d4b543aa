"""A provider's JSON of a Request as sections and pieces, for the view that shows Requests."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from inspector.domain.counts import Method
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Problem, Severity
from inspector.domain.requests import Piece, Request, Section, Source, SourceKind, TextRun
from inspector.domain.wire.values import CONVERSATION_GOES_ON, CONVERSATION_START, WireForm, WireRequest
from inspector.ui.widgets.adaptation_list import AdaptationLine
from inspector.ui.widgets.request_paint import Marking
from inspector.ui.widgets.request_places import RequestRange
from inspector.ui.wording import tr_code

_NAMES = {
    "system": "instructions",
    "systemInstruction": "instructions",
    "system_instruction": "instructions",
    "contents": "messages",
    "input": "messages",
}
"""The sections of a Request whose colours a provider's fields take."""
# Within a string of the body every quote is escaped, so that words of a message are never taken for a mark.
_CACHE = re.compile(r'(?<!\\)"(?:cache_control|prompt_cache_breakpoint)": \{[^{}]*\}')
_ADDED = re.compile(
    "|".join(re.escape(json.dumps(each)) for each in (CONVERSATION_START, CONVERSATION_GOES_ON))
)
_MOST_MARKED = 2_000


@dataclass(frozen=True)
class WireText:
    """What a provider would be sent of a Request.

    `text` has the body for its text: a section for each field, a piece for each entry of a list. `lines` say what
    had to be changed, losses first. `cache_marks` and `added` are the stretches that mark the end of a cached prefix,
    and that stand in for what the provider asks for and the Request doesn't have.
    """

    source: Request
    form: WireForm
    text: Request
    lines: tuple[AdaptationLine, ...]
    cache_marks: tuple[RequestRange, ...] = ()
    added: tuple[RequestRange, ...] = ()

    @property
    def markings(self) -> tuple[Marking, ...]:
        """All of these in their order."""
        cached = (Marking(each, "ok") for each in self.cache_marks)
        added = (Marking(each, "warning") for each in self.added)
        return tuple(sorted((*cached, *added), key=lambda each: each.place.start))


def wire_text(source: Request, wire: WireRequest) -> WireText:
    """The body as it is shown. Its text is the JSON with two spaces of indent a level."""
    fields = [*wire.body.items()]
    sections = [
        _section(key, value, ("{\n" if place == 0 else "", "\n}" if place == len(fields) - 1 else ",\n"))
        for place, (key, value) in enumerate(fields)
    ]
    text = replace(source, sections=tuple(_unique(sections)))
    shown = text.text
    marks = _stretches(_CACHE, shown), _stretches(_ADDED, shown)
    return WireText(source, wire.form, text, tuple(_lines(wire.adaptations)), *marks)


def _stretches(pattern: re.Pattern[str], text: str) -> tuple[RequestRange, ...]:
    found = islice(pattern.finditer(text), _MOST_MARKED)
    return tuple(RequestRange(each.start(), each.end()) for each in found)


def _lines(adaptations: Sequence[Problem]) -> list[AdaptationLine]:
    counts = Counter(
        (tr_code(each.code, each.parameters), each.severity is Severity.WARNING) for each in adaptations
    )
    lines = [AdaptationLine(text, count, loses) for (text, loses), count in counts.items()]
    return sorted(lines, key=lambda line: not line.loses)


def _section(key: str, value: Any, around: tuple[str, str]) -> Section:
    before, behind = around
    name = _NAMES.get(key, key)
    texts = [*_entries(key, value)] if isinstance(value, Sequence) and not isinstance(value, str) else []
    if not texts:
        texts = [_dumped({key: value})]
    texts[0] = before + texts[0]
    texts[-1] += behind
    pieces = (_piece(name, f"wire:{key}/{number}", text) for number, text in enumerate(texts))
    return Section(name, key, tuple(pieces))


def _entries(key: str, values: Sequence[Any]) -> Iterator[str]:
    """The texts of a list's entries, the first with its beginning, the last with its end."""
    last = len(values) - 1
    for number, value in enumerate(values):
        text = "  " + _dumped([value]).replace("\n", "\n  ")
        head = f"  {json.dumps(key, ensure_ascii=False)}: [\n" if number == 0 else ""
        yield f"{head}{text}" + ("\n  ]" if number == last else ",\n")


def _dumped(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """What stands between the outer brackets."""
    return json.dumps(value, ensure_ascii=False, indent=2)[2:-2]


def _piece(section: str, id_: str, text: str) -> Piece:
    run = TextRun(text, sent=True, tokens=0, method=Method.EXACT)
    return Piece(id_, section, Source(SourceKind.LITERAL, id_), "frame", (run,))


def _unique(sections: Sequence[Section]) -> Iterator[Section]:
    """Sections of which no two have one name."""
    names: set[str] = set()
    for section in sections:
        name = section.title if section.name in names else section.name
        names.add(name)
        pieces = tuple(replace(piece, section=name) for piece in section.pieces)
        yield Section(name, section.title, pieces)
