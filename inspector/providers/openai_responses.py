"""The provider adapter for OpenAI's Responses API."""

from __future__ import annotations

import json
import re
from typing import Any

from inspector.domain.messages import (
    ImagePart,
    ProviderPart,
    RedactedThinkingPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from inspector.domain.wire.fitting import PartRules, Thought
from inspector.domain.wire.images import ImageData, image_as_it_came
from inspector.domain.wire.naming import NameRule
from inspector.domain.wire.objects import AROUND, AS_TEXT, as_sent, joined
from inspector.domain.wire.offered import OfferedTools
from inspector.domain.wire.parameters import (
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
    WireMessage,
    WireRequest,
)

Json = dict[str, Any]

ADDRESS = EndpointAddress(
    "https://api.openai.com",
    "/v1/responses",
    key_header="Authorization",
    key_prefix="Bearer ",
    key_variable="OPENAI_API_KEY",
)
MOST_CACHE_ENDS = 3
LEAST_REPLY = 16
"""A shorter limit for the reply is refused."""

_TOOL_NAMES = NameRule(re.compile(r"[^A-Za-z0-9_-]"), 64, fallback="tool")
_CALL_IDS = NameRule(re.compile(r"[^\x21-\x7e]"), 64, fallback="call")
_IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
_PARAMETERS = {"temperature": "temperature", "top_p": "top_p", "reasoning_effort": "effort"}


def to_wire(outgoing: Outgoing) -> WireRequest:
    """The Request as a body for ``POST /v1/responses``; nothing is to be stored at the provider's."""
    return _Writing(outgoing).write()


class _Writing:
    def __init__(self, outgoing: Outgoing) -> None:
        self._outgoing = outgoing
        self._notes = Adaptations()
        self._tools = OfferedTools(outgoing, WireForm.OPENAI_RESPONSES, _TOOL_NAMES, self._notes)
        self._is_recorded = has_extra_body(outgoing, WireForm.OPENAI_RESPONSES)
        self._marks = outgoing.can("prompt_cache_breakpoint")
        self._ends = {end.piece_id for end in outgoing.cache_ends[:MOST_CACHE_ENDS]} if self._marks else set()
        self._marked: set[str] = set()

    def write(self) -> WireRequest:
        outgoing = self._outgoing
        body: Json = {"model": outgoing.model}
        if not self._is_recorded:
            body["store"] = False
        if limit := reply_limit(outgoing, self._notes, LEAST_REPLY):
            body["max_output_tokens"] = limit
        given = parameters_for(outgoing, _PARAMETERS, self._notes)
        if effort := given.pop("effort", None):
            body["reasoning"] = {"effort": effort}
        body.update(given)
        if tools := self._definitions():
            body["tools"] = tools
        self._input(body)
        if self._marks and len(self._marked) < len(outgoing.cache_ends):
            missing = len(outgoing.cache_ends) - len(self._marked)
            self._notes.lost("cache_ends_lost", "request", count=missing)
        renamed = self._tools.renamed
        body = with_extra_body(body, WireForm.OPENAI_RESPONSES, outgoing, self._notes)
        return WireRequest(WireForm.OPENAI_RESPONSES, body, ADDRESS, self._notes.problems, renamed)

    def _input(self, body: Json) -> None:
        """The system text and the items of the conversation."""
        outgoing = self._outgoing
        items = self._items()
        body["input"] = items
        in_items = bool(self._ends & {segment.piece_id for segment in outgoing.system})
        if recorded := recorded_system(outgoing, WireForm.OPENAI_RESPONSES, self._notes):
            self._system(body, items, recorded)
        elif outgoing.system_text and in_items:
            # Only an item has places where a cached prefix can end.
            items.insert(0, self._system_item())
        elif outgoing.system_text:
            body["instructions"] = outgoing.system_text
        if not items and not self._is_recorded:
            self._notes.changed("start_added", "messages", text=CONVERSATION_START)
            items.append(_said("user", [{"type": "input_text", "text": CONVERSATION_START}]))
        if extra_body(outgoing, WireForm.OPENAI_RESPONSES).get(AS_TEXT) == "input" and _is_plain(items):
            body["input"] = items[0]["content"]

    def _definitions(self) -> list[Json]:
        found: list[Json] = []
        for tool in self._tools.all():
            written = tool.definition({"type": "function", "name": tool.name}, "parameters")
            loose = {} if tool.is_recorded else {"strict": False}
            found.append(joined({**written, **loose}, tool.extra_body))
        return found

    def _system(self, body: Json, items: list[Json], recorded: list[SystemMessage]) -> None:
        """System text in the field or the items that it came in."""
        leading: list[Json] = []
        for message in recorded:
            extra = message.extra
            if extra is not None and "role" not in extra:
                body["instructions"] = message.text
                continue
            blocks = [
                joined({"type": "input_text", "text": block.text}, block.extra) for block in message.blocks
            ]
            if extra is None:
                leading.append(_said("developer", blocks))
            else:
                leading.append(joined({"content": blocks if message.is_list else message.text}, extra))
        items[:0] = leading

    def _system_item(self) -> Json:
        content: list[Json] = []
        texts: list[str] = []
        segments = self._outgoing.system
        for index, segment in enumerate(segments):
            texts.append(segment.text)
            is_last = index == len(segments) - 1
            ends_here = segment.piece_id in self._ends and (
                is_last or segments[index + 1].piece_id != segment.piece_id
            )
            if ends_here or is_last:
                content.append(self._marked_text(segment.piece_id, "".join(texts), ends_here=ends_here))
                texts = []
        return _said("developer", [block for block in content if block["text"]])

    def _marked_text(self, piece_id: str, text: str, *, ends_here: bool) -> Json:
        block: Json = {"type": "input_text", "text": text}
        if ends_here and text:
            block["prompt_cache_breakpoint"] = {"mode": "explicit"}
            self._marked.add(piece_id)
        return block

    def _items(self) -> list[Json]:
        outgoing = self._outgoing
        fitting = PartRules(
            WireForm.OPENAI_RESPONSES,
            _takes_thought,
            _takes_picture,
            True,
            not outgoing.can("no_vision"),
            self._notes,
            nests=True,
        )
        found: list[Json] = []
        for turn in turns_of(outgoing.messages, fitting, _CALL_IDS, self._notes):
            if turn.name:
                self._notes.changed("name_not_sent", turn.first_piece, name=turn.name)
            if turn.role is Role.ASSISTANT:
                found += self._reply(turn)
            elif turn.role is Role.TOOL:
                found += [self._result(each) for each in turn.parts]
            else:
                found.append(self._message(turn))
        return found

    def _message(self, turn: WireTurn) -> Json:
        content = self._content(turn.parts)
        if turn.extra is None:
            return _said("developer" if turn.role is Role.SYSTEM else "user", content)
        if turn.extra.get(AS_TEXT) == "content" and len(content) == 1:
            return joined({"content": content[0].get("text")}, turn.extra)
        return joined({"content": content}, turn.extra)

    def _content(self, parts: tuple[SourcedPart, ...]) -> list[Json]:
        last = {each.piece_id: index for index, each in enumerate(parts)}
        found = []
        for index, each in enumerate(parts):
            block = _block(each)
            if each.piece_id in self._ends and last[each.piece_id] == index:
                block["prompt_cache_breakpoint"] = {"mode": "explicit"}
                self._marked.add(each.piece_id)
            found.append(block)
        return found

    def _reply(self, turn: WireTurn) -> list[Json]:
        found: list[Json] = []
        thoughts: list[tuple[str, Json]] = []
        for each in turn.parts:
            if isinstance(each.part, RedactedThinkingPart):
                thoughts.append((each.piece_id, json.loads(each.part.data)))
                continue
            found += [item for _, item in thoughts]
            thoughts = []
            if isinstance(each.part, TextPart) and each.is_recorded:
                _add_text(found, each)
            else:
                found.append(self._item(each))
        if turn.is_recorded:
            return found + [item for _, item in thoughts]
        for where, _ in thoughts:
            # A thought goes with the item behind it, and there is none.
            self._notes.lost("thinking_not_sent", where)
        return found

    def _item(self, each: SourcedPart) -> Json:
        part = each.part
        if isinstance(part, ToolCallPart):
            return self._call(each, part)
        if isinstance(part, ProviderPart):
            return as_sent(part)
        if not isinstance(part, TextPart):
            raise TypeError(type(part).__name__)
        return {"type": "message", "role": "assistant", "content": part.text}

    def _call(self, each: SourcedPart, part: ToolCallPart) -> Json:
        arguments = part.arguments if each.is_recorded else part.arguments.strip() or "{}"
        name = self._tools.name(part.name, each.piece_id, is_recorded=each.is_recorded)
        written = {"type": "function_call", "call_id": part.id, "name": name, "arguments": arguments}
        return joined(written, each.extra)

    def _result(self, each: SourcedPart) -> Json:
        part = each.part
        if not isinstance(part, ToolResultPart):
            raise TypeError(type(part).__name__)
        if part.is_error and each.piece_id:
            self._notes.changed("error_flag_not_sent", each.piece_id, call=part.call_id)
        output: str | list[Json] = part.content
        if each.within or (each.is_recorded and each.extra.get(AS_TEXT) != "output"):
            first = [{"type": "input_text", "text": part.content}] if part.content else []
            output = [*first, *map(_block, each.within)]
        written = {"type": "function_call_output", "call_id": part.call_id, "output": output}
        return joined(written, each.extra)


def _add_text(items: list[Json], each: SourcedPart) -> None:
    """Add a text of a recorded reply: to the item that it began with, or to the one before it."""
    around = each.extra.get(AROUND)
    if not isinstance(around, dict):
        around = None if items and isinstance(items[-1].get("content"), list) else {"role": "assistant"}
    block = _block(each)
    if around is None:
        items[-1]["content"].append(block)
    elif around.get(AS_TEXT) == "content" or "content" in around:
        items.append(joined({"content": block["text"]}, around))
    else:
        items.append(joined({"content": [block]}, around))


def _takes_thought(said: WireMessage, part: Thought) -> bool:
    """Only a whole reasoning item of this API's own can go back."""
    if said.origin not in (None, "openai") or not isinstance(part, RedactedThinkingPart):
        return False
    if not part.data.startswith("{"):
        return False
    try:
        item = json.loads(part.data)
    except (ValueError, RecursionError):
        return False
    return (
        isinstance(item, dict)
        and item.get("type") == "reasoning"
        and isinstance(item.get("id"), str)
        and isinstance(item.get("summary"), list)
    )


def _takes_picture(found: ImageData) -> bool:
    return found.address.startswith("http") if found.address else found.media_type in _IMAGES


def _is_plain(items: list[Json]) -> bool:
    """Whether the input is one text of the user's and no more."""
    return len(items) == 1 and items[0].keys() == {"role", "content"} and isinstance(items[0]["content"], str)


def _said(role: str, content: list[Json]) -> Json:
    return {"type": "message", "role": role, "content": content}


def _block(each: SourcedPart) -> Json:
    part = each.part
    if isinstance(part, TextPart):
        kind = str(each.extra.get("type", "input_text"))
        return joined({"type": kind, "refusal" if kind == "refusal" else "text": part.text}, each.extra)
    if isinstance(part, ProviderPart):
        return as_sent(part)
    if not isinstance(part, ImagePart):
        raise TypeError(type(part).__name__)
    if each.is_recorded:
        return joined({"type": "input_image", "image_url": part.data}, each.extra)
    found = image_as_it_came(part)
    return {"type": "input_image", "detail": "auto", "image_url": found.data_address}
