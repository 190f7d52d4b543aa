from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.ui.editors import text_pieces
from inspector.ui.editors.text_pieces import TextPieces

CHANGES = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 30), st.text(max_size=40)), max_size=12)


@pytest.fixture(autouse=True, scope="module")
def _small_pieces() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_pieces, "PIECE", 7)
        yield


@given(st.text(max_size=120), CHANGES)
def test_that_a_text_in_pieces_is_the_text_changed_as_a_whole(
    text: str, changes: list[tuple[float, int, str]]
) -> None:
    pieces = TextPieces(text)
    for place, removed, insert in changes:
        start = round(place * len(text))
        end = min(start + removed, len(text))
        assert pieces.replace(start, end, insert) == text[start:end]
        text = text[:start] + insert + text[end:]
        assert len(pieces) == len(text)
        assert pieces.line_feeds == text.count("\n")
        assert pieces.whole == text


@given(st.text(min_size=1, max_size=60), CHANGES)
def test_that_several_changes_need_no_whole_text_between_them(
    text: str, changes: list[tuple[float, int, str]]
) -> None:
    pieces = TextPieces(text)
    for place, removed, insert in changes:
        start = round(place * len(text))
        end = min(start + removed, len(text))
        pieces.replace(start, end, insert)
        text = text[:start] + insert + text[end:]
    assert pieces.whole == text
    assert pieces.whole is pieces.whole
