"""Counts the tokens around the text: roles, tool calls, images and tool definitions."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.context.counting.counter import Counter
from inspector.context.counting.definitions import bare, compact, typescript, words
from inspector.context.counting.documents import provider_content
from inspector.context.counting.images import image_tokens, most_image_tokens
from inspector.domain.counts import Count, Method, RequestBand, RequestKind, joint_method
from inspector.domain.dataclass import dataclass
from inspector.domain.messages import ImagePart, ProviderPart, Role
from inspector.domain.models import DefinitionCost, ImageRule, Overheads, ToolOverheads
from inspector.domain.wire.extras import asks_for_little_detail


@dataclass(frozen=True, slots=True)
class FrameCosts:
    """The costs of one model family's frames."""

    counter: Counter
    overheads: Overheads
    tools: ToolOverheads
    images: ImageRule
    bands: tuple[RequestBand, ...]

    def band(self, kind: RequestKind) -> RequestBand | None:
        """How far bills of such whole Requests were from their figures; None for one that is exact."""
        return next((each for each in self.bands if each.kind == kind), None)

    def message(self, role: Role = Role.USER, *, named: bool = False) -> Count:
        """A message's own frame; more for one with a speaker's name."""
        costs, name = self.overheads, self.overheads.name if named else 0
        if role is Role.ASSISTANT:
            return Count(costs.assistant + name, costs.assistant_method)
        return Count(costs.message + costs.role + name, costs.method)

    def system_frame(self, *, with_tools: bool = False, messages: int = 1) -> Count:
        """The frame of the system text's messages; less where what is said of tools stands in the first."""
        tokens = self.overheads.system * messages
        if with_tools and self.tools.joined:
            return Count(tokens - self.tools.joined, Method.ESTIMATE)
        return Count(tokens, self.overheads.method)

    def call(self, name: str) -> Count:
        counted = self.counter.count(name)
        method = joint_method((self.overheads.call_method, counted.method))
        return Count(self.overheads.call + counted.tokens, method)

    def result(self) -> Count:
        """A tool result's frame. It is a message of its own on most wires, and charged as one."""
        costs = self.overheads
        method = joint_method((costs.method, costs.call_method))
        return Count(costs.message + costs.role + costs.result, method)

    def reply(self, *, is_whole: bool = True) -> Count:
        """The start of the reply and what is paid once for the whole; surely so if nothing unknown is sent with it."""
        costs = self.overheads
        return Count(costs.reply + costs.request, costs.method if is_whole else Method.ESTIMATE)

    def image(self, image: ImagePart) -> Count:
        """An image, by its size and the provider's rule; one whose size is not known is taken for a large one."""
        is_low = asks_for_little_detail(image)
        if image.width <= 0 or image.height <= 0:
            return Count(most_image_tokens(self.images, is_low=is_low), Method.ESTIMATE)
        return Count(image_tokens(self.images, image.width, image.height, is_low=is_low), Method.ESTIMATE)

    def sealed(self, data: str) -> Count:
        """Thinking that only the provider can read, by the length of what hides it."""
        hidden = max(0, len(data) - self.overheads.sealed_head)
        return Count(int(hidden / self.overheads.sealed_token), Method.ESTIMATE)

    def provider_part(self, part: ProviderPart) -> Count:
        """A part that is sent as it came: by its texts, and by its pages if it is a PDF document."""
        texts, pages, _ = provider_content(part.data)
        tokens = sum(self.counter.count(text).tokens for text in texts)
        return Count(tokens + pages * self.overheads.page, Method.ESTIMATE)

    def tool(self, name: str, description: str, parameters: object) -> Count:
        """One definition, an approximation in every family."""
        tokens = sum(
            self.counter.count(text).tokens for text in self._definition(name, description, parameters)
        )
        return Count(self.tools.function + tokens, Method.ESTIMATE)

    def _definition(self, name: str, description: str, parameters: object) -> Iterable[str]:
        match self.tools.definition:
            case DefinitionCost.TYPESCRIPT:
                return (typescript(name, description, parameters),)
            case DefinitionCost.WORDS:
                return words(name, description, parameters)
            case DefinitionCost.BARE_JSON:
                said = {"description": description} if description else {}
                return (compact({"name": name, **said, "parameters": bare(parameters)}),)
            case DefinitionCost.JSON:
                return (compact({"name": name, "description": description, "input_schema": parameters}),)

    def tools_end(self) -> Count:
        """What is paid once where there are tools at all."""
        return Count(self.tools.end, Method.ESTIMATE)

    def tools_preamble(self, *, forced: bool = False, form: str = "") -> Count:
        """What the provider tells the model about tools; `forced` if it must call one, `form` is the body's."""
        tokens = self.tools.forced if forced else self.tools.preamble
        return Count(tokens + (self.tools.chat if form == "openai" else 0), Method.ESTIMATE)

    def provider_tool(self, definition: str) -> Count:
        """A tool that the provider runs: its definition alone, as nobody says what is added for it."""
        return Count(self.counter.count(definition).tokens, Method.ESTIMATE)

    def output_schema(self, schema: object) -> Count:
        """A schema that the reply must have."""
        costs = self.overheads
        if not costs.schema:
            return Count(0, Method.ESTIMATE)
        text = compact(bare(schema) if self.tools.definition is DefinitionCost.TYPESCRIPT else schema)
        return Count(costs.schema + self.counter.count(text).tokens, Method.ESTIMATE)

    def task_budget(self) -> Count:
        """What the provider tells a model that has a budget for its task."""
        return Count(self.overheads.task_budget, Method.ESTIMATE)

    def thinking(self) -> Count:
        """What the provider tells a model that is to think."""
        return Count(self.overheads.thinking, Method.ESTIMATE)
