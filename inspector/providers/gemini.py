"""The provider adapter for Google's Gemini API (generateContent)."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from inspector.domain.messages import (
    ImagePart,
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
from inspector.domain.wire.objects import AS_OBJECT, arguments_of, as_sent, joined, respelled
from inspector.domain.wire.offered import OfferedTools
from inspector.domain.wire.parameters import parameters_for, reply_limit, with_extra_body
from inspector.domain.wire.system import SystemMessage, recorded_system
from inspector.domain.wire.turns import SourcedPart, WireTurn, merged, turns_of
from inspector.domain.wire.values import (
    CONVERSATION_GOES_ON,
    CONVERSATION_START,
    Adaptations,
    EndpointAddress,
    Outgoing,
    WireForm,
    WireMessage,
    WireRequest,
)

Json = dict[str, Any]

UNSIGNED = "skip_thought_signature_validator"
"""What the provider takes in place of a call's signature where the call was not made by the model that is asked."""

_TOOL_NAMES = NameRule(re.compile(r"[^A-Za-z0-9_.:-]"), 64, first=re.compile(r"[A-Za-z_]"), fallback="tool")
_IMAGES = frozenset({"image/jpeg", "image/png", "image/webp", "image/heic", "image/heif"})
_PARAMETERS = {
    "temperature": "temperature",
    "top_p": "topP",
    "top_k": "topK",
    "seed": "seed",
    "frequency_penalty": "frequencyPenalty",
    "presence_penalty": "presencePenalty",
    "stop": "stopSequences",
}
_SIGNATURE = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
"""Base 64, in either of its spellings."""
_SCHEMA = "parametersJsonSchema"
_DECLARATIONS = "functionDeclarations"
_GENERATION = re.compile(r"gemini-(\d+)")
_SIGNED_SINCE = 3


def to_wire(outgoing: Outgoing) -> WireRequest:
    """The Request as a body for ``POST /v1beta/models/MODEL:generateContent``."""
    return _Writing(outgoing).write()


class _Writing:
    def __init__(self, outgoing: Outgoing) -> None:
        self._outgoing = outgoing
        self._notes = Adaptations()
        self._tools = OfferedTools(outgoing, WireForm.GEMINI, _TOOL_NAMES, self._notes)
        self._called: dict[str, str] = {}

    def write(self) -> WireRequest:
        outgoing = self._outgoing
        body: Json = {}
        if recorded := recorded_system(outgoing, WireForm.GEMINI, self._notes):
            body["systemInstruction"] = _recorded_system(recorded)
        elif outgoing.system_text:
            body["systemInstruction"] = {"parts": [{"text": outgoing.system_text}]}
        tools = self._definitions()
        body["contents"] = self._contents()
        given = parameters_for(outgoing, _PARAMETERS, self._notes)
        if limit := reply_limit(outgoing, self._notes):
            given = {"maxOutputTokens": limit, **given}
        if given:
            body["generationConfig"] = given
        body = with_extra_body(body, WireForm.GEMINI, outgoing, self._notes)
        if declared := _in_recorded_groups(tools, body.get("tools", [])):
            body["tools"] = declared
        renamed = self._tools.renamed
        return WireRequest(WireForm.GEMINI, body, address_of(outgoing.model), self._notes.problems, renamed)

    def _definitions(self) -> list[Json]:
        found: list[Json] = []
        for tool in self._tools.all():
            written = tool.definition({"name": tool.name}, _SCHEMA)
            if not tool.is_recorded and tool.schema == {"type": "object", "properties": {}}:
                del written[_SCHEMA]
            found.append(respelled(joined(written, tool.extra_body), tool.extra_body))
        return found

    def _contents(self) -> list[Json]:
        outgoing = self._outgoing
        fitting = PartRules(
            WireForm.GEMINI, _takes_thought, _takes_picture, True, not outgoing.can("no_vision"), self._notes
        )
        turns = [self._as_user(turn) for turn in turns_of(outgoing.messages, fitting, None, self._notes)]
        sides = dict.fromkeys(Role, "user") | {Role.ASSISTANT: "model"}
        turns = [turn for turn in merged(turns, self._notes, sides) if self._says_something(turn)]
        turns = self._with_ends(merged(turns, self._notes, sides))
        current = max(
            (index for index, turn in enumerate(turns) if _is_asking(turn)),
            default=0,
        )
        return [self._content(turn, is_current=index > current) for index, turn in enumerate(turns)]

    def _as_user(self, turn: WireTurn) -> WireTurn:
        if turn.name:
            self._notes.changed("name_not_sent", turn.first_piece, name=turn.name)
        if turn.role is not Role.SYSTEM or turn.is_recorded:
            return turn
        self._notes.changed("system_as_user", turn.first_piece)
        return WireTurn(Role.USER, turn.parts)

    def _says_something(self, turn: WireTurn) -> bool:
        """Whether it is more than signatures: those have no content of their own."""
        if turn.is_recorded or any(
            not isinstance(each.part, ThinkingPart) or each.part.text for each in turn.parts
        ):
            return True
        self._notes.lost("thinking_not_sent", turn.first_piece)
        return False

    def _with_ends(self, turns: list[WireTurn]) -> list[WireTurn]:
        if not turns or (turns[0].role is Role.ASSISTANT and not turns[0].is_recorded):
            turns.insert(0, _added(CONVERSATION_START))
            self._notes.changed("start_added", "messages", text=CONVERSATION_START)
        if turns[-1].role is Role.ASSISTANT and not turns[-1].is_recorded:
            turns.append(_added(CONVERSATION_GOES_ON))
            self._notes.changed("end_added", "messages", text=CONVERSATION_GOES_ON)
        return turns

    def _content(self, turn: WireTurn, *, is_current: bool) -> Json:
        if turn.role is Role.ASSISTANT:
            parts = self._model_parts(turn, is_current=is_current)
            return self._said("model", parts, turn)
        ordered = turn.parts
        if not turn.is_recorded:
            # Results come before everything else of their content.
            ordered = tuple(sorted(ordered, key=lambda each: not isinstance(each.part, ToolResultPart)))
        return self._said("user", [self._user_part(each) for each in ordered], turn)

    def _said(self, role: str, parts: list[Json], turn: WireTurn) -> Json:
        if turn.extra is None:
            return {"role": role, "parts": parts}
        return joined({"parts": parts}, turn.extra)

    def _model_parts(self, turn: WireTurn, *, is_current: bool) -> list[Json]:
        """The parts of a model's content. A thought's signature goes onto the part behind it."""
        found: list[Json] = []
        signature: str | None = None
        for each in turn.parts:
            part = each.part
            if isinstance(part, ThinkingPart) and each.is_recorded and (part.text or "text" in each.extra):
                signed = {} if part.signature is None else {"thoughtSignature": part.signature}
                found.append(_as_it_came({"text": part.text, "thought": True, **signed}, each))
                continue
            if isinstance(part, ThinkingPart):
                if part.text:
                    found.append({"text": part.text, "thought": True})
                signature = part.signature or signature
                continue
            written = self._call(each, part) if isinstance(part, ToolCallPart) else _said(each)
            if signature is not None:
                written["thoughtSignature"] = signature
                signature = None
            found.append(_as_it_came(written, each))
        if signature is not None and found:
            found[-1].setdefault("thoughtSignature", signature)
        if is_current and not turn.is_recorded:
            self._sign(turn, found)
        return found

    def _sign(self, turn: WireTurn, parts: list[Json]) -> None:
        """In the turn under way the first call of every step has a signature, from the third generation on."""
        generation = _GENERATION.search(self._outgoing.model)
        if generation is None or int(generation[1]) < _SIGNED_SINCE:
            return
        first = next((part for part in parts if "functionCall" in part), None)
        if first is not None and "thoughtSignature" not in first:
            first["thoughtSignature"] = UNSIGNED
            self._notes.changed("signature_stand_in", turn.first_piece)

    def _call(self, each: SourcedPart, call: ToolCallPart) -> Json:
        arguments = arguments_of(call.arguments)
        if arguments is None:
            self._notes.changed("arguments_wrapped", each.piece_id, call=call.id)
            arguments = {"arguments": call.arguments}
        name = self._tools.name(call.name, each.piece_id, is_recorded=each.is_recorded)
        self._called[call.id] = name
        # A recorded call has no arguments if it had none.
        given = {"args": arguments} if arguments or not each.is_recorded else {}
        return {"functionCall": {"name": name, **given}}

    def _user_part(self, each: SourcedPart) -> Json:
        part = each.part
        if not isinstance(part, ToolResultPart):
            return _as_it_came(_said(each), each)
        inner = each.extra.get("functionResponse", {})
        came_as_object = isinstance(inner, dict) and inner.get(AS_OBJECT) == "response"
        answer = arguments_of(part.content) if came_as_object else None
        if answer is None:
            answer = {"error" if part.is_error else "output": part.content}
        name = self._called.get(part.call_id)
        named = {} if name is None else {"name": name}
        response = {"response": answer} if answer or not each.is_recorded else {}
        return _as_it_came({"functionResponse": {**named, **response}}, each)


def _as_it_came(written: Json, each: SourcedPart) -> Json:
    return respelled(joined(written, each.extra), each.extra)


def _recorded_system(recorded: list[SystemMessage]) -> str | Json:
    parts = [joined({"text": block.text}, block.extra) for message in recorded for block in message.blocks]
    if len(recorded) == 1 and not recorded[0].is_list:
        return recorded[0].text
    return joined({"parts": parts}, recorded[0].extra or {})


def _in_recorded_groups(own: list[Json], recorded: list[Any]) -> list[Any]:
    """The tools in the groups that they were recorded in; others are a group of their own."""
    waiting = {str(tool.get("name")): tool for tool in own}
    found = [_group(each, waiting) for each in recorded if isinstance(each, dict)]
    if waiting:
        found.append({_DECLARATIONS: [*waiting.values()]})
    return [each for each in found if each]


def _group(recorded: Json, waiting: dict[str, Json]) -> Json:
    group = joined({}, recorded)
    names = group.get(_DECLARATIONS)
    if names and isinstance(names, list):
        group[_DECLARATIONS] = [waiting.pop(name) for name in names if name in waiting]
        if not group[_DECLARATIONS]:
            del group[_DECLARATIONS]
    return respelled(group, recorded)


def address_of(model: str) -> EndpointAddress:
    """Where a model's body is posted: its name stands in the path."""
    name = quote(model.removeprefix("models/"), safe="")
    return EndpointAddress(
        "https://generativelanguage.googleapis.com",
        f"/v1beta/models/{name}:generateContent",
        key_header="x-goog-api-key",
        key_variable="GEMINI_API_KEY",
    )


def _is_asking(turn: WireTurn) -> bool:
    return turn.role is not Role.ASSISTANT and any(
        not isinstance(each.part, ToolResultPart) for each in turn.parts
    )


def _added(text: str) -> WireTurn:
    return WireTurn(Role.USER, (SourcedPart("", TextPart(text)),))


def _takes_thought(said: WireMessage, part: Thought) -> bool:
    if said.origin not in (None, WireForm.GEMINI.value) or isinstance(part, RedactedThinkingPart):
        return False
    return bool(part.text) if not part.signature else bool(_SIGNATURE.fullmatch(part.signature))


def _takes_picture(found: ImageData) -> bool:
    return bool(found.address) or found.media_type in _IMAGES


def _said(each: SourcedPart) -> Json:
    part = each.part
    if isinstance(part, TextPart):
        return {"text": part.text}
    if isinstance(part, ProviderPart):
        return as_sent(part)
    if not isinstance(part, ImagePart):
        raise TypeError(type(part).__name__)
    found = image_as_it_came(part)
    if "fileData" in each.extra or (found.address and "inlineData" not in each.extra):
        return {"fileData": {"mimeType": found.media_type, "fileUri": found.address or part.data}}
    data = part.data if each.is_recorded else found.data
    return {"inlineData": {"mimeType": found.media_type, "data": data}}
