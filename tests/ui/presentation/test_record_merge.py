"""Unsaved messages and archival entries beside what somebody else stored: merged, or left to a person."""

from dataclasses import replace
from datetime import UTC, datetime

from inspector.domain.content import CompositeContent, TextContent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.rows import EditMessage
from inspector.domain.messages import BatchType, Message, Part, Role, TextPart, ToolCallPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.resolution import Choice, conflict_places, resolved
from inspector.ui.presentation.record_merge import merged_message

CALL = ToolCallPart("call_1", "search", '{"words": "arm"}')


def edit(*parts: Part) -> Edit:
    return Edit(Ref(RefKind.MESSAGE, "msg_1"), EditMessage(parts))


def stored(*parts: Part) -> Message:
    written = datetime(2026, 1, 1, tzinfo=UTC)
    return Message("msg_1", "a", 1, "bat_1", 0, Role.ASSISTANT, parts, BatchType.USER_REQUEST, written)


def other(arguments: str) -> ToolCallPart:
    return replace(CALL, arguments=arguments)


def test_that_changes_of_other_parts_are_merged_without_a_question() -> None:
    theirs = other('{"words": "x86"}')
    found = merged_message(
        stored(TextPart("one"), CALL), stored(TextPart("one"), theirs), edit(TextPart("two"), CALL)
    )
    assert found.quiet == EditMessage((TextPart("two"), theirs))


def test_that_conflicts_in_two_parts_are_a_row_each() -> None:
    base, theirs = stored(TextPart("one"), CALL), stored(TextPart("theirs"), other('{"words": "x86"}'))
    found = merged_message(base, theirs, edit(TextPart("mine"), other('{"words": "mine"}')))
    assert found.quiet is None
    first, second = conflict_places(found.sides)
    decided = resolved(found.sides, {first: Choice.THEIRS, second: Choice.MINE})
    assert found.finish(decided) == EditMessage((TextPart("theirs"), other('{"words": "mine"}')))


def test_that_without_the_text_before_both_a_person_decides() -> None:
    found = merged_message(None, stored(TextPart("theirs")), edit(TextPart("mine")))
    assert found.quiet is None
    assert (found.sides.base, found.sides.theirs) == (TextContent(""), TextContent("theirs"))
    assert found.finish(TextContent("both")) == EditMessage((TextPart("both"),))


def test_that_parts_that_went_leave_one_side_or_the_other() -> None:
    base, theirs, mine = stored(TextPart("one"), CALL), stored(TextPart("one")), (TextPart("two"), CALL)
    found = merged_message(base, theirs, edit(*mine))
    assert found.quiet is None
    assert isinstance(found.sides.mine, CompositeContent)
    assert found.finish(found.sides.theirs) == EditMessage(theirs.content)
    assert found.finish(found.sides.mine) == EditMessage(mine)
