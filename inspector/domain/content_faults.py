"""Finds what of an unsaved content its schema would refuse, each with its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from inspector.domain.blocks import CompositeSchema, FieldDef, MapSchema, Schema, fields_of
from inspector.domain.content import (
    CompositeContent,
    Content,
    FieldItem,
    ListContent,
    LogContent,
    MapContent,
    TextContent,
    TreeContent,
    plain_value,
)
from inspector.domain.dataclass import dataclass
from inspector.domain.differences.contents import Value, nodes_of, same_value
from inspector.domain.errors import Refusal, RefusedError
from inspector.domain.value_checks import check_text, check_value, field_named, shown

Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class ContentFault:
    """What is refused, and where it stands in the JSON form of the content."""

    place: Place
    refusal: Refusal


@dataclass(frozen=True, slots=True)
class _Part:
    """An item, entry or node with its place in the JSON form."""

    place: Place
    id: str
    value: Value


def content_faults(schema: Schema, base: Content, content: Content) -> Iterator[ContentFault]:
    """What of a content is refused when it is saved in place of `base`; what is the same in both passes."""
    if isinstance(content, CompositeContent):
        before = base.sections if isinstance(base, CompositeContent) else {}
        sections = (
            {each.name: each.schema for each in schema.sections}
            if isinstance(schema, CompositeSchema)
            else {}
        )
        for name, each in content.sections.items():
            if name not in sections:
                refusal = Refusal(
                    "refused.unknown_section", {"section": shown(name), "known": tuple(sections)}
                )
                yield ContentFault(("sections", name), refusal)
            else:
                for fault in content_faults(sections[name], before.get(name, type(each)()), each):
                    yield ContentFault(("sections", name, *fault.place), fault.refusal)
        return
    if isinstance(content, MapContent) and isinstance(schema, MapSchema):
        was = base.fields if isinstance(base, MapContent) else {}
        yield from _fields(("fields",), schema.fields, was, content.fields)
    elif isinstance(content, TextContent):
        yield from _text(("text",), content.text)
    else:
        yield from _parts(schema, list(_parts_of(base)), list(_parts_of(content)))


def value_refusal(field: FieldDef, value: FieldItem) -> Refusal | None:
    """Why a field cannot have a value, None where it can."""
    try:
        check_value(field, plain_value(value))
    except RefusedError as error:
        return error.refusal
    return None


def with_defaults(fields: Sequence[FieldDef]) -> dict[str, FieldItem]:
    """The values that a new object has at first; lists begin empty, as their elements have no ids yet."""
    return {
        each.name: each.default
        for each in fields
        if each.default is not None and not isinstance(each.default, tuple)
    }


def _parts(schema: Schema, before: Sequence[_Part], after: Sequence[_Part]) -> Iterator[ContentFault]:
    fields = fields_of(schema)
    old = {each.id: each for each in before}
    counts = Counter(each.id for each in before)
    for each in after:
        was = old.get(each.id)
        counts[each.id] -= 1
        if counts[each.id] < (0 if was else -1):
            yield ContentFault(
                each.place, Refusal("refused.id_taken", {"kind": "item", "id": shown(each.id)})
            )
        elif was is None or was.value is not each.value:
            yield from _value(each.place, fields, was.value if was else None, each.value)


def _value(
    place: Place, fields: Sequence[FieldDef] | None, was: Value | None, value: Value
) -> Iterator[ContentFault]:
    if isinstance(value, str):
        if fields is not None and value != was:
            names = tuple(each.name for each in fields)
            yield ContentFault(place, Refusal("refused.item_needs_fields", {"known": names}))
        yield from _text(place, value)
    elif fields is None:
        if value != was:
            yield ContentFault(place, Refusal("refused.item_needs_text", {"given": tuple(value)}))
    else:
        yield from _fields(place, fields, was if isinstance(was, Mapping) else {}, value, new=was is None)


def _fields(
    place: Place,
    fields: Sequence[FieldDef],
    was: Mapping[str, FieldItem],
    values: Mapping[str, FieldItem],
    *,
    new: bool = False,
) -> Iterator[ContentFault]:
    existing = {each.name: each for each in fields}
    for name in dict.fromkeys((*values, *was, *(existing if new else ()))):
        before, now = was.get(name), values.get(name)
        if name in existing and now is None and new:
            default = existing[name].default
            now = None if isinstance(default, tuple) else default
        if same_value(before, now) and not (new and name in existing):
            continue
        try:
            check_value(field_named(fields, name), plain_value(now))
        except RefusedError as error:
            yield ContentFault((*place, name) if name in values else place, error.refusal)


def _text(place: Place, text: str) -> Iterator[ContentFault]:
    try:
        check_text(text)
    except RefusedError as error:
        yield ContentFault(place, error.refusal)


def _parts_of(content: Content) -> Iterator[_Part]:
    match content:
        case ListContent(items):
            for at, item in enumerate(items):
                yield _Part(("items", at, "value"), item.id, item.value)
        case LogContent(entries):
            for at, entry in enumerate(entries):
                yield _Part(("entries", at, "fields"), entry.id, entry.fields)
        case TreeContent():
            places: list[Place] = []
            seen: Counter[int | None] = Counter()
            for node, above in nodes_of(content):
                start: Place = ("roots",) if above is None else (*places[above], "children")
                places.append((*start, seen[above]))
                seen[above] += 1
                yield _Part((*places[-1], "value"), node.id, node.value)
