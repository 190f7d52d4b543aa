"""What is read instead of a document: its content's rendering, its length, and the text that search finds."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.domain.blocks import Schema
from inspector.domain.content import Content
from inspector.domain.findable import content_text
from inspector.domain.rendering.render import rendered_and_length


@dataclass(frozen=True, slots=True)
class Derived:
    """The forms of one content. `length` is what counts against the block's limit."""

    content: Content
    rendered: str
    length: int
    searched: str


def derive(schema: Schema, content: Content) -> Derived:
    """All forms of a content.

    Raises:
        MalformedError: when the content is not of the schema's kind.
    """
    rendered, length = rendered_and_length(schema, content)
    return Derived(content, rendered, length, content_text(content))
