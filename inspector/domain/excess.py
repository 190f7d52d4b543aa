"""What a block holds beyond its bounds: a merge, an import or a lowered bound can leave that; it stands and is told."""

from __future__ import annotations

from inspector.domain.blocks import Block, ListSchema, UnreadableSchema
from inspector.domain.content import CompositeContent, Content, ListContent, TextContent, TreeContent
from inspector.domain.errors import MalformedError, Parameters
from inspector.domain.health import Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rendering.render import limit_length

OVER_LIMIT = "block.over_limit"
OVER_ITEMS = "block.over_items"


def excess(block: Block, content: Content, stored: int) -> Problem | None:
    """The bound that a content passes, None when it keeps all of them.

    Args:
        block: Whose bounds.
        content: Its content.
        stored: The length of the content's JSON form. What is much shorter than the limit is not rendered.
    """
    where = str(Ref(RefKind.BLOCK, block.id))
    schema = block.schema
    if isinstance(schema, ListSchema) and isinstance(content, ListContent) and schema.max_items is not None:
        count = len(content.items)
        if count > schema.max_items:
            told: Parameters = {"label": block.label, "count": count, "limit": schema.max_items}
            return Problem(OVER_ITEMS, Severity.WARNING, where, told)
    if block.char_limit <= 0 or isinstance(schema, UnreadableSchema):
        return None
    # A deep tree is indented more than its JSON form; no other rendering is twice as long as that.
    if 2 * stored <= block.char_limit and not isinstance(content, TreeContent | CompositeContent):
        return None
    try:
        length = len(content.text) if isinstance(content, TextContent) else limit_length(schema, content)
    except MalformedError:
        return None
    if length <= block.char_limit:
        return None
    return Problem(
        OVER_LIMIT,
        Severity.WARNING,
        where,
        {"label": block.label, "length": length, "limit": block.char_limit},
    )
