"""A block as it would be sent, whatever keeps it out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.domain.blocks import BlockType, TextSchema, Viewport
from inspector.domain.rendering.render import shown_lines
from tests.context.builders import BUILDER, a_block, a_snapshot, a_spec, build


@pytest.mark.parametrize("layout", ["standard", "xml", "minimal", "cache_friendly"])
def test_that_a_block_that_is_sent_has_the_same_text_in_the_request(layout: str) -> None:
    blocks = (a_block("notes", "some words"), a_block("two words", "</notes>"))
    snapshot = a_snapshot(*blocks)
    request = build(snapshot, layout=layout)
    for state in blocks:
        text = BUILDER.block_text(snapshot, a_spec(layout=layout), state.block.id)
        assert text is not None
        assert text in request.text


def test_that_a_block_that_is_left_out_has_its_frame_all_the_same() -> None:
    archival = a_block("old", "long ago", block_type=BlockType.ARCHIVAL)
    empty = a_block("empty", "", block_type=BlockType.WORKING)
    snapshot = a_snapshot(archival, empty)
    assert {each.source.id for each in build(snapshot).left_out} >= {archival.block.id, empty.block.id}
    assert BUILDER.block_text(snapshot, a_spec(), archival.block.id) == "<old>\nlong ago\n</old>"
    assert BUILDER.block_text(snapshot, a_spec(), empty.block.id) == "<empty>\n\n</empty>"


def test_that_there_is_no_text_of_a_block_that_the_agent_does_not_see() -> None:
    gone = a_block("gone", "words", is_active=False)
    assert BUILDER.block_text(a_snapshot(gone), a_spec(), gone.block.id) is None
    assert BUILDER.block_text(a_snapshot(), a_spec(), "blk_nowhere") is None


@given(start=st.integers(1, 60), shown=st.integers(1, 60), count=st.integers(1, 50))
def test_that_a_viewport_says_the_lines_that_it_shows(start: int, shown: int, count: int) -> None:
    text = "\n".join(f"line {number}" for number in range(1, count + 1))
    block = a_block("notes", text, schema=TextSchema(Viewport(start, shown)))
    first, last = shown_lines(Viewport(start, shown), count)
    sent = BUILDER.block_text(a_snapshot(block), a_spec(), block.block.id)
    assert sent is not None
    assert f"[Showing lines {first}-{last} of {count}]\nline {first}" in sent
    assert f"line {last}\n</notes>" in sent
