"""The provider adapter for OpenAI's Chat Completions API and compatible servers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from inspector.domain.messages import (
    ImagePart,
    Part,
    ProviderPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from inspector.domain.wire.fitting import PartRules
from inspector.domain.wire.images import ImageData, image_as_it_came
from inspector.domain.wire.naming import NameRule
from inspector.domain.wire.objects import AS_TEXT, as_sent, joined
from inspector.domain.wire.offered import OfferedTools
from inspector.domain.wire.parameters import (
    CUSTOM,
    FUNCTIONS,
    extra_body,
    has_extra_body,
    parameters_for,
    reply_limit,
    with_extra_body,
)
from inspector.domain.wire.system import SystemMessage, recorded_system
from inspector.domain.wire.turns import SourcedPart, WireTurn, turns_of
from inspector.domain.wire.values import (
    CONVERSATION_START,
    Adaptations,
    EndpointAddress,
    Outgoing,
    WireForm,
    WireRequest,
)

Json = dict[str, Any]

ADDRESS = EndpointAddress(
    "https://api.openai.com",
    "/v1/chat/completions",
    key_header="Authorization",
    key_prefix="Bearer ",
    key_variable="OPENAI_API_KEY",
)
MOST_CACHE_ENDS = 3
"""Of the four breakpoints of a request one is the provider's own."""

_TOOL_NAMES = NameRule(re.compile(r"[^A-Za-z0-9_-]"), 64, fallback="tool")
_OLDER_CALL = "function_call"
_CALL_IDS = NameRule(re.compile(r"[^\x21-\x7e]"), 40, fallback="call")
_SPEAKERS = NameRule(re.compile(r"[\s<|\\/>]"), 64, fallback="unnamed")
_IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
_PARAMETERS = {
    name: name
    for name in (
        "temperature",
        "top_p",
        "seed",
        "frequency_penalty",
        "presence_penalty",
        "stop",
        "reasoning_effort",
    )
}


def to_wire(outgoing: Outgoing) -> WireRequest:
    """The Request as a body for ``POST /v1/chat/completions``."""
    return _Writing(outgoing).write()


class _Writing:
    def __init__(self, outgoing: Outgoing) -> None:
        self._outgoing = outgoing
        self._notes = Adaptations()
        self._tools = OfferedTools(outgoing, WireForm.OPENAI, _TOOL_NAMES, self._notes)
        self._is_recorded = has_extra_body(outgoing, WireForm.OPENAI)
        self._marks = outgoing.can("prompt_cache_breakpoint")
        self._ends = {end.piece_id for end in outgoing.cache_ends[:MOST_CACHE_ENDS]} if self._marks else set()
        self._system_role = (
            "developer"
            if outgoing.provider == "openai"
            and (outgoing.can("reasoning") or outgoing.can("no_system_messages"))
            else "system"
        )

    def write(self) -> WireRequest:
        outgoing = self._outgoing
        # A recorded body has its own name for it.
        compatible = outgoing.provider not in ("", "openai", "azure") and not self._is_recorded
        body: Json = {"model": outgoing.model} if outgoing.model or not self._is_recorded else {}
        if limit := reply_limit(outgoing, self._notes):
            body["max_tokens" if compatible else "max_completion_tokens"] = limit
        body.update(parameters_for(outgoing, _PARAMETERS, self._notes))
        self._add_tools(body)
        body["messages"] = self._messages()
        self._tell_ends(body["messages"])
        body = with_extra_body(body, WireForm.OPENAI, outgoing, self._notes)
        return WireRequest(WireForm.OPENAI, body, ADDRESS, self._notes.problems, self._tools.renamed)

    def _add_tools(self, body: Json) -> None:
        recorded = extra_body(self._outgoing, WireForm.OPENAI).get(FUNCTIONS)
        older = [name for name in recorded if isinstance(name, str)] if isinstance(recorded, list) else []
        definitions = self._definitions()
        functions = [each["function"] for each in definitions if each["function"]["name"] in older]
        if functions:
            body[FUNCTIONS] = functions
        if tools := [each for each in definitions if each["function"] not in functions]:
            body["tools"] = tools

    def _definitions(self) -> list[Json]:
        found: list[Json] = []
        for tool in self._tools.all():
            function = tool.definition({"name": tool.name}, "parameters")
            found.append(joined({"type": "function", "function": function}, tool.extra_body))
        return found

    def _messages(self) -> list[Json]:
        outgoing = self._outgoing
        fitting = PartRules(
            WireForm.OPENAI,
            lambda said, part: False,
            _takes_picture,
            True,
            not outgoing.can("no_vision"),
            self._notes,
        )
        found: list[Json] = []
        if recorded := recorded_system(outgoing, WireForm.OPENAI, self._notes):
            found += [self._system(message) for message in recorded]
        elif outgoing.system_text:
            parts = [SourcedPart(each.piece_id, TextPart(each.text)) for each in outgoing.system if each.text]
            found.append(self._said(self._system_role, _joined(parts, self._ends)))
        for turn in turns_of(outgoing.messages, fitting, _CALL_IDS, self._notes):
            found += self._written(turn)
        if not found and not self._is_recorded:
            self._notes.changed("start_added", "messages", text=CONVERSATION_START)
            found.append({"role": "user", "content": CONVERSATION_START})
        return found

    def _system(self, message: SystemMessage) -> Json:
        blocks = [joined({"type": "text", "text": block.text}, block.extra) for block in message.blocks]
        content = blocks if message.is_list else message.text
        return joined({"role": self._role(message.extra), "content": content}, message.extra or {})

    def _role(self, extra: Mapping[str, Any] | None) -> str:
        """The role of a system message: as it came, else as the model calls it."""
        return self._system_role if extra is None else str(extra.get("role", "system"))

    def _written(self, turn: WireTurn) -> list[Json]:
        if turn.role is Role.TOOL:
            return [self._result(each) for each in turn.parts]
        if turn.role is Role.ASSISTANT:
            message = self._reply(turn)
        else:
            role = self._role(turn.extra) if turn.role is Role.SYSTEM else "user"
            message = self._said(role, turn.parts, turn.extra)
        return [joined(self._named(message, turn), turn.extra or {})]

    def _said(
        self, role: str, parts: tuple[SourcedPart, ...], extra: Mapping[str, Any] | None = None
    ) -> Json:
        return {"role": role, "content": self._content(parts, extra)}

    def _content(
        self, parts: tuple[SourcedPart, ...], extra: Mapping[str, Any] | None = None
    ) -> str | list[Json]:
        if len(parts) == 1 and (extra is None or extra.get(AS_TEXT) == "content"):
            only = parts[0]
            if isinstance(only.part, TextPart) and only.piece_id not in self._ends:
                return only.part.text
        last = {each.piece_id: index for index, each in enumerate(parts)}
        written = []
        for index, each in enumerate(parts):
            block = _block(each)
            if each.piece_id in self._ends and last[each.piece_id] == index:
                block["prompt_cache_breakpoint"] = {"mode": "explicit"}
            written.append(block)
        return written

    def _reply(self, turn: WireTurn) -> Json:
        texts = tuple(each for each in turn.parts if not isinstance(each.part, ToolCallPart))
        calls = [each for each in turn.parts if isinstance(each.part, ToolCallPart)]
        if calls and texts and isinstance(turn.parts[: len(texts)][-1].part, ToolCallPart):
            self._notes.changed("text_before_calls", turn.first_piece)
        message: Json = {"role": "assistant"}
        if texts:
            message["content"] = self._content(texts, turn.extra)
        written = [(each, self._call(each, each.part)) for each in calls]
        if tool_calls := [call for each, call in written if _OLDER_CALL not in each.extra]:
            message["tool_calls"] = tool_calls
        for each, call in written:
            if _OLDER_CALL in each.extra:
                message[_OLDER_CALL] = joined(call["function"], each.extra[_OLDER_CALL])
        return message

    def _call(self, each: SourcedPart, part: Part) -> Json:
        if not isinstance(part, ToolCallPart):
            raise TypeError(type(part).__name__)
        name = self._tools.name(part.name, each.piece_id, is_recorded=each.is_recorded)
        if not each.is_recorded:
            said = part.arguments.strip() or "{}"
            return {"id": part.id, "type": "function", "function": {"name": name, "arguments": said}}
        if CUSTOM in each.extra:
            return joined({"id": part.id, CUSTOM: {"name": name, "input": part.arguments}}, each.extra)
        function = {"name": name, "arguments": part.arguments}
        return joined({"id": part.id, "function": function}, each.extra)

    def _result(self, each: SourcedPart) -> Json:
        part = each.part
        if not isinstance(part, ToolResultPart):
            raise TypeError(type(part).__name__)
        if part.is_error and each.piece_id:
            self._notes.changed("error_flag_not_sent", each.piece_id, call=part.call_id)
        content: str | list[Json] = part.content
        if each.within or (each.is_recorded and each.extra.get(AS_TEXT) != "content"):
            first = [{"type": "text", "text": part.content}] if part.content else []
            content = [*first, *map(_block, each.within)]
        elif each.piece_id in self._ends and part.content:
            content = [
                {"type": "text", "text": part.content, "prompt_cache_breakpoint": {"mode": "explicit"}}
            ]
            # One mark for one end, also where a message has several results.
            self._ends.discard(each.piece_id)
        if each.extra.get("role") == "function":
            return joined({"role": "function", "name": part.call_id, "content": content}, each.extra)
        return joined({"role": "tool", "tool_call_id": part.call_id, "content": content}, each.extra)

    def _named(self, message: Json, turn: WireTurn) -> Json:
        if not turn.name:
            return message
        name = turn.name if turn.is_recorded else _SPEAKERS.legal(turn.name)
        if name != turn.name:
            self._notes.changed("name_changed", turn.first_piece, name=turn.name, new=name)
        return {**message, "name": name}

    def _tell_ends(self, messages: list[Json]) -> None:
        if not self._marks:
            return
        marked = sum(
            "prompt_cache_breakpoint" in block
            for message in messages
            if isinstance(message.get("content"), list)
            for block in message["content"]
        )
        if marked < len(self._outgoing.cache_ends):
            missing = len(self._outgoing.cache_ends) - marked
            self._notes.lost("cache_ends_lost", "request", count=missing)


def _joined(parts: list[SourcedPart], ends: set[str]) -> tuple[SourcedPart, ...]:
    """The system's texts, joined up to the next end of a cached prefix."""
    found: list[SourcedPart] = []
    texts: list[str] = []
    for index, each in enumerate(parts):
        if isinstance(each.part, TextPart):
            texts.append(each.part.text)
        is_last = index == len(parts) - 1
        ends_here = each.piece_id in ends and (is_last or parts[index + 1].piece_id != each.piece_id)
        if ends_here or is_last:
            found.append(SourcedPart(each.piece_id, TextPart("".join(texts))))
            texts = []
    return tuple(found)


def _takes_picture(found: ImageData) -> bool:
    return found.address.startswith("http") if found.address else found.media_type in _IMAGES


def _block(each: SourcedPart) -> Json:
    part = each.part
    if isinstance(part, TextPart):
        kind = "refusal" if each.extra.get("type") == "refusal" else "text"
        return joined({"type": kind, kind: part.text}, each.extra)
    if isinstance(part, ProviderPart):
        return as_sent(part)
    if not isinstance(part, ImagePart):
        raise TypeError(type(part).__name__)
    address = part.data if each.is_recorded else image_as_it_came(part).data_address
    if each.extra.get(AS_TEXT) == "image_url":
        return joined({"type": "image_url", "image_url": address}, each.extra)
    return joined({"type": "image_url", "image_url": {"url": address}}, each.extra)
