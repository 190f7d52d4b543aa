"""The provider adapter for Anthropic's Messages API."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

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
from inspector.domain.wire.fitting import PartRules, Thought
from inspector.domain.wire.images import ImageData, image_as_it_came
from inspector.domain.wire.naming import NameRule
from inspector.domain.wire.objects import arguments_of, as_sent, content_as_it_came, joined
from inspector.domain.wire.offered import OfferedTools
from inspector.domain.wire.parameters import (
    WHERE,
    has_extra_body,
    parameters_for,
    reply_limit,
    with_extra_body,
)
from inspector.domain.wire.system import SystemMessage, recorded_system
from inspector.domain.wire.turns import SourcedPart, WireTurn, merged, turns_of
from inspector.domain.wire.values import (
    CONVERSATION_GOES_ON,
    CONVERSATION_START,
    Adaptations,
    EndpointAddress,
    Outgoing,
    PromptSegment,
    WireForm,
    WireMessage,
    WireRequest,
)

Json = dict[str, Any]

ADDRESS = EndpointAddress(
    "https://api.anthropic.com",
    "/v1/messages",
    {"anthropic-version": "2023-06-01"},
    key_header="x-api-key",
    key_variable="ANTHROPIC_API_KEY",
)
MOST_CACHE_ENDS = 4

_TOOL_NAMES = NameRule(re.compile(r"[^A-Za-z0-9_-]"), 128, fallback="tool")
_CALL_IDS = NameRule(re.compile(r"[^A-Za-z0-9_-]"), 256, fallback="call")
_IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
_EFFORTS = frozenset({"low", "medium", "high", "xhigh", "max"})
_PARAMETERS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "stop": "stop_sequences",
    "reasoning_effort": "effort",
    "thinking": "thinking",
}
_LEAST_THINKING = 1024
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})


def to_wire(outgoing: Outgoing) -> WireRequest:
    """The Request as a body for ``POST /v1/messages``."""
    return _Writing(outgoing).write()


class _Writing:
    def __init__(self, outgoing: Outgoing) -> None:
        self._outgoing = outgoing
        self._notes = Adaptations()
        self._tools = OfferedTools(outgoing, WireForm.ANTHROPIC, _TOOL_NAMES, self._notes)
        self._blocks: list[tuple[str, Json]] = []

    def write(self) -> WireRequest:
        outgoing = self._outgoing
        # This API takes no request without a limit: what the window keeps for the reply, if the agent has none.
        limit = reply_limit(outgoing, self._notes)
        if limit is None and not has_extra_body(outgoing, WireForm.ANTHROPIC):
            limit = max(1, outgoing.limits.reserved_response_tokens)
        body: Json = {"model": outgoing.model}
        if limit is not None:
            body["max_tokens"] = limit
        self._parameters(body)
        if tools := self._definitions():
            body["tools"] = tools
        system, system_ends = self._system()
        body["messages"] = self._messages()
        self._check_thinking(body)
        if system:
            body["system"] = system
        self._mark_cache(system_ends)
        renamed = self._tools.renamed
        body = with_extra_body(body, WireForm.ANTHROPIC, outgoing, self._notes)
        return WireRequest(WireForm.ANTHROPIC, body, ADDRESS, self._notes.problems, renamed)

    def _parameters(self, body: Json) -> None:
        given = parameters_for(self._outgoing, _PARAMETERS, self._notes)
        effort = given.pop("effort", None)
        if effort in _EFFORTS and self._outgoing.can("adaptive_thinking"):
            body["output_config"] = {"effort": effort}
        elif effort is not None:
            self._notes.lost("parameter_not_taken", WHERE, name="reasoning_effort")
        body.update(given)

    def _check_thinking(self, body: Json) -> None:
        """Leave the agent's wish for thinking out where the rest of the body does not allow it."""
        thinking = body.pop("thinking", None)
        if thinking is None:
            return
        if has_extra_body(self._outgoing, WireForm.ANTHROPIC):
            body["thinking"] = thinking
            return
        kind, budget = thinking["type"], thinking.get("budget_tokens")
        if kind == "enabled":
            is_legal = isinstance(budget, int) and _LEAST_THINKING <= budget < body["max_tokens"]
            if is_legal and _begins_with_thought(body["messages"]):
                body["thinking"] = thinking
                return
        elif kind in ("adaptive", "disabled"):
            body["thinking"] = thinking
            return
        self._notes.lost("parameter_not_taken", WHERE, name="thinking")

    def _definitions(self) -> list[Json]:
        found: list[Json] = []
        for tool in self._tools.all():
            written = joined(tool.definition({"name": tool.name}, "input_schema"), tool.extra_body)
            self._blocks.append((tool.piece_id, written))
            found.append(written)
        return found

    def _system(self) -> tuple[str | list[Json], Mapping[str, Json]]:
        """The system string; in blocks, so that a cached prefix can end within it, where one shall."""
        if recorded := recorded_system(self._outgoing, WireForm.ANTHROPIC, self._notes):
            return _recorded_system(recorded), {}
        wanted = {end.piece_id for end in self._outgoing.cache_ends[:MOST_CACHE_ENDS]}
        segments = self._outgoing.system
        text = self._outgoing.system_text
        if not text.strip():
            if text:
                self._notes.lost("blank_text", "system")
            return "", {}
        last = {segment.piece_id: index for index, segment in enumerate(segments)}
        cuts = sorted(last[piece] for piece in wanted if piece in last)
        if not cuts:
            return text, {}
        return self._cut(segments, cuts)

    def _cut(
        self, segments: tuple[PromptSegment, ...], cuts: list[int]
    ) -> tuple[list[Json], Mapping[str, Json]]:
        blocks: list[Json] = []
        ends: dict[str, Json] = {}
        begin = 0
        for cut in (*cuts, len(segments) - 1):
            text = "".join(segment.text for segment in segments[begin : cut + 1])
            if text.strip():
                blocks.append({"type": "text", "text": text})
                begin = cut + 1
            elif text and blocks:
                # White space alone is no block; the one before it takes it.
                blocks[-1]["text"] += text
                begin = cut + 1
            if blocks:
                ends[segments[cut].piece_id] = blocks[-1]
        return blocks, ends

    def _messages(self) -> list[Json]:
        fitting = PartRules(
            WireForm.ANTHROPIC,
            _takes_thought,
            _takes_picture,
            False,
            not self._outgoing.can("no_vision"),
            self._notes,
            nests=True,
        )
        turns = turns_of(self._outgoing.messages, fitting, _CALL_IDS, self._notes)
        sides = {role: role.value for role in Role} | {Role.TOOL: Role.USER.value}
        turns = merged(self._late_instructions(turns), self._notes, sides)
        turns = merged(map(self._without_trailing_thought, turns), self._notes, sides)
        turns = self._with_ends(turns)
        return [self._message(turn) for turn in turns]

    def _late_instructions(self, turns: Iterable[WireTurn]) -> Iterable[WireTurn]:
        """Instructions within the conversation: a role of their own behind a user's turn where the model has it."""
        takes = self._outgoing.can("mid_conversation_system")
        before = None
        for turn in turns:
            if turn.name:
                self._notes.changed("name_not_sent", turn.first_piece, name=turn.name)
            if turn.is_recorded:
                before = turn.role
                yield turn
                continue
            if turn.role is Role.SYSTEM and not (takes and before in (Role.USER, Role.TOOL, Role.SYSTEM)):
                self._notes.changed("system_as_user", turn.first_piece)
                turn = WireTurn(Role.USER, turn.parts)
            before = turn.role
            yield turn

    def _without_trailing_thought(self, turn: WireTurn) -> WireTurn:
        parts = list(turn.parts)
        while (
            parts and not turn.is_recorded and isinstance(parts[-1].part, ThinkingPart | RedactedThinkingPart)
        ):
            self._notes.lost("thinking_not_sent", parts.pop().piece_id)
        return turn if len(parts) == len(turn.parts) else WireTurn(turn.role, tuple(parts))

    def _with_ends(self, turns: list[WireTurn]) -> list[WireTurn]:
        if not turns or not (turns[0].is_recorded or turns[0].role in (Role.USER, Role.TOOL)):
            turns.insert(0, _added(CONVERSATION_START))
            self._notes.changed("start_added", "messages", text=CONVERSATION_START)
        last = turns[-1]
        if last.role is not Role.ASSISTANT or last.is_recorded:
            return turns
        if not self._outgoing.can("assistant_prefill"):
            turns.append(_added(CONVERSATION_GOES_ON))
            self._notes.changed("end_added", "messages", text=CONVERSATION_GOES_ON)
            return turns
        turns[-1] = self._stripped(last)
        return turns

    def _stripped(self, turn: WireTurn) -> WireTurn:
        """A beginning of the reply may not end in white space."""
        *others, end = turn.parts
        if not isinstance(end.part, TextPart) or end.part.text == end.part.text.rstrip():
            return turn
        self._notes.changed("end_stripped", end.piece_id)
        kept = SourcedPart(end.piece_id, TextPart(end.part.text.rstrip()))
        return WireTurn(turn.role, (*others, kept))

    def _message(self, turn: WireTurn) -> Json:
        role = Role.USER if turn.role is Role.TOOL else turn.role
        parts = turn.parts
        if role is Role.USER and not turn.is_recorded:
            # Results come before everything else of their message.
            parts = tuple(sorted(parts, key=lambda each: not isinstance(each.part, ToolResultPart)))
        content = []
        for each in parts:
            block = self._block(each)
            self._blocks.append((each.piece_id, block))
            content.append(block)
        extra = turn.extra or {}
        return joined({"role": role.value, "content": content_as_it_came(content, extra)}, extra)

    def _block(self, each: SourcedPart) -> Json:
        return joined(self._written(each, each.part), each.extra)

    def _written(self, each: SourcedPart, part: Part) -> Json:
        match part:
            case TextPart():
                return {"type": "text", "text": part.text}
            case ThinkingPart():
                signed = {} if part.signature is None else {"signature": part.signature}
                return {"type": "thinking", "thinking": part.text, **signed}
            case RedactedThinkingPart():
                return {"type": "redacted_thinking", "data": part.data}
            case ImagePart():
                return {"type": "image", "source": _source(part, each)}
            case ToolCallPart():
                name = self._tools.name(part.name, each.piece_id, is_recorded=each.is_recorded)
                arguments = self._input(each.piece_id, part)
                return {"type": "tool_use", "id": part.id, "name": name, "input": arguments}
            case ToolResultPart():
                return self._result(each, part)
            case ProviderPart():
                return as_sent(part)

    def _result(self, each: SourcedPart, part: ToolResultPart) -> Json:
        written: Json = {"type": "tool_result", "tool_use_id": part.call_id}
        if each.within:
            first = [{"type": "text", "text": part.content}] if part.content else []
            written["content"] = [*first, *map(self._block, each.within)]
        elif part.content:
            written["content"] = part.content
        if part.is_error:
            written["is_error"] = True
        return written

    def _input(self, where: str, call: ToolCallPart) -> Json:
        arguments = arguments_of(call.arguments)
        if arguments is not None:
            return arguments
        self._notes.changed("arguments_wrapped", where, call=call.id)
        return {"arguments": call.arguments}

    def _mark_cache(self, system_ends: Mapping[str, Json]) -> None:
        recorded = sum("cache_control" in block for _, block in self._blocks)
        for number, end in enumerate(self._outgoing.cache_ends):
            block = system_ends.get(end.piece_id) or next(
                (
                    block
                    for piece_id, block in reversed(self._blocks)
                    if piece_id == end.piece_id and block.get("type") not in _THOUGHTS
                ),
                None,
            )
            if block is None or number + recorded >= MOST_CACHE_ENDS:
                self._notes.lost("cache_end_lost", end.piece_id)
                continue
            control = {"type": "ephemeral"}
            block["cache_control"] = control if end.ttl is None else {**control, "ttl": end.ttl}


def _begins_with_thought(messages: list[Json]) -> bool:
    """Whether the reply that is under way, if one is, begins with a thought: thinking of a fixed budget needs that."""
    *_, last = [None, *(message for message in messages if message["role"] == "assistant")]
    if last is None:
        return True
    under_way = last is messages[-1] or last["content"][-1]["type"] == "tool_use"
    return not under_way or last["content"][0]["type"] in _THOUGHTS


def _takes_thought(said: WireMessage, part: Thought) -> bool:
    if said.origin not in (None, WireForm.ANTHROPIC.value):
        return False
    if isinstance(part, RedactedThinkingPart):
        # What begins so is another provider's.
        return bool(part.data) and not part.data.startswith("{")
    return bool(part.signature)


def _takes_picture(found: ImageData) -> bool:
    return found.address.startswith("http") if found.address else found.media_type in _IMAGES


def _added(text: str) -> WireTurn:
    return WireTurn(Role.USER, (SourcedPart("", TextPart(text)),))


def _source(part: ImagePart, each: SourcedPart) -> Json:
    if each.is_recorded:
        source = each.extra.get("source")
        if isinstance(source, dict) and source.get("type") == "url":
            return {"type": "url", "url": part.data}
        typed = {"media_type": part.media_type} if part.media_type else {}
        return {"type": "base64", **typed, "data": part.data}
    found = image_as_it_came(part)
    if found.address:
        return {"type": "url", "url": found.address}
    return {"type": "base64", "media_type": found.media_type, "data": found.data}


def _recorded_system(recorded: list[SystemMessage]) -> str | list[Json]:
    blocks = [
        joined({"type": "text", "text": block.text}, block.extra)
        for message in recorded
        for block in message.blocks
        if block.text.strip() or message.extra is not None
    ]
    is_text = len(recorded) == 1 and not recorded[0].is_list
    return recorded[0].text if is_text else blocks
