import re
import xml.etree.ElementTree as ElementTree

import pytest

from inspector.context.markup import attribute, close_proof, comment, is_element_name, starts_legally
from inspector.domain.requests import Mark


@pytest.mark.parametrize("label", ["persona", "a-b", "a.b_2", "é", "漢字", "_x"])
def test_that_a_legal_name_is_an_element(label: str) -> None:
    assert is_element_name(label)
    ElementTree.fromstring(f"<{label}/>")


@pytest.mark.parametrize(
    "label", ["", "a b", "/x", "x:y", "1a", "-a", "XmlThing", "block", "Block", "a\n", "a>"]
)
def test_that_another_label_is_none(label: str) -> None:
    assert not is_element_name(label)


def test_that_an_attribute_comes_back_as_it_was(hostile_text: str) -> None:
    legal = re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", hostile_text)
    shown = attribute(legal)
    assert "\n" not in shown
    assert ElementTree.fromstring(f'<a b="{shown}"/>').get("b") == legal


def test_that_no_comment_is_ended_by_its_text(hostile_text: str) -> None:
    for text in (hostile_text, "a--b", "---", "-->", "ends with -", "<!-- x -->"):
        shown = comment(text)
        assert shown.startswith("<!-- ")
        assert shown.endswith(" -->")
        assert "--" not in shown[4:-3]


@pytest.mark.parametrize("closing", ["</a>", "</ a >", "< / A>", "</a", "</a\n>", "<\n/a/>"])
def test_that_a_closing_tag_is_escaped(closing: str) -> None:
    assert close_proof(f"x{closing} y", ["a"]).text == f"x&lt;{closing[1:]} y"


@pytest.mark.parametrize("other", ["</ab>", "</a.b>", "<a>", "</b>", "a < b / a"])
def test_that_other_text_stays_as_it_is(other: str) -> None:
    assert close_proof(other, ["a"]).text == other


def test_that_marks_follow_what_was_escaped() -> None:
    text = "one </a> two </a> three"
    escaped = close_proof(text, ["a"])
    marks = (Mark("field", "two", text.index("two"), text.index("two") + 3), Mark("all", "all", 0, len(text)))
    moved = escaped.move(marks, 10)
    assert escaped.text[moved[0].start - 10 : moved[0].end - 10] == "two"
    assert moved[1] == Mark("all", "all", 10, 10 + len(escaped.text))


@pytest.mark.parametrize(
    ("text", "legal"), [("a", True), ("", False), (" a", False), ("/a", False), ("\x1ca", False)]
)
def test_that_a_run_begins_with_a_visible_character(text: str, legal: bool) -> None:
    assert starts_legally(text) is legal
