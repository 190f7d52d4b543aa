"""Whatever happens to a file on its way: a plan that keeps its promises, or an error of ours."""

import copy
import itertools
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inspector.domain.edits.block_rows import AttachBlock, CreateBlock
from inspector.domain.edits.rows import AppendMessage, CreateAgent
from inspector.domain.errors import InputError
from inspector.domain.exchange import ImportPlan
from inspector.domain.messages import ToolCallPart, ToolResultPart
from tests.exchange.builders import (
    agent,
    assistant,
    block,
    counted_ids,
    file_of,
    found,
    plan_import_of,
    result,
    returns,
    system,
    tool,
    user,
    with_messages,
)


def rich_file() -> dict[str, Any]:
    """A file with something of everything."""
    request = {**assistant("", {"c2": "act", "c3": "act"}), "role": "approval"}
    talk = with_messages(
        system("compiled"),
        user("one", created_at="2026-01-01T00:00:00Z"),
        assistant("a", {"c1": "look"}),
        system("again"),
        result("c1"),
        user('{"type": "heartbeat"}'),
        request,
        returns(("c2", "r"), ("c3", "r"), role="approval"),
        returns(("c2", "r"), ("c3", "r")),
        assistant("b"),
        in_context=[0, 5, 6, 7, 8, 9],
    )["agents"][0]
    first = {**talk, "block_ids": ["block-0", "block-1"], "tool_ids": ["tool-0"]}
    return file_of(
        first,
        agent(1, block_ids=["block-1"], tool_rules=[{"tool_name": "look", "type": "exit_loop"}]),
        blocks=[block(0, "notes"), block(1, "notes", read_only=True)],
        tools=[tool(0, "look")],
    )


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """All places in a JSON value."""
    keys: Any = (
        value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    return [path, *(each for key in keys for each in places(value[key], (*path, key)))]


PLACES = [path for path in places(rich_file()) if path]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
CHANGES = st.lists(
    st.tuples(
        st.sampled_from(PLACES),
        st.sampled_from(["put", "drop", "double", "copy"]),
        JSON,
        st.sampled_from(PLACES),
    ),
    min_size=1,
    max_size=6,
)


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def mutated(changes: list[tuple[tuple[str | int, ...], str, Any, tuple[str | int, ...]]]) -> Any:
    file = rich_file()
    for path, how, value, other in changes:
        try:
            key: Any = path[-1]
            holder = at(file, path[:-1])
            if how == "put":
                holder[key] = value
            elif how == "drop":
                del holder[key]
            elif how == "double" and isinstance(holder, list):
                holder.insert(int(key), copy.deepcopy(holder[key]))
            elif how == "copy":
                holder[key] = copy.deepcopy(at(file, other))
        except (KeyError, IndexError, TypeError):
            # An earlier change took the place away.
            continue
    return file


def check(plan: ImportPlan) -> None:
    ids = [
        (intent.edit.target.kind, intent.edit.target.id)
        for intent in plan.intents
        if not isinstance(intent.edit.operation, AttachBlock)
    ]
    assert len(ids) == len(set(ids))
    agents = {each.id for each in plan.agents}
    assert len(agents) == len(found(plan, CreateAgent))
    labels = [(each.owner, each.label) for each in found(plan, CreateBlock)]
    assert len(labels) == len(set(labels))
    assert {owner for owner, _ in labels} <= agents
    messages = found(plan, AppendMessage)
    assert sum(each.messages for each in plan.agents) == len(messages)
    groups = [list(group) for _, group in itertools.groupby(messages, lambda each: each.batch_id)]
    assert len(groups) == len({group[0].batch_id for group in groups}), "a batch is torn apart"
    for group in groups:
        assert len({each.is_archived for each in group}) == 1
        assert not any(each.compiled and not each.is_archived for each in group)
        if not group[0].is_archived:
            check_pairs(group)


def check_import(data: bytes) -> None:
    try:
        plan = plan_import_of(data, counted_ids())
    except InputError as error:
        if not error.code.startswith("import."):
            raise
        return
    check(plan)


def check_pairs(group: list[AppendMessage]) -> None:
    """In what may be sent, every result has its call before it."""
    waiting: list[str] = []
    for part in (part for message in group for part in message.content):
        if isinstance(part, ToolCallPart):
            waiting.append(part.id)
        elif isinstance(part, ToolResultPart):
            assert part.call_id in waiting
            waiting.remove(part.call_id)


def test_that_the_unchanged_file_keeps_all_promises() -> None:
    check(plan_import_of(json.dumps(rich_file()).encode(), counted_ids()))


@given(CHANGES)
def test_that_a_changed_value_gives_a_sound_plan_or_our_error(changes: Any) -> None:
    data = json.dumps(mutated(changes)).encode()
    check_import(data)


@given(
    st.lists(
        st.tuples(st.integers(0, 10_000), st.binary(min_size=0, max_size=4), st.integers(0, 6)),
        min_size=1,
        max_size=4,
    )
)
def test_that_changed_bytes_give_a_sound_plan_or_our_error(changes: list[tuple[int, bytes, int]]) -> None:
    data = json.dumps(rich_file()).encode()
    for start, put, taken in changes:
        start %= len(data)
        data = data[:start] + put + data[start + taken :]
    check_import(data)


@given(st.permutations(rich_file()["agents"][0]["messages"]))
def test_that_messages_in_any_order_give_a_sound_plan(messages: list[Any]) -> None:
    file = rich_file()
    file["agents"][0]["messages"] = messages
    plan = plan_import_of(json.dumps(file).encode(), counted_ids())
    check(plan)
    assert plan.agents[0].messages >= len(messages)
