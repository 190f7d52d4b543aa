"""Merges an unsaved edit of a message, archival entry or summary with what somebody else stored since it was begun."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from inspector.domain.blocks import ArchivalEntry, CompositeSchema, Schema, SectionDef, TextSchema
from inspector.domain.content import CompositeContent, Content, TextContent
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Operation
from inspector.domain.edits.block_rows import UpdateArchival
from inspector.domain.edits.rows import EditMessage
from inspector.domain.history import ThreeWay
from inspector.domain.messages import Message, Part
from inspector.domain.resolution import Choice, has_conflicts, resolved, resolved_text, segments
from inspector.domain.summaries import Summary
from inspector.ui.presentation.messages import part_text, part_title, with_text
from inspector.ui.presentation.summaries import edit_of, parts_of, texts_of, with_edit
from inspector.ui.presentation.unsaved import said_by, said_version
from inspector.ui.wording import tr

Edited = TypeVar("Edited", bound=Message | ArchivalEntry | Summary)
Texts = tuple[str, str, str]
"""A text before both changes, as it is stored and as it is drafted."""


@dataclass(frozen=True, slots=True)
class RecordMerge(Generic[Edited]):
    """A drafted record beside the `stored` one that it would replace.

    `finish` makes of a merged content the operation that a save applies; `quiet` is that operation where nobody has
    to decide anything, None with conflicts.
    """

    stored: Edited
    sides: ThreeWay
    finish: Callable[[Content], Operation]
    quiet: Operation | None


def merged_message(base: Message | None, stored: Message, edit: Edit) -> RecordMerge[Message]:
    """Merge the drafted parts of a message, text by text; `base` is None where nobody knows it any more."""
    mine = edit.operation.content if isinstance(edit.operation, EditMessage) else stored.content
    if _shape(mine) != _shape(stored.content):
        return _one_or_the_other(stored, mine)
    before = base.content if base is not None and _shape(base.content) == _shape(mine) else None
    texts = _texts(before, stored.content, mine)
    titles = [f"{at + 1}. {part_title(part)}" for at, part in enumerate(mine)]

    def finish(rows: Sequence[str]) -> Operation:
        return EditMessage(tuple(with_text(part, text) for part, text in zip(mine, rows, strict=True)))

    return _merged_texts(stored, titles, texts, finish)


def merged_summary(base: Summary | None, stored: Summary, edit: Edit) -> RecordMerge[Summary]:
    """Merge the text, the topics and the lists of a summary, each as a text with one item a line."""
    drafted = texts_of(with_edit(stored if base is None else base, edit))
    pairs = list(zip(texts_of(stored), drafted, strict=True))
    # Without the text before both, whatever differs is for a person to decide.
    before = [left if left == right else "" for left, right in pairs] if base is None else texts_of(base)
    texts = [(first, *pair) for first, pair in zip(before, pairs, strict=True)]
    titles = [each.title for each in parts_of(stored)]
    return _merged_texts(stored, titles, texts, lambda rows: edit_of(stored, rows))


def _merged_texts(
    stored: Edited, titles: Sequence[str], texts: Sequence[Texts], put: Callable[[Sequence[str]], Operation]
) -> RecordMerge[Edited]:
    """Merge several texts of one record: those in conflict are decided side by side, the others merge by themselves."""
    disputed = [at for at, each in enumerate(texts) if any(row.is_conflict for row in segments(*each))]

    def finish(chosen: Mapping[int, str]) -> Operation:
        return put(
            [
                chosen[at] if at in chosen else resolved_text(segments(*each), Choice.MINE)
                for at, each in enumerate(texts)
            ]
        )

    if len(disputed) > 1:
        sections = {titles[at]: texts[at] for at in disputed}
        places = {titles[at]: at for at in disputed}
        return _merge(
            stored,
            _sections(stored, sections),
            lambda content: finish({places[name]: text for name, text in _by_section(content).items()}),
        )
    changed = (at for at, (first, _, last) in enumerate(texts) if first != last)
    at = disputed[0] if disputed else next(changed, 0)
    return _merge(stored, _text(stored, texts[at]), lambda content: finish({at: _text_of(content)}))


def merged_entry(base: ArchivalEntry | None, stored: ArchivalEntry, edit: Edit) -> RecordMerge[ArchivalEntry]:
    """Merge the text and the tags of an archival entry; tags that a side added or removed are never in conflict."""
    operation = edit.operation
    assert isinstance(operation, UpdateArchival)
    before = base.content if base is not None else ""
    mine = stored.content if operation.content is None else operation.content
    tags = operation.tags
    if tags is not None:
        tags = _merged_tags(() if base is None else base.tags, stored.tags, tags)
    sides = _text(stored, (before if mine != stored.content else mine, stored.content, mine))
    return _merge(stored, sides, lambda content: UpdateArchival(_text_of(content), tags))


def rebased(edit: Edit, merge: RecordMerge[Edited], operation: Operation) -> Edit:
    """The edit with a merged operation, made for the stored record that it was merged with."""
    return replace(edit, operation=operation, base=merge.sides.theirs_version)


def _merge(stored: Edited, sides: ThreeWay, finish: Callable[[Content], Operation]) -> RecordMerge[Edited]:
    quiet = None if has_conflicts(sides) else finish(resolved(sides, {}))
    return RecordMerge(stored, sides, finish, quiet)


def _one_or_the_other(stored: Message, mine: tuple[Part, ...]) -> RecordMerge[Message]:
    """Parts that came or went can't be merged: a person takes one side."""
    name = tr("All parts")
    whole, drafted = ("\n\n".join(map(part_text, each)) for each in (stored.content, mine))

    def finish(content: Content) -> Operation:
        return EditMessage(stored.content if _by_section(content).get(name) == whole else mine)

    return _merge(stored, _sections(stored, {name: ("", whole, drafted)}), finish)


def _shape(parts: Sequence[Part]) -> tuple[Part, ...]:
    """All of the parts but their texts."""
    return tuple(with_text(part, "") for part in parts)


def _texts(before: Sequence[Part] | None, theirs: Sequence[Part], mine: Sequence[Part]) -> tuple[Texts, ...]:
    pairs = [(part_text(left), part_text(right)) for left, right in zip(theirs, mine, strict=True)]
    if before is None:
        # Without the text before both, whatever differs is for a person to decide.
        return tuple((left if left == right else "", left, right) for left, right in pairs)
    return tuple((part_text(part), left, right) for part, (left, right) in zip(before, pairs, strict=True))


def _merged_tags(before: Sequence[str], theirs: Sequence[str], mine: Sequence[str]) -> tuple[str, ...]:
    kept = [each for each in theirs if each in mine or each not in before]
    return (*kept, *(each for each in mine if each not in before and each not in kept))


def _sides(
    stored: Message | ArchivalEntry | Summary, schema: Schema, contents: Sequence[Content]
) -> ThreeWay:
    base, theirs, mine = contents
    return ThreeWay(schema, base, theirs, mine, None, said_version(said_by(stored)))


def _text(stored: Message | ArchivalEntry | Summary, texts: Texts) -> ThreeWay:
    return _sides(stored, TextSchema(), [TextContent(each) for each in texts])


def _sections(stored: Message | ArchivalEntry | Summary, sections: Mapping[str, Texts]) -> ThreeWay:
    schema = CompositeSchema(tuple(SectionDef(name, TextSchema()) for name in sections))
    contents = [
        CompositeContent({name: TextContent(texts[side]) for name, texts in sections.items()})
        for side in range(3)
    ]
    return _sides(stored, schema, contents)


def _text_of(content: Content) -> str:
    return content.text if isinstance(content, TextContent) else ""


def _by_section(content: Content) -> dict[str, str]:
    sections = content.sections if isinstance(content, CompositeContent) else {}
    return {name: _text_of(each) for name, each in sections.items()}
