"""Characters through changes that are taken back and made again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inspector.documents.character_ledger import CharacterLedger
from inspector.domain.edits.text import Splice
from inspector.domain.splices import spliced

MINE = 1


def test_that_what_was_written_goes_and_what_was_removed_comes_back() -> None:
    letters = CharacterLedger("0123456789")
    letters.edit([Splice(3, 4, "new")], MINE)
    letters.edit([Splice(0, 0, "xx"), Splice(4, 0, "yyy")])
    assert spliced("xx012nyyyew789", letters.turned(MINE)) == "xx0123456yyy789"


def test_that_what_others_removed_is_not_removed_again() -> None:
    letters = CharacterLedger("")
    letters.edit([Splice(0, 0, "written")], MINE)
    letters.edit([Splice(2, 5, "")])
    assert letters.turned(MINE) == (Splice(0, 2, ""),)


def test_that_it_comes_back_where_the_text_says_when_that_is_elsewhere() -> None:
    letters = CharacterLedger("ab")
    letters.edit([Splice(1, 0, "XY")], MINE)
    letters.turn(MINE, [Splice(1, 2, "")])
    letters.edit([Splice(1, 0, "--")])
    letters.turn(MINE, [Splice(3, 0, "XY")])
    assert letters.turned(MINE) == (Splice(3, 2, ""),)


def test_that_what_came_back_otherwise_is_new() -> None:
    letters = CharacterLedger("ab")
    letters.edit([Splice(1, 0, "XY")], MINE)
    letters.turn(MINE, [Splice(1, 2, "")])
    letters.turn(MINE, [Splice(1, 0, "Z")])
    assert letters.turned(MINE) == ()


@given(st.text("ab", max_size=12), st.data())
def test_that_turning_twice_changes_nothing(text: str, data: st.DataObject) -> None:
    letters, now = CharacterLedger(text), text
    for number in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(now)))
        splice = Splice(at, data.draw(st.integers(0, len(now) - at)), data.draw(st.text("cd", max_size=4)))
        letters.edit([splice], number)
        now = spliced(now, (splice,))
    before, number = now, data.draw(st.integers(0, number))
    for _ in range(2):
        splices = letters.turned(number)
        letters.turn(number, splices)
        now = spliced(now, splices)
    assert now == before
