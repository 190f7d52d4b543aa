"""Which characters a label may hold, and which labels look the same."""

from __future__ import annotations

import pytest

from inspector.domain.blocks import appearance, is_printable, legible


@pytest.mark.parametrize("character", "\n\x1b\x7f\u2028\u2029\u202e\u2066\u200b\u200e\u00ad\ufeff\U000e0041")
def test_that_what_shows_nothing_or_turns_the_text_is_not_printable(character: str) -> None:
    assert not is_printable(character)


@pytest.mark.parametrize(
    "label", ["/note_directory", "system/human/work", "é", "می\u200cروم", "👩\u200d👧", "a b"]
)
def test_that_what_is_written_anywhere_is_printable(label: str) -> None:
    assert all(map(is_printable, label))


@pytest.mark.parametrize("twin", ["caf\u00e9 ", " cafe\u0301", "ca\u200df\u00e9", "cafe\u0301"])
def test_that_labels_that_differ_in_nothing_visible_look_the_same(twin: str) -> None:
    assert appearance(twin) == appearance("caf\u00e9")
    assert appearance(twin) != appearance("cafe")


def test_that_a_label_in_a_message_is_on_one_line_and_short() -> None:
    assert legible("a\x1b[31m\nb\u202e") == "a\\u001b[31m\\u000ab\\u202e"
    assert legible("x" * 81) == "x" * 79 + "…"
