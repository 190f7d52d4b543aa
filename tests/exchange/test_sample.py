"""The sample constellation: what its lines stand for, and the variety that it is there to show."""

import json
import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.activity import EventKind, Importance
from inspector.domain.agents import AgentStatus
from inspector.domain.blocks import Permission
from inspector.domain.codec import to_plain
from inspector.domain.edits.base import Intent, Operation
from inspector.domain.edits.block_rows import AttachBlock, CreateBlock, DeleteBlock, InsertArchival
from inspector.domain.edits.consent import RequestConsent
from inspector.domain.edits.items import InsertItem, RemoveItem
from inspector.domain.edits.rows import (
    AppendMessage,
    CreateAgent,
    EnqueueMessage,
    LogEvent,
    PutTool,
    SetWakeup,
    StoreRun,
    StoreSummary,
)
from inspector.domain.errors import MalformedError
from inspector.domain.messages import ToolCallPart, ToolResultPart
from inspector.domain.records import QueueState
from inspector.exchange.sample import plan
from inspector.shipped.locate import resource_path
from tests.exchange.builders import counted_ids

NOW = datetime(2026, 5, 1, 12, 0, 0, 250_000, tzinfo=UTC)
ADA = {"kind": "agent", "id": "@agt:ada", "name": "Ada"}
TASKS = {"kind": "block", "id": "@blk:tasks"}


@pytest.fixture(scope="module")
def sample() -> tuple[Intent, ...]:
    return plan(NOW, counted_ids())


def operations(intents: tuple[Intent, ...], kind: type[Operation]) -> list[Any]:
    return [each.edit.operation for each in intents if isinstance(each.edit.operation, kind)]


def line(at: str, operation: dict[str, Any], **more: Any) -> str:
    edit = {"target": TASKS, "operation": operation}
    return json.dumps({"at": at, "edit": edit, "actor": ADA, **more})


def written(folder: Path, *lines: str) -> Path:
    path = folder / "edits.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_that_one_name_is_one_id_and_an_offset_is_a_moment(tmp_path: Path) -> None:
    source = written(
        tmp_path,
        line(
            "@-3d4h", {"op": "insert_item", "id": "@itm:a", "value": {"due": "@+2h", "title": "-1d @ home"}}
        ),
        line("@-0s", {"op": "remove_item", "item": "@itm:a"}, unlock=True),
    )
    first, second = plan(NOW, counted_ids(), source)
    made, removed = first.edit.operation, second.edit.operation
    assert isinstance(made, InsertItem)
    assert made.value == {"due": "2026-05-01T14:00:00Z", "title": "-1d @ home"}
    assert made.id is not None
    assert made.id.startswith("itm")
    assert removed == RemoveItem(made.id)
    assert first.edit.target == second.edit.target
    assert (second.at, second.unlock) == (NOW.replace(microsecond=0), True)
    assert first.at == NOW.replace(microsecond=0) - timedelta(days=3, hours=4)


def test_that_compressions_name_the_summaries_that_are_stored(sample: tuple[Intent, ...]) -> None:
    stored = {each.edit.target.id for each in sample if isinstance(each.edit.operation, StoreSummary)}
    events = [each for each in operations(sample, LogEvent) if each.kind == EventKind.CONTEXT_COMPRESSED]
    assert {json.loads(each.details)["summary_created"] for each in events} == stored


@pytest.mark.parametrize(
    "fault",
    [
        line("@-1m", {"op": "dance"}),
        line("@yesterday", {"op": "remove_item", "item": "@itm:a"}),
        line("@-1m", {"op": "remove_item"}),
        line("@-1m", {"op": "remove_item", "item": "i"}, mood="good"),
        "{",
    ],
)
def test_that_a_fault_in_the_source_is_an_error(tmp_path: Path, fault: str) -> None:
    with pytest.raises(MalformedError):
        plan(NOW, counted_ids(), written(tmp_path, fault))


def test_that_all_is_in_the_order_of_time_and_only_wakeups_lie_ahead(sample: tuple[Intent, ...]) -> None:
    times = [each.at for each in sample if each.at is not None]
    assert len(times) == len(sample)
    assert times == sorted(times)
    assert times[-1] == NOW.replace(microsecond=0)
    assert all(each.wake_at > NOW for each in operations(sample, SetWakeup))


def test_that_there_is_enough_of_everything(sample: tuple[Intent, ...]) -> None:
    least = {
        CreateAgent: 3, CreateBlock: 16, DeleteBlock: 1, AttachBlock: 3, AppendMessage: 210, InsertArchival: 20,
        PutTool: 8, StoreSummary: 9, StoreRun: 2, SetWakeup: 1, RequestConsent: 1,
    }  # fmt: skip
    for kind, count in least.items():
        assert len(operations(sample, kind)) >= count, kind.__name__


def test_that_every_kind_of_thing_occurs(sample: tuple[Intent, ...]) -> None:
    blocks = operations(sample, CreateBlock)
    assert {each.block_type.value for each in blocks} == {"core", "working", "log", "archival"}
    assert {to_plain(each.schema)["kind"] for each in blocks} == {
        *("text", "map", "list", "log", "tree", "composite")
    }
    assert {each.permission for each in blocks} == set(Permission)
    assert {each.actor.kind.value for each in sample} == {"agent", "human", "partner", "system", "import"}
    assert {each.state for each in operations(sample, EnqueueMessage)} == set(QueueState) - {
        QueueState.RUNNING
    }
    assert {each.depth for each in operations(sample, StoreSummary)} == {0, 1, 2}
    events = operations(sample, LogEvent)
    # The store itself logs what the other edits do.
    logged = {
        EventKind.MEMORY_MODIFIED,
        EventKind.MESSAGE_RECEIVED,
        EventKind.MESSAGE_SENT,
        EventKind.TOOL_CALLED,
    }
    assert {each.kind for each in events} >= set(EventKind) - logged - {
        *(EventKind.ARCHIVAL_OPERATION, EventKind.CUSTOM)
    }
    assert {each.importance for each in events} == set(Importance)
    assert {each.status for each in operations(sample, CreateAgent)} >= {AgentStatus.ACTIVE}


def test_that_every_call_but_those_of_one_batch_has_one_result(sample: tuple[Intent, ...]) -> None:
    calls: Counter[str] = Counter()
    results: Counter[str] = Counter()
    open_batches = set()
    for message in operations(sample, AppendMessage):
        for part in message.content:
            if isinstance(part, ToolCallPart):
                calls[part.id] += 1
                open_batches.add((message.batch_id, part.id))
            elif isinstance(part, ToolResultPart):
                results[part.call_id] += 1
                open_batches.discard((message.batch_id, part.call_id))
    assert max(calls.values()) == max(results.values()) == 1
    assert set(results) <= set(calls)
    assert len({batch for batch, _ in open_batches}) == 1


def test_that_several_scripts_and_emoji_occur_and_no_secret() -> None:
    everything = resource_path("sample", "edits.jsonl").read_text("utf-8")
    scripts = (
        r"[\u3040-\u30ff]",
        r"[\u4e00-\u9fff]",
        r"[\uac00-\ud7a3]",
        r"[\U0001f300-\U0001faff]",
        "\u3000",
    )
    for script in scripts:
        assert re.search(script, everything), script
    assert not re.search(r"sk-[A-Za-z0-9]{16}|AKIA[0-9A-Z]{12}|BEGIN [A-Z ]*PRIVATE KEY|ghp_", everything)
