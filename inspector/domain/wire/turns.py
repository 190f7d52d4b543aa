"""A conversation as turns that every provider accepts: tool calls directly followed by their results.

Stored histories come in other orders too: results among other messages, before their call, twice or never, two
calls with one id. What is put right here is told, and nothing that a provider would refuse is left.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from inspector.domain.dataclass import dataclass
from inspector.domain.messages import (
    ImagePart,
    Part,
    ProviderPart,
    RedactedThinkingPart,
    Role,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)
from inspector.domain.wire.fitting import PartRules
from inspector.domain.wire.naming import NameRule, UniqueNames
from inspector.domain.wire.objects import leaves, object_of
from inspector.domain.wire.values import Adaptations, WireMessage

NO_RESULT = "[No result]"


@dataclass(frozen=True, slots=True)
class SourcedPart:
    """A part and the piece that it belongs to; empty for what an adapter adds.

    Attributes:
        extra: Further fields of a part that was recorded in the form that is written.
        is_recorded: Whether it was.
        within: The parts that a result holds besides its text.
    """

    piece_id: str
    part: Part
    extra: Mapping[str, Any] = field(default_factory=dict)
    is_recorded: bool = False
    within: tuple[SourcedPart, ...] = ()


@dataclass(frozen=True, slots=True)
class WireTurn:
    """Neighbouring parts of one speaker. Role TOOL: nothing but results, behind the turn with their calls.

    Attributes:
        is_recorded: Whether it came in the form that is written.
        extra: The further fields of the recorded message that begins here; None where none does.
    """

    role: Role
    parts: tuple[SourcedPart, ...]
    name: str | None = None
    is_recorded: bool = False
    extra: Mapping[str, Any] | None = None

    @property
    def calls(self) -> tuple[ToolCallPart, ...]:
        return tuple(each.part for each in self.parts if isinstance(each.part, ToolCallPart))

    @property
    def first_piece(self) -> str:
        return self.parts[0].piece_id if self.parts else ""


def turns_of(
    messages: Sequence[WireMessage], fitting: PartRules, ids: NameRule | None, notes: Adaptations
) -> list[WireTurn]:
    """The conversation in turns. `ids` says what ids of calls may be; None where they are not sent."""
    return _Pairing(list(_groups(messages, fitting, notes)), ids, notes).turns()


def merged(turns: Iterable[WireTurn], notes: Adaptations, sides: dict[Role, str]) -> list[WireTurn]:
    """Neighbouring turns of one side as one; a turn's side is what `sides` says of its role.

    A message that was recorded in this form stays one of its own.
    """
    found: list[WireTurn] = []
    for turn in turns:
        if turn.extra is not None:
            found.append(turn)
        elif not turn.parts:
            continue
        elif found and sides[found[-1].role] == sides[turn.role]:
            before = found[-1]
            if before.role is turn.role:
                notes.changed("merged", turn.first_piece, role=turn.role.value)
            found[-1] = replace(before, parts=before.parts + turn.parts, name=None)
        else:
            found.append(turn)
    return found


def _groups(messages: Sequence[WireMessage], fitting: PartRules, notes: Adaptations) -> Iterable[WireTurn]:
    """Every message's parts that can be sent, cut where the speaker changes."""
    for said in messages:
        is_recorded = fitting.is_recorded(said)
        parts = _fitting_parts(said, fitting, notes)
        extra = said.extra_body if is_recorded else None
        if not parts:
            if extra is not None and not said.content:
                yield WireTurn(said.role, (), said.name, is_recorded, extra)
            else:
                notes.changed("empty_message", said.piece_id)
            continue
        run: list[SourcedPart] = []
        role = _speaker(said, parts[0].part)
        for each in parts:
            speaker = _speaker(said, each.part)
            if speaker is not role and run:
                yield WireTurn(role, tuple(run), said.name, is_recorded, extra)
                run, extra = [], None
            role = speaker
            run.append(each)
        yield WireTurn(role, tuple(run), said.name, is_recorded, extra)


def _fitting_parts(said: WireMessage, fitting: PartRules, notes: Adaptations) -> list[SourcedPart]:
    """The parts of a message that can be sent, with their further fields or a note that these are not sent."""
    is_recorded = fitting.is_recorded(said)
    if not is_recorded:
        _tell_fields(said, said.extra_body or {}, notes)
    found: list[SourcedPart] = []
    beside: list[SourcedPart] = []
    for each in said.content:
        part = fitting.fit(said, each)
        extra = {} if isinstance(each, ProviderPart) else object_of(each.extra_body)
        if not is_recorded:
            _tell_fields(said, extra, notes)
        if part is None:
            continue
        sourced = SourcedPart(said.piece_id, part, extra if is_recorded else {}, is_recorded)
        before = found[-1] if found else None
        if before is None or not _is_within(said, before, part):
            found.append(sourced)
        elif is_recorded or fitting.nests:
            found[-1] = replace(before, within=(*before.within, sourced))
        elif isinstance(before.part, ToolResultPart) and isinstance(part, TextPart):
            text = "\n".join(filter(None, (before.part.content, part.text)))
            found[-1] = replace(before, part=replace(before.part, content=text))
        else:
            notes.changed("result_part_beside", said.piece_id)
            beside.append(sourced)
    return found + beside


def _is_within(said: WireMessage, before: SourcedPart, part: Part) -> bool:
    """Whether a part stands within the result before it, as in recorded messages."""
    is_result = said.form is not None and said.role is Role.TOOL and isinstance(before.part, ToolResultPart)
    return is_result and isinstance(part, TextPart | ImagePart | ProviderPart)


def _tell_fields(said: WireMessage, extra: Mapping[str, Any], notes: Adaptations) -> None:
    for name in leaves(extra):
        if name not in ("role", "type"):
            notes.lost("part_field_not_sent", said.piece_id, name=name)


def _speaker(said: WireMessage, part: Part) -> Role:
    if isinstance(part, ToolResultPart):
        return Role.TOOL
    if isinstance(part, ToolCallPart | ThinkingPart | RedactedThinkingPart):
        return Role.ASSISTANT
    return Role.USER if said.role is Role.TOOL else said.role


@dataclass(frozen=True, slots=True)
class _Call:
    """A call's place, and the id it goes out with."""

    group: int
    index: int
    id: str


class _Pairing:
    def __init__(self, groups: list[WireTurn], ids: NameRule | None, notes: Adaptations) -> None:
        self._groups = groups
        self._notes = notes
        self._book = UniqueNames(ids) if ids is not None else None
        self._seen: defaultdict[str, int] = defaultdict(int)
        self._open: defaultdict[str, deque[_Call]] = defaultdict(deque)
        self._ids: dict[tuple[int, int], str] = {}
        self._results: dict[tuple[int, int], SourcedPart] = {}

    def turns(self) -> list[WireTurn]:
        self._reserve()
        for number, group in enumerate(self._groups):
            for index, each in enumerate(group.parts):
                if isinstance(each.part, ToolCallPart):
                    self._call(number, index, each.piece_id, each.part)
                elif isinstance(each.part, ToolResultPart):
                    self._result(number, each, each.part)
        found: list[WireTurn] = []
        for number, group in enumerate(self._groups):
            if group.role is not Role.TOOL:
                found += self._emitted(number, group)
            elif group.is_recorded:
                found.append(group)
        return found

    def _reserve(self) -> None:
        if self._book is not None:
            for group in self._groups:
                for call in group.calls:
                    self._book.reserve(call.id)

    def _call(self, group: int, index: int, piece_id: str, part: ToolCallPart) -> None:
        self._seen[part.id] += 1
        count = self._seen[part.id]
        given = part.id if count == 1 or self._groups[group].is_recorded else f"{part.id}\0{count}"
        if self._book is not None and not self._groups[group].is_recorded:
            given = self._book.name(given)
        if self._book is not None and given != part.id:
            self._notes.changed("call_id_changed", piece_id, call=part.id, new=given)
        self._ids[group, index] = given
        self._open[part.id].append(_Call(group, index, given))

    def _result(self, group: int, each: SourcedPart, part: ToolResultPart) -> None:
        waiting = self._open[part.call_id]
        if self._groups[group].is_recorded:
            # It stays where it is, whether its call is there or the provider's own.
            if waiting:
                waiting.popleft()
            return
        if not waiting:
            self._notes.lost("result_without_call", each.piece_id, call=part.call_id)
            return
        call = waiting.popleft()
        between = self._groups[call.group + 1 : group]
        if any(each.role is not Role.TOOL for each in between):
            self._notes.changed("result_moved", each.piece_id, call=part.call_id)
        self._results[call.group, call.index] = replace(each, part=replace(part, call_id=call.id))

    def _emitted(self, number: int, group: WireTurn) -> list[WireTurn]:
        parts: list[SourcedPart] = []
        results: list[SourcedPart] = []
        for index, each in enumerate(group.parts):
            if not isinstance(each.part, ToolCallPart):
                parts.append(each)
                continue
            given = self._ids[number, index]
            parts.append(replace(each, part=replace(each.part, id=given)))
            result = self._results.get((number, index))
            if result is None and group.is_recorded:
                continue
            if result is None:
                self._notes.lost("result_missing", each.piece_id, call=each.part.id, text=NO_RESULT)
                result = SourcedPart("", ToolResultPart(given, NO_RESULT, is_error=True))
            results.append(result)
        turns = [replace(group, parts=tuple(parts))]
        if results:
            turns.append(WireTurn(Role.TOOL, tuple(results)))
        return turns
