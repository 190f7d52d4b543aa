"""The provider adapter for Ollama's chat API."""

from __future__ import annotations

import re
from typing import Any

from inspector.domain.messages import ImagePart, Role, TextPart, ThinkingPart, ToolCallPart, ToolResultPart
from inspector.domain.wire.fitting import PartRules, Thought
from inspector.domain.wire.images import ImageData, image_as_it_came
from inspector.domain.wire.naming import NameRule
from inspector.domain.wire.objects import arguments_of, joined
from inspector.domain.wire.offered import OfferedTools
from inspector.domain.wire.parameters import has_extra_body, parameters_for, reply_limit, with_extra_body
from inspector.domain.wire.system import recorded_system
from inspector.domain.wire.turns import SourcedPart, WireTurn, turns_of
from inspector.domain.wire.values import (
    CONVERSATION_START,
    Adaptations,
    EndpointAddress,
    Outgoing,
    WireForm,
    WireMessage,
    WireRequest,
)

Json = dict[str, Any]

ADDRESS = EndpointAddress("http://127.0.0.1:11434", "/api/chat")

_TOOL_NAMES = NameRule(re.compile(r"[\x00-\x20\x7f]"), 256, fallback="tool")
_PARAMETERS = {
    name: name
    for name in ("temperature", "top_p", "top_k", "seed", "frequency_penalty", "presence_penalty", "stop")
} | {"reasoning_effort": "think"}
_EFFORTS = frozenset({"low", "medium", "high"})


def to_wire(outgoing: Outgoing) -> WireRequest:
    """The Request as a body for ``POST /api/chat``.

    The window is asked for by name: by default the server takes a smaller one and leaves out what does not fit.
    """
    return _Writing(outgoing).write()


class _Writing:
    def __init__(self, outgoing: Outgoing) -> None:
        self._outgoing = outgoing
        self._notes = Adaptations()
        self._tools = OfferedTools(outgoing, WireForm.OLLAMA, _TOOL_NAMES, self._notes)
        self._called: dict[str, str] = {}

    def write(self) -> WireRequest:
        outgoing = self._outgoing
        is_recorded = has_extra_body(outgoing, WireForm.OLLAMA)
        body: Json = {"model": outgoing.model, "messages": self._messages()}
        if not is_recorded:
            body["stream"] = False
        if tools := self._definitions():
            body["tools"] = tools
        options = parameters_for(outgoing, _PARAMETERS, self._notes)
        effort = options.pop("think", None)
        if effort in _EFFORTS:
            body["think"] = effort
        elif effort is not None:
            self._notes.lost("parameter_not_taken", "agent", name="reasoning_effort")
        # A recorded request asks for the window itself, or for the server's own.
        limits = {} if is_recorded else {"num_ctx": outgoing.limits.max_tokens}
        if limit := reply_limit(outgoing, self._notes):
            limits["num_predict"] = limit
        if asked := {**limits, **options}:
            body["options"] = asked
        body = with_extra_body(body, WireForm.OLLAMA, outgoing, self._notes)
        return WireRequest(WireForm.OLLAMA, body, ADDRESS, self._notes.problems, self._tools.renamed)

    def _definitions(self) -> list[Json]:
        found: list[Json] = []
        for tool in self._tools.all():
            function = tool.definition({"name": tool.name}, "parameters")
            if not tool.is_recorded:
                function["description"] = tool.description
            found.append(joined({"type": "function", "function": function}, tool.extra_body))
        return found

    def _messages(self) -> list[Json]:
        outgoing = self._outgoing
        fitting = PartRules(
            WireForm.OLLAMA, _takes_thought, _takes_picture, True, not outgoing.can("no_vision"), self._notes
        )
        found: list[Json] = []
        if recorded := recorded_system(outgoing, WireForm.OLLAMA, self._notes):
            found += [
                joined({"role": "system", "content": message.text}, message.extra or {})
                for message in recorded
            ]
        elif outgoing.system_text:
            found.append({"role": "system", "content": outgoing.system_text})
        for turn in turns_of(outgoing.messages, fitting, None, self._notes):
            if turn.name:
                self._notes.changed("name_not_sent", turn.first_piece, name=turn.name)
            found += self._written(turn)
        if not found:
            self._notes.changed("start_added", "messages", text=CONVERSATION_START)
            found.append({"role": "user", "content": CONVERSATION_START})
        return found

    def _written(self, turn: WireTurn) -> list[Json]:
        if turn.role is Role.TOOL:
            return [self._result(each) for each in turn.parts]
        texts = [each.part.text for each in turn.parts if isinstance(each.part, TextPart)]
        if len(texts) > 1:
            self._notes.changed("texts_joined", turn.first_piece)
        message: Json = {"role": turn.role.value}
        if texts or turn.extra is None:
            message["content"] = "\n".join(texts)
        if turn.role is Role.ASSISTANT:
            message |= self._reply(turn)
        images = [each.part for each in turn.parts if isinstance(each.part, ImagePart)]
        if images:
            message["images"] = [_image(image, is_recorded=turn.is_recorded) for image in images]
        return [joined(message, turn.extra or {})]

    def _reply(self, turn: WireTurn) -> Json:
        found: Json = {}
        thoughts = [each.part.text for each in turn.parts if isinstance(each.part, ThinkingPart)]
        if thoughts:
            found["thinking"] = "\n".join(thoughts)
        calls = [self._call(each, each.part) for each in turn.parts if isinstance(each.part, ToolCallPart)]
        if calls:
            found["tool_calls"] = calls
        return found

    def _call(self, each: SourcedPart, call: ToolCallPart) -> Json:
        arguments = arguments_of(call.arguments)
        if arguments is None:
            self._notes.changed("arguments_wrapped", each.piece_id, call=call.id)
            arguments = {"arguments": call.arguments}
        name = self._tools.name(call.name, each.piece_id, is_recorded=each.is_recorded)
        self._called[call.id] = name
        return joined({"function": {"name": name, "arguments": arguments}}, each.extra)

    def _result(self, each: SourcedPart) -> Json:
        part = each.part
        if not isinstance(part, ToolResultPart):
            raise TypeError(type(part).__name__)
        if part.is_error and each.piece_id:
            self._notes.changed("error_flag_not_sent", each.piece_id, call=part.call_id)
        named = {} if each.is_recorded else {"tool_name": self._called[part.call_id]}
        written: Json = {"role": "tool", **named, "content": part.content}
        images = [inner.part for inner in each.within if isinstance(inner.part, ImagePart)]
        if images:
            written["images"] = [_image(image, is_recorded=True) for image in images]
        return joined(written, each.extra)


def _image(part: ImagePart, *, is_recorded: bool) -> str:
    return part.data if is_recorded else image_as_it_came(part).data


def _takes_thought(said: WireMessage, part: Thought) -> bool:
    return isinstance(part, ThinkingPart) and bool(part.text)


def _takes_picture(found: ImageData) -> bool:
    return bool(found.data)
