"""The document shape of composite content: each section in containers of its own."""

from __future__ import annotations

from collections.abc import Callable

from loro import LoroDoc, LoroText

from inspector.documents.element_cache import ElementCache
from inspector.documents.shapes.shape import Shape
from inspector.documents.stamp import EditStamp
from inspector.domain.blocks import CompositeSchema, PlainSchema
from inspector.domain.content import CompositeContent, PlainContent
from inspector.domain.edits.base import Operation
from inspector.domain.edits.items import InSection
from inspector.domain.value_checks import refuse, shown, wrong_schema

MakeShape = Callable[[LoroDoc, PlainSchema, str], Shape]


class CompositeShape:
    """Named sections. Names and schemas may change their order without a trace in the document."""

    def __init__(self, doc: LoroDoc, schema: CompositeSchema, make: MakeShape) -> None:
        self._sections = {
            section.name: make(doc, section.schema, f"s:{section.name.encode().hex()}:")
            for section in schema.sections
        }

    def fill(self, content: CompositeContent | None, stamp: EditStamp) -> None:
        """Write the sections' first contents."""
        given = {} if content is None else content.sections
        for name in given:
            self._named(name)
        for name, shape in self._sections.items():
            shape.fill(given.get(name), stamp)

    def apply(self, operation: Operation, stamp: EditStamp) -> tuple[str, ...] | None:
        """Do a section's operation. The section's name comes before the ids of what changed in it."""
        if not isinstance(operation, InSection):
            raise wrong_schema(operation, "composite")
        changed = self._named(operation.section).apply(operation.operation, stamp)
        return None if changed is None else (operation.section, *changed)

    def content(self, cache: ElementCache) -> CompositeContent:
        contents: dict[str, PlainContent] = {}
        for name, shape in self._sections.items():
            content = shape.content(cache)
            if isinstance(content, CompositeContent):
                raise TypeError(name)
            contents[name] = content
        return CompositeContent(contents)

    def become(self, content: CompositeContent, cache: ElementCache) -> None:
        """Make the sections those of the content; what it has of other sections is not ours."""
        for name, shape in self._sections.items():
            if name in content.sections:
                shape.become(content.sections[name], cache)

    def texts(self) -> dict[str, LoroText]:
        return {name: text for name, shape in self._sections.items() for text in shape.texts().values()}

    def _named(self, name: str) -> Shape:
        shape = self._sections.get(name)
        if shape is None:
            raise refuse("refused.unknown_section", section=shown(name), known=tuple(self._sections))
        return shape
