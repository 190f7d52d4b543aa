"""Writes messages in the Request's text form, with the tokens of each frame and string."""

from __future__ import annotations

from inspector.context.counting.documents import provider_content
from inspector.context.counting.frames import FrameCosts
from inspector.domain.counts import Count, Method
from inspector.domain.messages import (
    ImagePart,
    Message,
    Part,
    ProviderPart,
    RedactedThinkingPart,
    Role,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)
from inspector.domain.requests import Mark, TextRun

_LINE_END = TextRun("\n", sent=False, tokens=0, method=Method.EXACT)


class MessageFramer:
    """Writes one message as runs. Nothing here splits a string: each is one run.

    Args:
        message: The message.
        costs: What stands around its strings costs this.
        has_gap: Whether its first part is a mark that messages before it are left out.
        is_finished: Whether the model has ended its turn: some providers leave its thinking out then.
    """

    def __init__(
        self, message: Message, costs: FrameCosts, *, has_gap: bool = False, is_finished: bool = False
    ) -> None:
        self._message = message
        self._costs = costs
        self._has_gap = has_gap
        self._is_free = is_finished and not costs.overheads.old_thinking
        self._runs: list[TextRun] = []
        self._marks: list[Mark] = []
        self._length = 0

    def write(self) -> tuple[tuple[TextRun, ...], tuple[Mark, ...]]:
        """The runs and the marks of the parts."""
        is_result = self._message.role is Role.TOOL and self._begins_with_result()
        if not is_result:
            named = self._message.name is not None
            self._frame(
                f"=== {self._message.role} ===\n", self._costs.message(self._message.role, named=named)
            )
        for number, part in enumerate(self._message.content, start=-1 if self._has_gap else 0):
            start = self._length
            kind, name = self._part(part) if number >= 0 else ("gap", self._gap(part))
            if self._length > start:
                self._marks.append(Mark(kind, name or str(number), start, self._length))
        return tuple(self._runs), tuple(self._marks)

    def _gap(self, part: Part) -> str:
        self._part(part)
        return "before"

    def _begins_with_result(self) -> bool:
        return bool(self._message.content) and isinstance(self._message.content[0], ToolResultPart)

    def _part(self, part: Part) -> tuple[str, str]:
        match part:
            case TextPart():
                self._string(part.text)
                return "text", ""
            case ThinkingPart():
                self._thinking(part)
                return "thinking", ""
            case ImagePart():
                frame = f"=== image {part.media_type} {part.width}x{part.height} ===\n"
                self._frame(frame, self._costs.image(part))
                return "image", ""
            case RedactedThinkingPart():
                cost = Count(0, Method.ESTIMATE) if self._is_free else self._costs.sealed(part.data)
                self._frame("=== redacted thinking ===\n", cost)
                return "redacted_thinking", ""
            case ProviderPart():
                self._frame(f"=== {part.kind} ===\n", self._costs.provider_part(part))
                return "document" if provider_content(part.data)[2] else "provider_part", ""
            case ToolCallPart():
                self._frame(f"=== call {part.name} {part.id} ===\n", self._costs.call(part.name))
                self._string(part.arguments)
                return "tool_call", part.id
            case ToolResultPart():
                self._frame(f"=== result {part.call_id} ===\n", self._costs.result())
                self._string(part.content)
                return "tool_result", part.call_id

    def _thinking(self, part: ThinkingPart) -> None:
        text = part.text
        if part.signature and self._costs.overheads.signed and not self._is_free:
            self._frame("=== signature ===\n", self._costs.sealed(part.signature))
        if not self._is_free:
            self._string(text)
        elif text:
            self._runs += (TextRun(text, True, 0, Method.ESTIMATE), _LINE_END)
            self._length += len(text) + 1

    def _frame(self, text: str, cost: Count) -> None:
        self._runs.append(TextRun(text, False, cost.tokens, cost.method))
        self._length += len(text)

    def _string(self, text: str) -> None:
        if text:
            count = self._costs.counter.count(text)
            self._runs += (TextRun(text, True, count.tokens, count.method), _LINE_END)
            self._length += len(text) + 1
