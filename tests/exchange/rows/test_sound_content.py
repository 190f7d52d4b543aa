"""Contents of which single elements are damaged: the others are kept, and the bad ones are named."""

import json
from typing import Any

from inspector.domain.content import ListContent, ListItem, LogContent, TreeContent
from inspector.exchange.rows.sound_content import sound_content


def items(*values: Any) -> str:
    listed = [{"id": f"itm_{number}", "value": value} for number, value in enumerate(values)]
    return json.dumps({"kind": "list", "items": listed})


def test_that_one_bad_item_does_not_take_the_others_along() -> None:
    content, left_out = sound_content(items("a", 5, "b", None, {"due": "now"}))
    assert isinstance(content, ListContent)
    assert [item.value for item in content.items] == ["a", "b", {"due": "now"}]
    assert left_out == ("$.items[1]", "$.items[2]")
    assert sound_content(items("a")) == (ListContent((ListItem("itm_0", "a"),)), ())


def test_that_a_bad_node_goes_alone_and_keys_may_look_like_paths() -> None:
    bad = {"id": "c", "value": 7}
    good = {"id": "b", "value": {"a.b[0]": "x"}}
    roots = [{"id": "a", "value": "root", "children": [good, bad]}]
    content, left_out = sound_content(json.dumps({"kind": "tree", "roots": roots}))
    assert isinstance(content, TreeContent)
    assert [node.id for node in content.roots[0].children] == ["b"]
    assert left_out == ("$.roots[0].children[1]",)


def test_that_a_bad_entry_goes_alone() -> None:
    entries = [
        {"id": "e1", "timestamp": None, "author": None, "fields": {"x.y": [1]}},
        {"id": "e2", "timestamp": None, "author": None, "fields": {}},
    ]
    content, left_out = sound_content(json.dumps({"kind": "log", "entries": entries}))
    assert isinstance(content, LogContent)
    assert content.entries[-1].id == "e2"
    assert left_out


def test_that_what_is_no_content_at_all_gives_nothing() -> None:
    for text in (
        "{",
        "[]",
        '{"kind": "nothing"}',
        '{"kind": "list", "items": 5}',
        '{"kind": "text"',
        "[" * 5000,
    ):
        assert sound_content(text) == (None, ())
