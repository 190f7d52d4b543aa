r"""The offline provider: answers from the Request alone, without a network, always the same.

It reads a body of neutral JSON (``model``, ``system``, ``messages``, ``tools``), as `offline_body` makes it, and
streams events of its own form, one JSON object each. By itself it says what it was sent. Lines of the last user's
message that begin with a slash make it do something else, in their order:

- ``/say TEXT`` replies with that text; ``\n`` in it is a new line.
- ``/think TEXT`` thinks that first.
- ``/tool NAME {"json": 1}`` calls a tool, one call a line.
- ``/error 429`` fails with that status before anything is said; a text behind it becomes the server's words.
- ``/break`` fails with an error after what was said so far, as an overloaded server does.
- ``/cut`` ends the stream without an end.
- ``/long 500`` says so many words.
- ``/slow 20`` waits so many milliseconds before each event from there on.
- ``/length`` ends as if the longest reply was reached; ``/refuse`` as a refusal.

What stands behind calls is for the next reply, after their results: each group of lines up to its last call is one
reply. When all are over, it says what it was sent.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from typing import Any

from inspector.domain.messages import Role, TextPart, ToolCallPart
from inspector.domain.replies import StopReason
from inspector.domain.wire.loose_json import number_at, objects_at, text_at
from inspector.domain.wire.reply_parts import ReplyParts
from inspector.domain.wire.values import Outgoing

Json = dict[str, Any]

_CHARACTERS_A_TOKEN = 4
_DELTA = re.compile(r"\S+\s*|\s+")
_MOST_WORDS = 100_000
_MOST_MILLISECONDS = 10_000
_SHOWN = 80
_CALL = "/tool"
_OK = 200
_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_STOPS = {each.value: each for each in StopReason}


def offline_body(outgoing: Outgoing) -> Json:
    """The Request as the offline provider reads it: texts as they are, nothing changed or left out."""
    return {
        "model": outgoing.model,
        "system": outgoing.system_text,
        "messages": [
            {
                "role": message.role.value,
                "text": "\n".join(part.text for part in message.content if isinstance(part, TextPart)),
                "parts": [type(part).__name__ for part in message.content],
            }
            for message in outgoing.messages
        ],
        "tools": [tool.name for tool in outgoing.tools],
    }


class OfflineServer:
    """One answer. Its status is known at once; its events come one after another.

    It charges the input tokens that were predicted: nobody else counts them.
    """

    def __init__(self, body: bytes, tokens: int) -> None:
        self._script = _Script(json.loads(body), tokens)
        self.status = self._script.status
        self.headers: Mapping[str, str] = {"request-id": f"offline_{hashlib.sha256(body).hexdigest()[:12]}"}

    async def body(self) -> bytes:
        """The whole answer of a call that failed, JSON."""
        return self._script.error.encode()

    async def events(self) -> AsyncGenerator[str]:
        """The events, each JSON; where the message asks for it, with waits between them."""
        for event in self._script.events():
            wait = event.pop("after_ms", 0)
            await asyncio.sleep(wait / 1000)
            yield json.dumps(event, ensure_ascii=False)


def read(value: Mapping[str, Any], reply: ReplyParts) -> None:
    """Add one event to the reply."""
    match text_at(value, "type"):
        case "start":
            reply.id = text_at(value, "id")
            reply.charge(input=number_at(value, "input_tokens"))
        case "thinking":
            reply.thinking("thinking", text_at(value, "text"))
        case "text":
            reply.text("text", text_at(value, "text"))
        case "call":
            key = ("call", text_at(value, "id"))
            reply.call(key, text_at(value, "id"), text_at(value, "name"), text_at(value, "arguments"))
        case "error":
            reply.fail(value)
        case "end":
            reply.charge(output=number_at(value, "output_tokens"))
            reply.ends(text_at(value, "stop"), _STOPS)
            reply.finish()


class _Script:
    """What the last user's message asks for, as the events that come of it."""

    def __init__(self, body: Mapping[str, Any], tokens: int) -> None:
        self._body = body
        self._tokens = tokens
        self.status = _OK
        self.error = ""
        self._wait = 0
        self._stop = StopReason.END
        self._said: list[Json] = []
        self._calls = 0
        self._is_over = False
        last, replies, self._calls_before = _last_of_user(body)
        for name, rest in _lines_of_reply(last, replies):
            if not self._is_over:
                _DIRECTIVES[name](self, rest)
        if not self._said:
            self._text(_account(body, last))

    def events(self) -> Iterator[Json]:
        digest = hashlib.sha256(json.dumps(self._body, sort_keys=True).encode()).hexdigest()[:12]
        yield {"type": "start", "id": f"reply_{digest}", "input_tokens": self._tokens}
        said = 0
        for event in self._said:
            said += len(event.get("text", "")) + len(event.get("arguments", ""))
            yield dict(event)
        if not self._is_over:
            stop = StopReason.TOOL_CALLS if self._calls and self._stop is StopReason.END else self._stop
            yield {"type": "end", "stop": stop.value, "output_tokens": _tokens(said)}

    def say(self, rest: str) -> None:
        self._text(rest.replace(r"\n", "\n"))

    def think(self, rest: str) -> None:
        self._deltas("thinking", rest)

    def long(self, rest: str) -> None:
        count = min(_MOST_WORDS, _figure(rest, 100))
        self._text(" ".join(f"word{number}" for number in range(1, count + 1)))

    def tool(self, rest: str) -> None:
        name, _, arguments = rest.partition(" ")
        self._calls += 1
        id_ = f"call_{self._calls_before + self._calls}"
        self._add({"type": "call", "id": id_, "name": name or "tool", "arguments": ""})
        self._add({"type": "call", "id": id_, "name": "", "arguments": arguments.strip() or "{}"})

    def slow(self, rest: str) -> None:
        self._wait = min(_MOST_MILLISECONDS, _figure(rest, 50))

    def refuse(self, _: str) -> None:
        self._stop = StopReason.REFUSAL

    def length(self, _: str) -> None:
        self._stop = StopReason.LENGTH

    def fail(self, rest: str) -> None:
        figure, _, words = rest.partition(" ")
        status = _figure(figure, 500)
        self.status = status if 400 <= status < 600 else 500
        self.error = json.dumps(_error(self.status, words.strip()))

    def break_off(self, rest: str) -> None:
        if not self._said:
            self._text("The beginning of a reply. ")
        self._add(_error(529, rest))
        self._is_over = True

    def cut(self, _: str) -> None:
        if not self._said:
            self._text("The beginning of a reply. ")
        self._is_over = True

    def _text(self, text: str) -> None:
        self._deltas("text", text)

    def _deltas(self, kind: str, text: str) -> None:
        for delta in _DELTA.findall(text):
            self._add({"type": kind, "text": delta})

    def _add(self, event: Json) -> None:
        self._said.append({**event, "after_ms": self._wait} if self._wait else event)


_DIRECTIVES: Mapping[str, Callable[[_Script, str], None]] = {
    "/say": _Script.say,
    "/think": _Script.think,
    _CALL: _Script.tool,
    "/error": _Script.fail,
    "/break": _Script.break_off,
    "/cut": _Script.cut,
    "/long": _Script.long,
    "/slow": _Script.slow,
    "/length": _Script.length,
    "/refuse": _Script.refuse,
}


def _last_of_user(body: Mapping[str, Any]) -> tuple[str, int, int]:
    """The last user's message, and how many replies and calls have come after it."""
    text, replies, calls = "", 0, 0
    for message in objects_at(body, "messages"):
        if message["role"] == Role.USER.value:
            text, replies, calls = text_at(message, "text"), 0, 0
        elif message["role"] == Role.ASSISTANT.value:
            replies += 1
            calls += message["parts"].count(ToolCallPart.__name__)
    return text, replies, calls


def _lines_of_reply(text: str, number: int) -> list[tuple[str, str]]:
    """The directives of one reply to a message, counted from 0, each with what stands behind its name."""
    replies: list[list[tuple[str, str]]] = [[]]
    for line in text.splitlines():
        name, _, rest = line.partition(" ")
        if name not in _DIRECTIVES:
            continue
        if replies[-1] and replies[-1][-1][0] == _CALL and name != _CALL:
            replies.append([])
        replies[-1].append((name, rest.strip()))
    return replies[number] if number < len(replies) else []


def _account(body: Mapping[str, Any], last: str) -> str:
    """What the provider was sent, in words."""
    messages: Sequence[Any] = body["messages"]
    heard = " ".join(last.split())
    heard = heard if len(heard) <= _SHOWN else f"{heard[:_SHOWN]}…"
    said = f"You said: “{heard}”. " if heard else ""
    model = body["model"] or "A model"
    return (
        f"{said}{model} would read {len(body['system']):,} characters of system prompt, {len(messages):,} "
        f"messages and {len(body['tools']):,} tools. This reply was made offline: no model was called."
    )


def _error(status: int, words: str) -> Json:
    kind = _ERROR_TYPES.get(status, "api_error")
    message = words or f"The offline provider was asked to fail with {status}."
    return {"type": "error", "error": {"type": kind, "message": message}}


def _figure(text: str, otherwise: int) -> int:
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else otherwise


def _tokens(characters: int) -> int:
    return -(-characters // _CHARACTERS_A_TOKEN)
