"""Calls and results stay together, and what is broken is repaired by the least that helps."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.domain.edits.base import Operation
from inspector.domain.edits.block_rows import RestoreRow
from inspector.domain.edits.rows import ArchiveMessage, EditMessage
from inspector.domain.message_outline import repairs, with_partners
from inspector.domain.messages import (
    Batch,
    BatchType,
    Message,
    Part,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from tests.ui.values import NOW

CALL, OTHER = ToolCallPart("a", "deploy", "{}"), ToolCallPart("b", "search", "{}")
RESULT, FOUND = ToolResultPart("a", "done"), ToolResultPart("b", "found")
SAID = TextPart("I will.")


def message(at: int, *parts: Part, archived: bool = False, deleted: bool = False) -> Message:
    """One message of a batch; its id is its place."""
    role = Role.TOOL if isinstance(parts[0], ToolResultPart) else Role.ASSISTANT
    return Message(
        str(at),
        "agt",
        at,
        "bat",
        at,
        role,
        parts,
        BatchType.USER_REQUEST,
        NOW,
        is_archived=archived,
        is_deleted=deleted,
    )


def repaired(*messages: Message) -> list[tuple[str, Operation]]:
    return [(edit.target.id, edit.operation) for edit in repairs(Batch("bat", messages))]


def test_that_a_call_goes_with_all_its_results_and_their_calls() -> None:
    messages = (message(0, CALL, OTHER), message(1, RESULT), message(2, FOUND), message(3, SAID))
    assert [each.id for each in with_partners(messages, ["1"])] == ["0", "1", "2"]
    assert [each.id for each in with_partners(messages, ["3"])] == ["3"]


def test_that_what_is_whole_needs_no_repair() -> None:
    assert repaired(message(0, SAID, CALL), message(1, RESULT)) == []


@pytest.mark.parametrize(
    ("messages", "edits"),
    [
        ((message(0, CALL), message(1, RESULT, archived=True)), [("1", ArchiveMessage(archived=False))]),
        ((message(0, CALL, deleted=True), message(1, RESULT)), [("0", RestoreRow())]),
        ((message(0, SAID, CALL),), [("0", EditMessage((SAID,)))]),
        ((message(0, CALL),), [("0", ArchiveMessage())]),
        ((message(0, RESULT), message(1, SAID)), [("0", ArchiveMessage())]),
        (
            (message(0, CALL, OTHER), message(1, RESULT)),
            [("0", EditMessage((CALL,)))],
        ),
    ],
)
def test_that_a_half_comes_back_or_the_other_goes(
    messages: tuple[Message, ...], edits: list[tuple[str, Operation]]
) -> None:
    assert repaired(*messages) == edits


PARTS = st.lists(st.sampled_from((CALL, OTHER, RESULT, FOUND, SAID)), min_size=1, max_size=3)
STATES = st.tuples(st.booleans(), st.booleans())


@given(st.lists(st.tuples(PARTS, STATES), max_size=6))
def test_that_after_a_repair_every_pair_is_whole(drawn: list[tuple[list[Part], tuple[bool, bool]]]) -> None:
    messages = {
        str(at): message(at, *parts, archived=archived, deleted=deleted)
        for at, (parts, (archived, deleted)) in enumerate(drawn)
    }
    for edit in repairs(Batch("bat", tuple(messages.values()))):
        id_, operation = edit.target.id, edit.operation
        if isinstance(operation, EditMessage):
            messages[id_] = replace(messages[id_], content=operation.content)
        elif isinstance(operation, ArchiveMessage):
            messages[id_] = replace(messages[id_], is_archived=operation.archived)
        else:
            messages[id_] = replace(messages[id_], is_deleted=False)
    assert Batch("bat", tuple(messages.values())).is_paired
