"""What a content becomes when a change of schema is taken back: what it was, with what was changed since.

The change, turned back, is an edit like any other: from what the present schema made of the content then, to what
the content was before. So it is taken back part by part. What nobody has changed since is again what it was, also
what the present schema cannot hold; what was changed since comes over as any change of schema brings it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from inspector.domain.blocks import CompositeSchema, ListSchema, Schema, TreeSchema
from inspector.domain.content import (
    CompositeContent,
    Content,
    ListContent,
    LogContent,
    MapContent,
    PlainContent,
    TextContent,
    TreeContent,
)
from inspector.domain.differences.backwards import taken_back
from inspector.domain.differences.contents import diff_parts, nodes_of, same_value, texts_of
from inspector.domain.differences.left_over import left_over
from inspector.domain.differences.texts import Stretch, diff_texts
from inspector.domain.edits.base import Intent, Version
from inspector.memory.alike import alike
from inspector.memory.schema_change import MAX_ITEMS, TEXT, Conversion, convert
from inspector.storage import changes, past
from inspector.storage.connection import Connection


@dataclass(frozen=True, slots=True)
class WayBack:
    """A change of schema that is taken back: its number, and the content's versions before and after it."""

    change: int
    before: Version
    after: Version


@dataclass(frozen=True, slots=True)
class Sides:
    """What the content was before the change, what the change made of it, and what it is at present."""

    before: Content
    after: Content
    present: Content

    @property
    def untouched(self) -> bool:
        """Whether nobody has changed it since."""
        return diff_parts(self.after, self.present).is_empty


@dataclass(frozen=True, slots=True)
class Returned:
    """The content, what of the changes since it lacks, and the parts that are not again what they were."""

    content: Content
    lost: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()


async def way_back(connection: Connection, intent: Intent) -> WayBack | None:
    """What an intent takes back, if it does that; its operation must be a change of schema."""
    if intent.undo_of is None:
        return None
    change, block_id = await changes.turned(connection, intent.undo_of), intent.edit.target.id
    before = await past.version_at(connection, block_id, change - 1)
    after = await past.version_at(connection, block_id, change)
    return None if before is None or after is None else WayBack(change, before.version, after.version)


def returned(old: Schema, new: Schema, sides: Sides, new_id: Callable[[], str]) -> Returned:
    """The content under the schema of before the change, `new`, while it still has that of after it, `old`."""
    if isinstance(old, CompositeSchema) and isinstance(new, CompositeSchema):
        return _sections(old, new, sides, new_id)
    return _part(old, new, sides, new_id)


def _sections(
    old: CompositeSchema, new: CompositeSchema, sides: Sides, new_id: Callable[[], str]
) -> Returned:
    before, after, present = (_parts(each) for each in (sides.before, sides.after, sides.present))
    known = {each.name: each.schema for each in old.sections}
    sections = dict(before)
    lost: list[str] = []
    skipped: list[str] = []
    for section in new.sections:
        name = section.name
        if name not in known or not {name} <= before.keys() & after.keys() & present.keys():
            continue
        three = Sides(before[name], after[name], present[name])
        part = _part(known[name], section.schema, three, new_id)
        sections[name] = _plain(part.content)
        lost += (f"{name}.{each}" for each in part.lost)
        is_text = isinstance(part.content, TextContent)
        skipped += (name if is_text else f"{name}/{each}" for each in part.skipped)
    for name, now in present.items():
        if name not in before and not diff_parts(after.get(name, type(now)()), now).is_empty:
            lost.append(name)
    return Returned(CompositeContent(sections), tuple(lost), tuple(skipped))


def _part(old: Schema, new: Schema, sides: Sides, new_id: Callable[[], str]) -> Returned:
    """As `returned`, of a whole content or of a section that both schemas have."""
    if sides.untouched:
        return Returned(sides.before)
    before = sides.before
    (was, _), (now, made) = (_turned(old, new, each, new_id) for each in (sides.after, sides.present))
    after = alike(was.content, before, was.fresh)
    present = alike(now.content, after, now.fresh)
    content = taken_back(new, before, after, present)
    content, missed = _with_texts(content, before, after, present)
    left = left_over(diff_parts(before, after), diff_parts(present, content))
    lost = _losses(old, new, sides, made, new_id)
    if _is_too_long(old, new, before, content):
        lost = (*lost, MAX_ITEMS)
    return Returned(content, lost, tuple(dict.fromkeys((*left, *missed))))


@dataclass(frozen=True, slots=True)
class _Turned:
    """A content under the schema of before the change, and the ids that it got there."""

    content: Content
    fresh: frozenset[str]


def _turned(
    old: Schema, new: Schema, content: Content, new_id: Callable[[], str]
) -> tuple[_Turned, Conversion]:
    fresh: list[str] = []

    def id_of_new() -> str:
        fresh.append(new_id())
        return fresh[-1]

    made = convert(old, new, content, id_of_new)
    return _Turned(made.content, frozenset(fresh)), made


def _with_texts(
    content: Content, before: Content, after: Content, present: Content
) -> tuple[Content, tuple[str, ...]]:
    """A content with its texts taken back too, and the names of those that could not be, or not all of them."""
    olds, news, nows = (texts_of(each) for each in (before, after, present))
    merged = {name: _text(olds.get(name, ""), news.get(name, ""), now) for name, now in nows.items()}
    missed = tuple(name or TEXT for name, (_, is_whole) in merged.items() if not is_whole)
    if isinstance(content, TextContent):
        return TextContent(merged[""][0]), missed
    if not isinstance(content, CompositeContent):
        return content, ()
    texts = {name: TextContent(text) for name, (text, _) in merged.items()}
    return CompositeContent({**content.sections, **texts}), missed


def _text(before: str, after: str, present: str) -> tuple[str, bool]:
    """A text without what led from `before` to `after`, and whether all of that is gone."""
    if after == present:
        return before, True
    if before in (after, present):
        return present, True
    if not after:
        # The change took all of it, so what stands there was written beside it.
        return f"{before}\n{present}" if present else before, True
    since, back = diff_texts(after, present).stretches, diff_texts(after, before).stretches
    ends = [each.before_end for each in since]

    def is_free(stretch: Stretch) -> bool:
        at = bisect_left(ends, stretch.before_start)
        return at == len(since) or since[at].before_start > stretch.before_end

    free = [each for each in back if is_free(each)]
    edits = sorted(
        [
            *((each, present[each.after_start : each.after_end]) for each in since),
            *((each, before[each.after_start : each.after_end]) for each in free),
        ],
        key=lambda edit: edit[0].before_start,
    )
    return "".join(_edited(after, edits)), len(free) == len(back)


def _edited(text: str, edits: list[tuple[Stretch, str]]) -> Iterator[str]:
    at = 0
    for stretch, there in edits:
        yield text[at : stretch.before_start]
        yield there
        at = stretch.before_end
    yield text[at:]


def _losses(
    old: Schema, new: Schema, sides: Sides, made: Conversion, new_id: Callable[[], str]
) -> tuple[str, ...]:
    """What of the changes since is lost. What the change itself had made is not: it is taken back."""
    after, present = sides.after, sides.present
    if isinstance(after, MapContent) and isinstance(present, MapContent):
        names = {*after.fields, *present.fields}
        changed = {name for name in names if not same_value(after.fields.get(name), present.fields.get(name))}
        return tuple(name for name in made.lost if name in changed)
    lost = convert(old, new, _changed(new, after, present), new_id).lost
    # Of a list this is told by what comes of it; a longer row of another kind was cut off.
    return tuple(each for each in lost if each != MAX_ITEMS or not isinstance(old, ListSchema))


def _changed(new: Schema, after: Content, present: Content) -> Content:
    """What of a content differs from what the change had made; all of it where that cannot be told apart."""
    match after, present:
        case ListContent(), ListContent():
            items = {each.id: each for each in after.items}
            return ListContent(tuple(each for each in present.items if items.get(each.id) != each))
        case LogContent(), LogContent():
            entries = {each.id: each for each in after.entries}
            return LogContent(tuple(each for each in present.entries if entries.get(each.id) != each))
        case TreeContent(), TreeContent() if isinstance(new, TreeSchema):
            values = {node.id: node.value for node, _ in nodes_of(after)}
            nodes = (node for node, _ in nodes_of(present) if values.get(node.id) != node.value)
            return TreeContent(tuple(replace(node, children=()) for node in nodes))
    return present


def _is_too_long(old: Schema, new: Schema, before: Content, content: Content) -> bool:
    if not isinstance(old, ListSchema) or not isinstance(new, ListSchema) or new.max_items is None:
        return False
    there, was = (len(each.items) if isinstance(each, ListContent) else 0 for each in (content, before))
    return there > max(new.max_items, was)


def _parts(content: Content) -> dict[str, PlainContent]:
    return dict(content.sections) if isinstance(content, CompositeContent) else {}


def _plain(content: Content) -> PlainContent:
    if isinstance(content, CompositeContent):
        raise TypeError(type(content).__name__)
    return content
