"""Counts the tokens around the text: roles, tool calls, images and tool definitions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from inspector.context.counting.counter import Counter
from inspector.context.counting.documents import provider_content
from inspector.context.counting.images import image_tokens, most_image_tokens
from inspector.domain.counts import Count, Method, joint_method
from inspector.domain.dataclass import dataclass
from inspector.domain.messages import ImagePart, ProviderPart, RedactedThinkingPart, Role
from inspector.domain.models import DefinitionCost, ImageRule, Overheads, ToolOverheads


@dataclass(frozen=True, slots=True)
class FrameCosts:
    """The costs of one model family's frames."""

    counter: Counter
    overheads: Overheads
    tools: ToolOverheads
    images: ImageRule

    def message(self, role: Role = Role.USER, *, named: bool = False) -> Count:
        """A message's own frame; more for one with a speaker's name."""
        costs = self.overheads
        frame = costs.assistant if role is Role.ASSISTANT else costs.message + costs.role
        return Count(frame + (costs.name if named else 0), costs.method)

    def system_frame(self) -> Count:
        """The frame of the system string."""
        return Count(self.overheads.system, self.overheads.method)

    def call(self, name: str) -> Count:
        counted = self.counter.count(name)
        method = joint_method((self.overheads.call_method, counted.method))
        return Count(self.overheads.call + counted.tokens, method)

    def result(self) -> Count:
        """A tool result's frame. It is a message of its own on most wires, and charged as one."""
        costs = self.overheads
        method = joint_method((costs.method, costs.call_method))
        return Count(costs.message + costs.role + costs.result, method)

    def reply(self) -> Count:
        """The start of the reply and what is paid once for the whole."""
        return Count(self.overheads.reply + self.overheads.request, self.overheads.method)

    def image(self, image: ImagePart) -> Count:
        """An image, by its size and the provider's rule; one whose size is not known is taken for a large one."""
        if image.width <= 0 or image.height <= 0:
            return Count(most_image_tokens(self.images), Method.ESTIMATE)
        return Count(image_tokens(self.images, image.width, image.height), Method.ESTIMATE)

    def redacted(self, part: RedactedThinkingPart) -> Count:
        """Thinking that only the provider can read, by the length of what hides it."""
        hidden = max(0, len(part.data) - self.overheads.sealed_head)
        return Count(int(hidden / self.overheads.sealed_token), Method.ESTIMATE)

    def provider_part(self, part: ProviderPart) -> Count:
        """A part that is sent as it came: by its texts, and by its pages if it is a PDF document."""
        texts, pages = provider_content(part.data)
        tokens = sum(self.counter.count(text).tokens for text in texts)
        return Count(tokens + pages * self.overheads.page, Method.ESTIMATE)

    def tool(self, name: str, description: str, parameters: object) -> Count:
        """One definition, an approximation in every family."""
        costs = self.tools
        if costs.definition is DefinitionCost.JSON:
            plain = {"name": name, "description": description, "input_schema": parameters}
            return Count(costs.function + self.counter.count(_compact(plain)).tokens, Method.ESTIMATE)
        tokens = costs.function + self.counter.count(f"{name}:{description.removesuffix('.')}").tokens
        properties = parameters.get("properties") if isinstance(parameters, Mapping) else None
        if isinstance(properties, Mapping) and properties:
            tokens += costs.properties
            tokens += sum(self._property(key, value) for key, value in properties.items())
        return Count(max(1, tokens), Method.ESTIMATE)

    def tools_end(self) -> Count:
        """What is paid once where there are tools at all."""
        return Count(self.tools.end, Method.ESTIMATE)

    def tools_preamble(self, *, forced: bool = False) -> Count:
        """What the provider tells the model about tools; `forced` if it must call one."""
        return Count(self.tools.forced if forced else self.tools.preamble, Method.ESTIMATE)

    def provider_tool(self, definition: str) -> Count:
        """A tool that the provider runs: its definition alone, as nobody says what is added for it."""
        return Count(self.counter.count(definition).tokens, Method.ESTIMATE)

    def output_schema(self, schema: object) -> Count:
        """A schema that the reply must have."""
        return Count(self.overheads.schema + self.counter.count(_compact(schema)).tokens, Method.ESTIMATE)

    def thinking(self) -> Count:
        """What the provider tells a model that is to think."""
        return Count(self.overheads.thinking, Method.ESTIMATE)

    def _property(self, key: str, value: Any) -> int:
        costs = self.tools
        if not isinstance(value, Mapping):
            return costs.key + self.counter.count(f"{key}:{_compact(value)}").tokens
        tokens = costs.key
        choices = value.get("enum")
        if isinstance(choices, list):
            tokens += costs.enum
            tokens += sum(costs.enum_item + self.counter.count(str(choice)).tokens for choice in choices)
        description = value.get("description", "")
        reported = description.removesuffix(".") if isinstance(description, str) else _compact(description)
        tokens += self.counter.count(f"{key}:{value.get('type', '')}:{reported}").tokens
        rest = {name: each for name, each in value.items() if name not in ("enum", "description", "type")}
        return tokens + (self.counter.count(_compact(rest)).tokens if rest else 0)


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
