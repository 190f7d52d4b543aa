"""The colours of the part of a text that is in sight."""

import json

from inspector.ui.editors.colours import MOST_COLOURED, ColouredText, TextLanguage, coloured, language_of

MARKDOWN = "# Title\n\nSome **bold** words and `code`.\n\n- one\n"


def named(result: ColouredText) -> dict[str, str]:
    """The words of each span and what they are."""
    return {result.text[each.start : each.end]: each.token for each in result.spans}


def test_that_markdown_and_json_are_told_apart() -> None:
    assert language_of('  {"a": 1}') is TextLanguage.JSON
    assert language_of("[1, 2]") is TextLanguage.JSON
    assert language_of('[[1, 2], {"a": 1}]') is TextLanguage.JSON
    for other in ("[  0.02s] ok", "[[page]]", "[1] note", "[ ] open"):
        assert language_of(other) is TextLanguage.MARKDOWN
    assert language_of("[Showing lines 1-2 of 3]\n") is TextLanguage.MARKDOWN
    assert language_of("{curly} words") is TextLanguage.MARKDOWN


def test_that_markdown_has_its_colours() -> None:
    found = named(coloured(MARKDOWN, 0, len(MARKDOWN)))
    assert found["# Title"] == "Generic.Heading"
    assert found["**bold**"] == "Generic.Strong"
    assert found["`code`"].startswith("Literal.String")
    assert "words" not in found


def test_that_json_has_its_colours() -> None:
    text = json.dumps({"name": "Ada", "age": 36, "ok": True}, indent=1)
    found = named(coloured(text, 0, len(text)))
    assert found['"name"'] == "Name.Tag"
    assert found['"Ada"'].startswith("Literal.String")
    assert found["36"].startswith("Literal.Number")
    assert found["true"].startswith("Keyword")


def test_that_a_fence_above_what_is_in_sight_is_seen() -> None:
    text = "```\n" + "# no title\n" * 2_000 + "```\n# Title\n"
    inside = coloured(text, 10_000, 11_000)
    assert {each.token for each in inside.spans} == {"Literal.String"}
    found = named(coloured(text, len(text) - 40, len(text)))
    assert found["# Title"] == "Generic.Heading"


def test_that_no_more_is_coloured_than_can_be_in_sight() -> None:
    text = "# Title of a line\n" * 100_000
    result = coloured(text, 900_000, len(text))
    assert result.end - result.start <= MOST_COLOURED
    assert all(result.start <= each.start < each.end <= result.end for each in result.spans)


def test_that_what_is_not_the_texts_own_is_quiet() -> None:
    text = "<notes>\n# Title\n</notes>"
    found = coloured(text, 0, len(text), [(0, 8), (15, 24)])
    assert [(each.start, each.token) for each in found.spans] == [
        (0, "Comment"),
        (8, "Generic.Heading"),
        (15, "Comment"),
    ]


def test_that_brackets_without_end_are_coloured_all_the_same() -> None:
    text = "[" * MOST_COLOURED
    assert coloured(text, 0, len(text)).end == len(text)
