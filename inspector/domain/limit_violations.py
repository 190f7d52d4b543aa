"""A block's limits: which edits they refuse, and the problem of a content that is over them.

`char_limit` bounds what a block shows as a whole, `max_items` each list: the block's, or a section's. For both:

| what was there | what an edit leaves | |
|---|---|---|
| within the bound, or nothing yet | at most the bound | passes |
| within the bound, or nothing yet | more than the bound | refused |
| within the bound | by an undo, at most what the undone change found there under the same bound | passes |
| beyond the bound | less than was there, even if still beyond | passes |
| beyond the bound | as much or more: an update, a move, an undo too | refused |
| a list beyond its bound | the same list: the edit is of another section | passes |
| anything | anything, by a merge or an import | stands, and is told as a problem |
| anything | a list that a new schema bounds closer, if that loss was accepted | stands, and is told as a problem |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inspector.domain.blocks import Block, CompositeSchema, ListSchema, Schema, UnreadableSchema
from inspector.domain.content import CompositeContent, Content, ListContent, TextContent, TreeContent
from inspector.domain.errors import MalformedError, Parameters, Problem, Refusal, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rendering.render import limit_length

OVER_LIMIT = "block.over_limit"
OVER_ITEMS = "block.over_items"


def passes(bound: int, before: int | None, after: int, stood: int | None = None) -> bool:
    """Whether an edit may leave so much: within the bound, or nearer to it than what was beyond it.

    `stood` is how much there was, under this very bound, before the change that the edit takes back.
    """
    nearer = before is not None and bound < before and after < before
    return after <= bound or nearer or (stood is not None and after <= stood)


def length_refusal(block: Block, before: int | None, after: int, stood: int | None = None) -> Refusal | None:
    """Why an edit may not leave a content of that length, None when it may; `stood` as for `passes`."""
    if block.char_limit <= 0 or passes(block.char_limit, before, after, stood):
        return None
    parameters: Parameters = {"label": block.label, "limit": block.char_limit, "length": after}
    return Refusal("refused.char_limit", parameters)


def items_refusal(
    schema: Schema, before: Content | None, after: Content, stood: Content | None = None
) -> Refusal | None:
    """Why an edit may not leave lists of so many items, None when it may; `stood` as for `passes`."""
    was, earlier = _lists(schema, before), _lists(schema, stood)
    for name, items, most in _bounded(schema, after):
        old, first = was.get(name), earlier.get(name)
        if items != old and not passes(most, _count(old), len(items.items), _count(first)):
            return Refusal("refused.max_items", {"count": len(items.items), "max_items": most})
    return None


def excess(
    block: Block, content: Content, stored: int, measure: Callable[[Schema, Content], int] = limit_length
) -> Problem | None:
    """The bound that a content passes, None when it keeps all of them.

    Args:
        block: Whose bounds.
        content: Its content.
        stored: The length of the content's JSON form. What is much shorter than the limit is not rendered.
        measure: `limit_length`, or what remembers what that says.
    """
    schema = block.schema
    if isinstance(schema, UnreadableSchema):
        return None
    for name, items, most in _bounded(schema, content):
        count = len(items.items)
        if count > most:
            place = str(Ref(RefKind.BLOCK, block.id, name))
            parameters: Parameters = {"label": block.label, "count": count, "limit": most}
            return Problem(OVER_ITEMS, Severity.WARNING, place, parameters)
    if block.char_limit <= 0:
        return None
    # A deep tree is indented more than its JSON form; no other rendering is twice as long as that.
    if 2 * stored <= block.char_limit and not isinstance(content, TreeContent | CompositeContent):
        return None
    try:
        length = len(content.text) if isinstance(content, TextContent) else measure(schema, content)
    except MalformedError:
        return None
    if length <= block.char_limit:
        return None
    return Problem(
        OVER_LIMIT,
        Severity.WARNING,
        str(Ref(RefKind.BLOCK, block.id)),
        {"label": block.label, "length": length, "limit": block.char_limit},
    )


def _bounded(schema: Schema, content: Content) -> Iterator[tuple[str | None, ListContent, int]]:
    """The lists whose items are bounded, each with its section's name and its bound."""
    if isinstance(schema, ListSchema) and isinstance(content, ListContent) and schema.max_items is not None:
        yield None, content, schema.max_items
    if isinstance(schema, CompositeSchema) and isinstance(content, CompositeContent):
        for section in schema.sections:
            inner, most = content.sections.get(section.name), section.schema
            if isinstance(inner, ListContent) and isinstance(most, ListSchema) and most.max_items is not None:
                yield section.name, inner, most.max_items


def _lists(schema: Schema, content: Content | None) -> dict[str | None, ListContent]:
    return {} if content is None else {name: items for name, items, _ in _bounded(schema, content)}


def _count(items: ListContent | None) -> int | None:
    return None if items is None else len(items.items)
