"""Large contents that were read or written are not read or written again, and are always what the text says."""

from __future__ import annotations

import pytest

from inspector.domain.blocks import ListSchema, Schema
from inspector.domain.content import (
    CompositeContent,
    Content,
    FieldEntry,
    ListContent,
    ListItem,
    LogContent,
    LogEntry,
    MapContent,
    TextContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.errors import MalformedError
from inspector.domain.rendering.render import limit_length
from inspector.storage import content_cache
from inspector.storage.content_cache import content_of, length_of, text_of
from inspector.storage.json_columns import dump


def a_list(count: int, end: str = "") -> ListContent:
    return ListContent(tuple(ListItem(f"i{number}", {"title": f"t{number}{end}"}) for number in range(count)))


def test_that_what_was_written_is_given_back_and_no_other_text_is_taken_for_it() -> None:
    content, other = a_list(2_000), a_list(2_000, "!")
    text = text_of(content)
    assert text == dump(content)
    assert content_of(text) is content
    assert content_of(dump(other)) == other
    assert content_of(dump(other)) is content_of(dump(other))


def test_that_a_short_content_is_read_each_time() -> None:
    assert content_of(text_of(TextContent("a"))) == TextContent("a")


def test_that_a_long_text_that_is_no_content_is_refused_each_time() -> None:
    for _ in range(2):
        with pytest.raises(MalformedError):
            content_of('{"kind":"text","text":' + " " * 10_000)


@pytest.mark.parametrize(
    "content",
    [
        TextContent('a"b'),
        MapContent({"a": 1, "b": (FieldEntry("f", "x"),)}),
        ListContent(),
        ListContent((ListItem("i", "x"), ListItem("j", {"a": 1.5, "b": None}))),
        LogContent((LogEntry("e", "2026-01-01T00:00:00Z", None, {"a": True}),)),
        TreeContent((TreeNode("r", "x", (TreeNode("c", {"a": (FieldEntry("f", 1),)}),)), TreeNode("s", "y"))),
        CompositeContent(),
        CompositeContent({"one \u00e9": TextContent("x"), 'two"': a_list(3), "three": ListContent()}),
        CompositeContent(
            {
                "one \u00e9": TextContent("x"),
                'two"': a_list(200),
                "three": ListContent(),
                "four": MapContent({"a": 1}),
            }
        ),
        ListContent((*a_list(120).items, ListItem("\u00e9", '"'))),
        LogContent(
            tuple(LogEntry(f"e{each}", "2026-01-01T00:00:00Z", None, {"a": True}) for each in range(120))
        ),
        TreeContent(tuple(TreeNode(f"r{each}", "x", (TreeNode("c", {"a": 1}),)) for each in range(120))),
    ],
)
def test_that_the_text_is_the_one_that_any_value_has(content: Content) -> None:
    assert text_of(content) == dump(content)
    assert content_of(text_of(content)) == content


def test_that_only_what_an_edit_has_changed_is_written_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    content = a_list(2_000)
    text_of(content)
    written: list[object] = []

    def counted(value: object) -> str:
        written.append(value)
        return dump(value)

    monkeypatch.setattr(content_cache, "dump", counted)
    new = ListItem("new", "x")
    items = (new, *content.items[:700], *content.items[900:])
    changed = ListContent(items)
    assert text_of(changed) == dump(changed)
    assert written == [new, ListContent()]
    sections = CompositeContent({"tasks": ListContent(items[1:]), "other": TextContent("x")})
    written.clear()
    assert text_of(sections) == dump(sections)
    assert not [each for each in written if isinstance(each, ListItem)]


def test_that_the_length_of_a_large_content_is_found_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    content, schema, other = a_list(2_000), ListSchema(), ListSchema(max_items=3)
    measured: list[Schema] = []

    def counted(schema: Schema, content: Content) -> int:
        measured.append(schema)
        return limit_length(schema, content)

    monkeypatch.setattr(content_cache, "limit_length", counted)
    text_of(content)
    assert {length_of(schema, content) for _ in range(3)} == {limit_length(schema, content)}
    assert measured == [schema]
    length_of(other, content)
    assert measured == [schema, other]
    # One that is not kept is measured each time, be it equal to one that is.
    for _ in range(2):
        length_of(schema, a_list(2_000))
    assert len(measured) == 4


def test_that_no_more_is_kept_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    contents = [a_list(1_000, end) for end in "abc"]
    texts = [dump(each) for each in contents]
    monkeypatch.setattr(content_cache, "_MOST_CHARACTERS", 2 * len(texts[0]))
    first = content_of(texts[0])
    for text in texts[1:]:
        content_of(text)
    assert content_of(texts[0]) is not first
    assert content_of(texts[0]) == first == contents[0]


def test_that_a_small_content_that_was_just_written_need_not_be_read() -> None:
    content = TextContent("small")
    assert content_of(text_of(content)) is content
    for number in range(100):
        text_of(TextContent(f"other {number}"))
    assert content_of(dump(content)) == content
    assert content_of(dump(content)) is not content
