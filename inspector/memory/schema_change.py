"""Converts a block's content to another schema and lists what is lost.

Of one kind to the same, values stay in their fields as far as these can have them. Any kind becomes a text by
being written out. Lines, items and nodes become one another; logs and maps are made of nothing else, for nobody
can tell a line's time or which field it belongs in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from inspector.domain.blocks import (
    CompositeSchema,
    ListSchema,
    LogSchema,
    MapSchema,
    PlainSchema,
    Schema,
    SectionDef,
    TextSchema,
    TreeSchema,
    fields_of,
)
from inspector.domain.content import (
    CompositeContent,
    Content,
    ListContent,
    ListItem,
    LogContent,
    LogEntry,
    MapContent,
    PlainContent,
    TextContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.dataclass import dataclass
from inspector.domain.rendering.render import render_whole
from inspector.memory.schema_values import (
    ITEMS,
    ConversionReport,
    Fields,
    ItemContent,
    changed_fields,
    changed_item,
)

TEXT = "text"
NESTING = "nesting"
BLANK_LINES = "blank_lines"
MAX_ITEMS = "max_items"


@dataclass(frozen=True, slots=True)
class SchemaConversion:
    """The content under the new schema, and the names of what it lacks of the old one.

    Beside names of fields and sections these are ``text``, ``items``, ``nesting``, ``blank_lines``, ``fields``
    for objects that become texts, and ``max_items`` for more items than the new schema allows.
    """

    content: Content
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Row:
    """A line, item, entry or node on its own."""

    id: str
    value: ItemContent
    fields: Fields | None


def convert(old: Schema, new: Schema, content: Content, new_id: Callable[[], str]) -> SchemaConversion:
    """A content as another schema has it. New lines and list elements get ids from `new_id`."""
    account = ConversionReport(new_id)
    if isinstance(new, CompositeSchema):
        changed: Content = _sections(old, new, content, account)
    elif isinstance(old, CompositeSchema):
        changed = _of_sections(old, new, content, account)
    else:
        changed = _plain(old, new, _as_plain(content), account)
    return SchemaConversion(changed, account.lost)


def change_schema(
    old: Schema, new: Schema, content: Content, lying: Content, new_id: Callable[[], str]
) -> SchemaConversion:
    """What a content becomes; `lying` is what the new schema finds in the document as it is.

    That may be what the content was once made from: if nobody has changed it since, it comes back as it was, and
    nothing is lost.
    """
    read = convert(new, new, lying, new_id)
    # Values of a field that is removed lie there too: the field's default may say the same, yet they go.
    is_cut, found = type(old) is type(new) and bool(read.lost), read.content
    if is_cut or is_empty(found) or _said(convert(new, old, found, new_id).content) != _said(content):
        return convert(old, new, content, new_id)
    # Fields that are new to this kind of content have their defaults to come, or are missed.
    return convert(old, new, found, new_id) if type(old) is type(new) else SchemaConversion(found, ())


def is_empty(content: Content) -> bool:
    """Whether nothing would be lost with it."""
    match content:
        case TextContent():
            return not content.text
        case MapContent():
            return not content.fields
        case ListContent():
            return not content.items
        case LogContent():
            return not content.entries
        case TreeContent():
            return not content.roots
        case CompositeContent():
            return all(is_empty(each) for each in content.sections.values())


def _said(content: Content) -> object:
    """What a content says, without the ids, which lines get anew each time."""
    match content:
        case TextContent():
            return content.text
        case MapContent():
            return _values(content.fields)
        case ListContent():
            return [_values(item.value) for item in content.items]
        case LogContent():
            return [(each.timestamp, each.author, _values(each.fields)) for each in content.entries]
        case TreeContent():
            return [(_values(node.value), _said(TreeContent(node.children))) for node in content.roots]
        case CompositeContent():
            return {name: _said(part) for name, part in content.sections.items()}


def _values(value: ItemContent) -> object:
    if isinstance(value, str):
        return value
    return {
        name: [entry.value for entry in each] if isinstance(each, tuple) else each
        for name, each in value.items()
    }


def _plain(
    old: PlainSchema, new: PlainSchema, content: PlainContent, account: ConversionReport
) -> PlainContent:
    match new:
        case TextSchema():
            return TextContent(_text(old, content))
        case MapSchema():
            return _map(old, new, content, account)
        case LogSchema():
            return _log(old, new, content, account)
        case ListSchema():
            return _list(old, new, content, account)
        case TreeSchema():
            return _tree(old, new, content, account)


def _text(old: PlainSchema, content: PlainContent) -> str:
    if isinstance(content, TextContent):
        return content.text
    if isinstance(content, ListContent) and all(isinstance(item.value, str) for item in content.items):
        return "\n".join(str(item.value) for item in content.items)
    return render_whole(old, content)


def _map(old: PlainSchema, new: MapSchema, content: PlainContent, account: ConversionReport) -> MapContent:
    if not isinstance(content, MapContent):
        account.lose(_whole(content))
    values = content.fields if isinstance(content, MapContent) else {}
    part = account.within(old.fields if isinstance(old, MapSchema) else None)
    changed = changed_fields(values, new.fields, part)
    account.lose(part.lost)
    return MapContent(changed)


def _log(old: PlainSchema, new: LogSchema, content: PlainContent, account: ConversionReport) -> LogContent:
    if not isinstance(content, LogContent):
        account.lose(_whole(content))
        return LogContent()
    part = account.within(fields_of(old))
    entries: list[LogEntry] = []
    for entry in content.entries:
        value = changed_item(entry.fields, fields_of(old), new.entry_schema.fields, part)
        if isinstance(old, LogSchema):
            part.lose(_hidden(old, new, entry))
        entries.append(entry if value is None or isinstance(value, str) else replace(entry, fields=value))
    account.lose(part.lost)
    return LogContent(tuple(entries))


def _list(old: PlainSchema, new: ListSchema, content: PlainContent, account: ConversionReport) -> ListContent:
    part = account.within(fields_of(old))
    items: list[ListItem] = []
    for row in _rows(old, content, part):
        value = changed_item(row.value, row.fields, new.item_schema, part)
        if value is not None:
            items.append(ListItem(row.id, value))
    if new.max_items is not None and len(items) > new.max_items:
        part.lose((MAX_ITEMS,))
        if not isinstance(old, ListSchema):
            items = items[: new.max_items]
    account.lose(part.lost)
    return ListContent(tuple(items))


def _tree(old: PlainSchema, new: TreeSchema, content: PlainContent, account: ConversionReport) -> TreeContent:
    part = account.within(fields_of(old))
    if isinstance(content, TreeContent):
        changed = TreeContent(tuple(_nodes(content.roots, fields_of(old), new.node_schema, part)))
    else:
        roots = (
            (row.id, changed_item(row.value, row.fields, new.node_schema, part))
            for row in _rows(old, content, part)
        )
        changed = TreeContent(tuple(TreeNode(item, value) for item, value in roots if value is not None))
    account.lose(part.lost)
    return changed


def _nodes(
    nodes: Iterable[TreeNode], old: Fields | None, new: Fields | None, account: ConversionReport
) -> Iterator[TreeNode]:
    """Nodes with what is under them; those under one that cannot be kept are lost with it."""
    for node in nodes:
        value = changed_item(node.value, old, new, account)
        if value is not None:
            yield TreeNode(node.id, value, tuple(_nodes(node.children, old, new, account)))


def _rows(old: PlainSchema, content: PlainContent, account: ConversionReport) -> Iterator[_Row]:
    """The lines, items or nodes of a content, one by one."""
    match content:
        case TextContent(text):
            lines = text.split("\n")
            if not all(line.strip() for line in lines[: -1 if not lines[-1] else None]):
                account.lose((BLANK_LINES,))
            yield from (_Row(account.new_id(), line, None) for line in lines if line.strip())
        case ListContent():
            yield from (_Row(item.id, item.value, fields_of(old)) for item in content.items)
        case TreeContent():
            if any(root.children for root in content.roots):
                account.lose((NESTING,))
            yield from (_Row(node.id, node.value, fields_of(old)) for node in _flat(content.roots))
        case _:
            account.lose(_whole(content))


def _flat(roots: Iterable[TreeNode]) -> Iterator[TreeNode]:
    for root in roots:
        yield root
        yield from _flat(root.children)


def _sections(
    old: Schema, new: CompositeSchema, content: Content, account: ConversionReport
) -> CompositeContent:
    given = _given(old, new, content, account)
    sections: dict[str, PlainContent] = {}
    for section in new.sections:
        part = account.within(())
        schema, present = given.get(section.name, (section.schema, _nothing(section.schema)))
        sections[section.name] = _plain(schema, section.schema, present, part)
        if section.name in given:
            named = isinstance(old, CompositeSchema)
            account.lose(f"{section.name}.{name}" if named else name for name in part.lost)
    return CompositeContent(sections)


def _given(
    old: Schema, new: CompositeSchema, content: Content, account: ConversionReport
) -> dict[str, tuple[PlainSchema, PlainContent]]:
    """What there is for the new sections: those of the same name; a plain content goes where it fits best."""
    if isinstance(old, CompositeSchema):
        given = dict(_present(old, content))
        names = {section.name for section in new.sections}
        account.lose(name for name, (_, part) in given.items() if name not in names and not is_empty(part))
        return given
    plain = _as_plain(content)
    section = _home(new.sections, type(old))
    if section is None:
        account.lose(_whole(plain))
        return {}
    return {section.name: (old, plain)}


def _of_sections(
    old: CompositeSchema, new: PlainSchema, content: Content, account: ConversionReport
) -> PlainContent:
    if isinstance(new, TextSchema):
        return TextContent(render_whole(old, content))
    given = dict(_present(old, content))
    section = next((each for each in old.sections if type(each.schema) is type(new)), None)
    chosen = None if section is None else section.name
    account.lose(name for name, (_, part) in given.items() if name != chosen and not is_empty(part))
    schema, present = given.get(chosen or "", (new, _nothing(new)))
    return _plain(schema, new, present, account)


def _present(
    schema: CompositeSchema, content: Content
) -> Iterator[tuple[str, tuple[PlainSchema, PlainContent]]]:
    stored = content.sections if isinstance(content, CompositeContent) else {}
    for section in schema.sections:
        if section.name in stored:
            yield section.name, (section.schema, stored[section.name])


def _home(sections: Iterable[SectionDef], kind: type) -> SectionDef | None:
    """The first section of a kind, else the first text."""
    every = tuple(sections)
    for wanted in (kind, TextSchema):
        for each in every:
            if type(each.schema) is wanted:
                return each
    return None


def _hidden(old: LogSchema, new: LogSchema, entry: LogEntry) -> Iterator[str]:
    """The time and the author of an entry, where the new schema has none; they stay in the document."""
    before, after = old.entry_schema, new.entry_schema
    if before.timestamp and not after.timestamp and entry.timestamp is not None:
        yield "timestamp"
    if before.agent_id and not after.agent_id and entry.author is not None:
        yield "author"


def _whole(content: PlainContent) -> tuple[str, ...]:
    """What is lost when nothing of a content can be kept."""
    if is_empty(content):
        return ()
    if isinstance(content, MapContent):
        return tuple(content.fields)
    return (TEXT if isinstance(content, TextContent) else ITEMS,)


def _nothing(schema: PlainSchema) -> PlainContent:
    match schema:
        case TextSchema():
            return TextContent()
        case MapSchema():
            return MapContent()
        case ListSchema():
            return ListContent()
        case LogSchema():
            return LogContent()
        case TreeSchema():
            return TreeContent()


def _as_plain(content: Content) -> PlainContent:
    if isinstance(content, CompositeContent):
        raise TypeError(type(content).__name__)
    return content
