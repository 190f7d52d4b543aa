"""What two writers made of one content: segments, conflicts, and the choices between them."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from inspector.domain.blocks import FieldDef, FieldType, ListSchema, MapSchema, TextSchema, TreeSchema
from inspector.domain.content import (
    Content,
    ListContent,
    ListItem,
    MapContent,
    TextContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.differences.conflicts import conflicts
from inspector.domain.differences.contents import diff_contents
from inspector.domain.differences.paths import value_at
from inspector.domain.edits.base import Version
from inspector.domain.history import ThreeWay
from inspector.domain.resolution import (
    Choice,
    clash,
    conflict_places,
    has_conflicts,
    resolved,
    resolved_text,
    segments,
)

BASE = "Sign the build.\nAnnounce at noon today, in this order.\nThen rest."


def chosen(base: str, theirs: str, mine: str) -> list[str]:
    found = segments(base, theirs, mine)
    return [resolved_text(found, choice) for choice in Choice]


def sides(schema: object, base: Content, theirs: Content, mine: Content) -> ThreeWay:
    found = conflicts(schema, diff_contents(base, theirs), diff_contents(base, mine))  # type: ignore[arg-type]
    return ThreeWay(schema, base, theirs, mine, None, Version("1"), conflicts=found)  # type: ignore[arg-type]


def test_that_changes_of_one_line_by_both_are_one_conflict_of_whole_lines() -> None:
    theirs = BASE.replace("Announce at noon today", "TOMORROW (cli)")
    mine = BASE.replace("Announce at noon", "MY DRAFT LINE -")
    [conflict] = [each for each in segments(BASE, theirs, mine) if each.is_conflict]
    assert conflict.base == "Announce at noon today, in this order."
    assert conflict.theirs == "TOMORROW (cli), in this order."
    assert conflict.mine == "MY DRAFT LINE - today, in this order."
    both = "TOMORROW (cli), in this order.\nMY DRAFT LINE - today, in this order."
    assert chosen(BASE, theirs, mine) == [theirs, mine, BASE.replace(conflict.base, both)]


def test_that_changes_at_different_places_are_merged_without_a_conflict() -> None:
    theirs, mine = BASE + " Deeply.", "Now: " + BASE
    assert chosen(BASE, theirs, mine) == ["Now: " + BASE + " Deeply."] * 3
    # Of one line too, where they don't touch.
    theirs, mine = BASE.replace("Sign", "Check"), BASE.replace("build", "release")
    assert chosen(BASE, theirs, mine)[0] == BASE.replace("Sign the build", "Check the release")


def test_that_the_same_change_of_both_is_no_conflict() -> None:
    same = BASE.replace("noon", "dawn")
    assert chosen(BASE, same, same) == [same] * 3


def test_that_two_insertions_at_one_place_are_a_conflict_and_both_can_stay() -> None:
    assert chosen("", "theirs", "mine") == ["theirs", "mine", "theirs\nmine"]
    assert chosen("a\n", "a\nx\n", "a\ny\n")[2] == "a\nx\ny\n"
    assert chosen("word", "First. word", "Mine. word")[2] == "First. Mine. word"
    assert chosen("word", "word\ntheirs.", "word!")[2] == "word\ntheirs.!"


def test_that_a_conflict_in_a_very_long_line_is_of_its_words() -> None:
    base = "word " * 300 + "here" + " word" * 300
    theirs, mine = base.replace("here", "there"), base.replace("here", "where")
    [conflict] = [each for each in segments(base, theirs, mine) if each.is_conflict]
    assert (conflict.base, conflict.theirs, conflict.mine) == ("here", "there", "where")


def test_that_other_changes_in_the_line_of_a_conflict_are_part_of_it() -> None:
    theirs = BASE.replace("order", "order, says Grace,")
    mine = BASE.replace("Announce at noon", "Call at one").replace("order", "ORDER")
    [conflict] = [each for each in segments(BASE, theirs, mine) if each.is_conflict]
    assert conflict.base == "Announce at noon today, in this order."
    assert conflict.mine == "Call at one today, in this ORDER."
    assert chosen(BASE, theirs, mine)[:2] == [theirs, mine]


WORD = some.sampled_from(["one ", "seven ", "gates, ", "arm64 ", "\n", "x. ", "🙂", ""])
WORDS = some.lists(some.tuples(WORD, WORD, WORD, some.integers(0, 5)), min_size=6, max_size=16)


@given(WORDS)
def test_that_segments_are_the_whole_of_every_side(words: list[tuple[str, str, str, int]]) -> None:
    base = "".join(word for word, *_ in words)
    theirs = "".join(other if changed == 0 else word for word, other, _, changed in words)
    mine = "".join(other if changed < 2 else word for word, _, other, changed in words)
    found = segments(base, theirs, mine)
    assert "".join(each.base for each in found) == base
    assert "".join(each.theirs for each in found) == theirs
    assert "".join(each.mine for each in found) == mine


@pytest.mark.parametrize("text", ["", "a", "a\nb", "\n\n", "é🙂\nx"])
def test_that_nothing_of_a_side_alone_is_lost(text: str) -> None:
    assert chosen(text, text, text + "mine") == [text + "mine"] * 3
    assert chosen(text, text + "theirs", text) == [text + "theirs"] * 3


FIELDS = (FieldDef("title", FieldType.TEXT), FieldDef("owner", FieldType.TEXT))


def test_that_fields_of_a_map_are_chosen_one_by_one() -> None:
    base = MapContent({"title": "a", "owner": "b"})
    theirs, mine = MapContent({"title": "t", "owner": "u"}), MapContent({"title": "m", "owner": "n"})
    found = sides(MapSchema(FIELDS), base, theirs, mine)
    assert conflict_places(found) == (("title",), ("owner",))
    assert resolved(found, {}) == mine
    assert resolved(found, {("owner",): Choice.THEIRS}) == MapContent({"title": "m", "owner": "u"})
    assert value_at(theirs, ("owner",)) == "u"


def test_that_an_item_that_one_removed_and_the_other_changed_comes_back_or_goes() -> None:
    base = ListContent((ListItem("a", "one"), ListItem("b", "two"), ListItem("c", "three")))
    theirs = ListContent((ListItem("a", "one"), ListItem("b", "TWO"), ListItem("c", "three")))
    mine = ListContent((ListItem("a", "one"), ListItem("c", "three")))
    found = sides(ListSchema(), base, theirs, mine)
    assert conflict_places(found) == (("b",),)
    assert resolved(found, {}) == mine
    assert resolved(found, {("b",): Choice.THEIRS}) == theirs


def test_that_a_node_takes_their_words_and_keeps_what_is_under_it() -> None:
    base = TreeContent((TreeNode("a", "root", (TreeNode("b", "leaf"),)),))
    theirs = TreeContent((TreeNode("a", "root", (TreeNode("b", "THEIRS"),)),))
    mine = TreeContent((TreeNode("a", "root", (TreeNode("b", "MINE", (TreeNode("c", "new"),)),)),))
    found = sides(TreeSchema(), base, theirs, mine)
    assert conflict_places(found) == (("b",),)
    assert resolved(found, {("b",): Choice.THEIRS}) == TreeContent(
        (TreeNode("a", "root", (TreeNode("b", "THEIRS", (TreeNode("c", "new"),)),)),)
    )


def test_that_only_changes_of_the_same_place_clash() -> None:
    base = MapContent({"title": "a", "owner": "b"})
    one, other = MapContent({"title": "x", "owner": "b"}), MapContent({"title": "a", "owner": "y"})
    assert not clash(MapSchema(FIELDS), base, one, other)
    assert clash(MapSchema(FIELDS), base, one, MapContent({"title": "z", "owner": "b"}))
    assert has_conflicts(sides(TextSchema(), TextContent("a"), TextContent("b"), TextContent("c")))


def test_that_both_sides_of_a_line_that_ends_with_a_carriage_return_are_lines() -> None:
    found = segments("a 1 b\r\nz\r\n", "a 2 b\r\nz\r\n", "a 3 b\r\nz\r\n")
    assert resolved_text(found, Choice.BOTH) == "a 2 b\r\na 3 b\r\nz\r\n"
