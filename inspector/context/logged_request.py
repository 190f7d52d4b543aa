"""Reads a sent Request back from its stored text form and account."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.context.layouts import heading_title
from inspector.domain.counts import Method, Tokenizer
from inspector.domain.errors import MalformedError, Problem, Severity
from inspector.domain.limits import Limits
from inspector.domain.ref import Ref
from inspector.domain.requests import (
    Fix,
    LeftOut,
    Piece,
    Request,
    Section,
    SentMessage,
    Source,
    SourceKind,
    TextRun,
)

_NOT_SYSTEM = frozenset({"tools", "messages", "reply"})
TAIL_FRAME = "literal:tail/frame"
"""What stands behind the messages begins with it."""


def read_logged(agent_id: str, text: str, manifest: str) -> Request:
    """The Request of a text form and its account (JSON text), as `neutral.stored_manifest` wrote it.

    What the account does not tell stays empty: marks, the parameters of rules, and what a shortened message held.

    Raises:
        MalformedError: ``malformed.manifest`` with the place, when the account is none or is not of that text.
    """
    try:
        plain = json.loads(manifest)
        return _Reader(text).request(agent_id, plain)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        why = f"{type(error).__name__}: {error}"
        raise MalformedError("malformed.manifest", where="$", why=why) from error


class _Reader:
    """Reads the account of one text from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def request(self, agent_id: str, plain: Mapping[str, Any]) -> Request:
        sections = tuple(self._section(each, f"sections[{n}]") for n, each in enumerate(plain["sections"]))
        if self._at != len(self._text):
            raise _misfit("sections", f"they end at {self._at} of {len(self._text)}")
        total = plain["total"]
        tail = _tail(sections)
        return Request(
            agent_id=agent_id,
            agent_name=plain["agent"],
            model=plain["model"],
            limits=Limits(**plain["limits"]),
            tokenizer=Tokenizer(total["tokenizer"], Method(total["method"])),
            layout=plain["layout"],
            strategy=plain["strategy"],
            now=plain["now"],
            zone=plain["zone"],
            sections=sections,
            system=_sent(_before(sections, tail)) or None,
            messages=tuple(SentMessage(name) for name in _names(sections, "messages", SourceKind.MESSAGE)),
            tools=tuple(_names(sections, "tools", SourceKind.TOOL)),
            left_out=tuple(map(_left_out, plain["left_out"])),
            overheads=dict(plain["overheads"]),
            problems=tuple(map(_problem, plain["problems"])),
            adaptations=tuple(map(_problem, plain["adaptations"])),
            unreachable_tokens=plain["unreachable_tokens"],
            margin_tokens=plain.get("margin_tokens", 0),
            tail=_sent(tail) or None,
            tail_sections=tuple(section.name for section in tail),
        )

    def _section(self, plain: Mapping[str, Any], where: str) -> Section:
        name = plain["name"]
        pieces = tuple(
            self._piece(each, name, f"{where}.pieces[{n}]") for n, each in enumerate(plain["pieces"])
        )
        return Section(name, heading_title(name, pieces), pieces)

    def _piece(self, plain: Mapping[str, Any], section: str, where: str) -> Piece:
        runs = tuple(self._run(each, f"{where}.runs[{n}]") for n, each in enumerate(plain["runs"]))
        return Piece(plain["id"], section, _source(plain["source"]), plain["rule"], runs)

    def _run(self, plain: Mapping[str, Any], where: str) -> TextRun:
        start, end = plain["span"]
        if start != self._at or not start <= end <= len(self._text):
            raise _misfit(where, f"it begins at {start}, where {self._at} was due")
        self._at = end
        return TextRun(
            self._text[start:end], bool(plain["sent"]), int(plain["tokens"]), Method(plain["method"])
        )


def _misfit(where: str, why: str) -> MalformedError:
    return MalformedError("malformed.manifest", where=where, why=why)


def _tail(sections: Sequence[Section]) -> Sequence[Section]:
    """The sections behind the messages, which begin with a frame of their own."""
    for at, section in enumerate(sections):
        if section.pieces and section.pieces[0].id == TAIL_FRAME:
            return [each for each in sections[at:] if each.name not in _NOT_SYSTEM]
    return []


def _before(sections: Sequence[Section], tail: Sequence[Section]) -> list[Section]:
    return [each for each in sections if each.name not in _NOT_SYSTEM and each not in tail]


def _sent(sections: Sequence[Section]) -> str:
    return "".join(
        run.text for section in sections for piece in section.pieces for run in piece.runs if run.sent
    )


def _names(sections: Sequence[Section], section: str, kind: SourceKind) -> Iterator[str]:
    for each in sections:
        if each.name == section:
            yield from (str(piece.source.id) for piece in each.pieces if piece.source.kind is kind)


def _source(plain: Mapping[str, Any]) -> Source:
    return Source(SourceKind(plain["kind"]), plain["id"], plain["label"], plain["owner"])


def _left_out(plain: Mapping[str, Any]) -> LeftOut:
    source, fix = _source(plain["source"]), plain["fix"]
    # The account tells no section of what is in none.
    return LeftOut(
        source,
        "",
        plain["rule"],
        plain["tokens"],
        Method.ESTIMATE,
        None if fix is None else _fix(fix),
        count=int(plain.get("count", 1)),
    )


def _fix(plain: Mapping[str, Any]) -> Fix:
    target = plain["target"]
    return Fix(plain["action"], None if target is None else Ref.read(target), plain["value"])


def _problem(plain: Mapping[str, Any]) -> Problem:
    parameters = {"message": plain["message"]}
    return Problem(plain["code"], Severity(plain["severity"]), plain["where"], parameters)
