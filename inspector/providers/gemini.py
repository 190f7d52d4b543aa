"""The provider adapter for Google's Gemini API (generateContent)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

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
from inspector.domain.wire.images import ImageData, sure_picture
from inspector.domain.wire.naming import NameRule
from inspector.domain.wire.objects import arguments_of, as_sent
from inspector.domain.wire.offered import OfferedTools
from inspector.domain.wire.parameters import has_extra_body, parameters_for, reply_limit, with_extra_body
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
_SCHEMA_KEYS = ("parametersJsonSchema", "parameters_json_schema", "parameters")
_MADE_UP = re.compile(r"call_\d+")
"""Ids that an import gives to calls without one."""
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
        self._is_recorded = has_extra_body(outgoing, WireForm.GEMINI)

    def write(self) -> WireRequest:
        outgoing = self._outgoing
        body: Json = {}
        if outgoing.system_text:
            body["systemInstruction"] = {"parts": [{"text": outgoing.system_text}]}
        if tools := self._definitions():
            body["tools"] = [{"functionDeclarations": tools}]
        body["contents"] = self._contents()
        given = parameters_for(outgoing, _PARAMETERS, self._notes)
        if limit := reply_limit(outgoing):
            given = {"maxOutputTokens": limit, **given}
        if given:
            body["generationConfig"] = given
        body = with_extra_body(body, WireForm.GEMINI, outgoing, self._notes)
        renamed = self._tools.renamed
        return WireRequest(WireForm.GEMINI, body, _address(outgoing.model), self._notes.problems, renamed)

    def _definitions(self) -> list[Json]:
        found: list[Json] = []
        for tool in self._tools.all():
            written: Json = {"name": tool.name}
            if tool.description:
                written["description"] = tool.description
            if tool.schema.get("properties") or len(tool.schema) > len(("type", "properties")):
                written[_schema_key(tool.extra_body)] = tool.schema
            rest = {key: value for key, value in tool.extra_body.items() if key not in _SCHEMA_KEYS}
            found.append({**written, **rest})
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
        if turn.role is not Role.SYSTEM:
            return turn
        self._notes.changed("system_as_user", turn.first_piece)
        return WireTurn(Role.USER, turn.parts)

    def _says_something(self, turn: WireTurn) -> bool:
        """Whether it is more than signatures: those have no content of their own."""
        if any(not isinstance(each.part, ThinkingPart) or each.part.text for each in turn.parts):
            return True
        self._notes.lost("thinking_not_sent", turn.first_piece)
        return False

    def _with_ends(self, turns: list[WireTurn]) -> list[WireTurn]:
        if not turns or turns[0].role is Role.ASSISTANT:
            turns.insert(0, _added(CONVERSATION_START))
            self._notes.changed("start_added", "messages", text=CONVERSATION_START)
        if turns[-1].role is Role.ASSISTANT:
            turns.append(_added(CONVERSATION_GOES_ON))
            self._notes.changed("end_added", "messages", text=CONVERSATION_GOES_ON)
        return turns

    def _content(self, turn: WireTurn, *, is_current: bool) -> Json:
        if turn.role is Role.ASSISTANT:
            return {"role": "model", "parts": self._model_parts(turn, is_current=is_current)}
        # Results come before everything else of their content.
        ordered = sorted(turn.parts, key=lambda each: not isinstance(each.part, ToolResultPart))
        return {"role": "user", "parts": [self._user_part(each) for each in ordered]}

    def _model_parts(self, turn: WireTurn, *, is_current: bool) -> list[Json]:
        """The parts of a model's content. A thought's signature goes onto the part behind it."""
        found: list[Json] = []
        signature: str | None = None
        for each in turn.parts:
            part = each.part
            if isinstance(part, ThinkingPart):
                if part.text:
                    found.append({"text": part.text, "thought": True})
                signature = part.signature or signature
                continue
            written = self._call(each.piece_id, part) if isinstance(part, ToolCallPart) else _said(part)
            if signature is not None:
                written["thoughtSignature"] = signature
                signature = None
            found.append(written)
        if signature is not None and found:
            found[-1].setdefault("thoughtSignature", signature)
        if is_current:
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

    def _call(self, where: str, call: ToolCallPart) -> Json:
        arguments = arguments_of(call.arguments)
        if arguments is None:
            self._notes.changed("arguments_wrapped", where, call=call.id)
            arguments = {"arguments": call.arguments}
        name = self._tools.name(call.name, where)
        self._called[call.id] = name
        return {"functionCall": {**self._id(call.id), "name": name, "args": arguments}}

    def _id(self, call_id: str) -> Json:
        """The id of a call where the request was recorded with it."""
        own = self._is_recorded and not _MADE_UP.fullmatch(call_id)
        return {"id": call_id} if own else {}

    def _user_part(self, each: SourcedPart) -> Json:
        part = each.part
        if isinstance(part, ToolResultPart):
            name = self._called[part.call_id]
            answer = arguments_of(part.content) if self._is_recorded and part.content[:1] == "{" else None
            if answer is None:
                answer = {"error" if part.is_error else "output": part.content}
            return {"functionResponse": {**self._id(part.call_id), "name": name, "response": answer}}
        return _said(part)


def _schema_key(extra_body: Mapping[str, Any]) -> str:
    return next((key for key in _SCHEMA_KEYS if key in extra_body), _SCHEMA_KEYS[0])


def _address(model: str) -> EndpointAddress:
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


def _said(part: Part) -> Json:
    if isinstance(part, TextPart):
        return {"text": part.text}
    if isinstance(part, ProviderPart):
        return as_sent(part)
    if not isinstance(part, ImagePart):
        raise TypeError(type(part).__name__)
    found = sure_picture(part)
    if found.address:
        return {"fileData": {"mimeType": found.media_type, "fileUri": found.address}}
    return {"inlineData": {"mimeType": found.media_type, "data": found.data}}
