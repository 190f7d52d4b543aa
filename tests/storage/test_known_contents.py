"""Large contents that were read or written are not read again, and are always what the text says."""

from __future__ import annotations

import pytest

from inspector.domain.content import ListContent, ListItem, TextContent
from inspector.domain.errors import MalformedError
from inspector.storage import known_contents
from inspector.storage.json_columns import dump
from inspector.storage.known_contents import content_of, text_of


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


def test_that_no_more_is_kept_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    contents = [a_list(1_000, end) for end in "abc"]
    texts = [dump(each) for each in contents]
    monkeypatch.setattr(known_contents, "_MOST_CHARACTERS", 2 * len(texts[0]))
    first = content_of(texts[0])
    for text in texts[1:]:
        content_of(text)
    assert content_of(texts[0]) is not first
    assert content_of(texts[0]) == first == contents[0]
