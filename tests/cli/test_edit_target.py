"""What `edit --operation` reaches: every operation that there is, and why not where it cannot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.cli.edit_target import TargetOptions, aim
from inspector.domain.edits.base import Edit, Intent, Receipt
from inspector.domain.edits.registry import OPERATIONS
from inspector.domain.ref import Ref
from inspector.runtime.engine import Engine
from tests.cli.program import run, said

TITLE = {"name": "title"}
SCHEMAS: dict[str, dict[str, Any]] = {
    "text": {"kind": "text"},
    "map": {
        "kind": "map",
        "fields": [TITLE, {"name": "all", "field_type": "list"}, {"name": "n", "field_type": "counter"}],
    },
    "list": {"kind": "list", "item_schema": [TITLE]},
    "log": {"kind": "log", "entry_schema": {"fields": [TITLE]}},
    "tree": {"kind": "tree", "node_schema": [TITLE]},
    "parts": {"kind": "composite", "sections": [{"name": "s", "schema": {"kind": "text"}}]},
}
ON_BLOCKS: list[tuple[str, dict[str, Any]]] = [
    ("text", {"op": "set_text", "text": "one\ntwo"}),
    ("text", {"op": "append_text", "text": "\nthree"}),
    ("text", {"op": "insert_text", "at": 0, "text": "zero\n"}),
    ("text", {"op": "splice_text", "splices": [{"start": 0, "delete": 0, "insert": "!"}]}),
    ("text", {"op": "replace_text", "find": "two", "replace": "2"}),
    ("text", {"op": "replace_lines", "first": 1, "last": 1, "text": "first\n"}),
    ("text", {"op": "patch_text", "diff": "@@ -1,1 +1,1 @@\n-first\n+FIRST\n"}),
    ("map", {"op": "set_field", "field": "title", "value": "t"}),
    ("map", {"op": "append_to_field", "field": "all", "value": "a", "id": "a1"}),
    ("map", {"op": "append_to_field", "field": "all", "value": "b", "id": "a2"}),
    ("map", {"op": "move_in_field", "field": "all", "item": "a2", "before": "a1"}),
    ("map", {"op": "remove_from_field", "field": "all", "item": "a1"}),
    ("map", {"op": "increment", "field": "n", "by": 2}),
    ("map", {"op": "clear_field", "field": "title"}),
    ("list", {"op": "insert_item", "value": {"title": "a"}, "id": "i1"}),
    ("list", {"op": "insert_item", "value": {"title": "b"}, "id": "i2"}),
    ("list", {"op": "update_item", "item": "i1", "value": {"title": "A"}}),
    (
        "list",
        {"op": "edit_parts", "operations": [{"op": "update_item", "item": "i1", "value": {"title": "AA"}}]},
    ),
    ("list", {"op": "move_item", "item": "i2", "before": "i1"}),
    ("list", {"op": "remove_item", "item": "i1"}),
    ("log", {"op": "append_entry", "fields": {"title": "seen"}, "id": "e1"}),
    ("log", {"op": "remove_entry", "entry": "e1"}),
    ("tree", {"op": "add_node", "value": {"title": "a"}, "id": "n1"}),
    ("tree", {"op": "add_node", "value": {"title": "b"}, "id": "n2"}),
    ("tree", {"op": "update_node", "node": "n1", "value": {"title": "A"}}),
    ("tree", {"op": "move_node", "node": "n2", "parent": "n1"}),
    ("tree", {"op": "remove_node", "node": "n1"}),
    ("parts", {"op": "in_section", "section": "s", "operation": {"op": "set_text", "text": "in"}}),
    ("text", {"op": "set_description", "description": "a text"}),
    ("text", {"op": "set_block_type", "block_type": "core"}),
    ("text", {"op": "set_char_limit", "char_limit": 9000}),
    ("text", {"op": "set_pinned", "pinned": True}),
    ("text", {"op": "set_permission", "permission": "append"}),
    ("list", {"op": "set_schema", "schema": {"kind": "text"}, "accept_loss": True}),
    ("map", {"op": "delete_block"}),
    ("map", {"op": "restore_block"}),
    ("log", {"op": "set_label", "label": "diary"}),
]
LAYOUT = {
    "name": "mine",
    "description": "",
    "join": "\n\n",
    "wrapper": "element",
    "sections": [{"name": "core"}, {"name": "messages"}],
}
ASKED = {"target": {"kind": "block", "id": "blk_text"}, "operation": {"op": "append_text", "text": "?"}}
ON_ROWS: list[tuple[str | None, dict[str, Any]]] = [
    ("agent:agt_new", {"op": "create_agent", "name": "New"}),
    (None, {"op": "configure_agent", "persona": "Another"}),
    (None, {"op": "compact_history", "state": {"limits": "x", "first": 1}}),
    (None, {"op": "put_tool", "tool": {"name": "dig", "description": "", "parameters": "{}"}}),
    (None, {"op": "put_tool_rule", "tool": "dig", "kind": "exit"}),
    (None, {"op": "put_layout", "layout": LAYOUT}),
    (
        "message:msg_1",
        {
            "op": "append_message",
            "batch_id": "bat_1",
            "role": "user",
            "content": [{"type": "text", "text": "hi"}],
        },
    ),
    ("message:msg_1", {"op": "edit_message", "content": [{"type": "text", "text": "ho"}]}),
    ("message:msg_1", {"op": "archive_message"}),
    (
        "summary:sum_1",
        {
            "op": "store_summary",
            "content": "all",
            "topics": [],
            "message_count": 1,
            "start": "2026-11-20T09:00:00Z",
            "end": "2026-11-20T10:00:00Z",
            "covers": {"first": 1, "last": 1},
        },
    ),
    ("summary:sum_1", {"op": "edit_summary", "content": "all of it"}),
    (None, {"op": "log_event", "kind": "custom", "details": "{}"}),
    ("queue:que_1", {"op": "enqueue_message", "from_agent_id": None, "content": "psst"}),
    ("queue:que_1", {"op": "set_queue_state", "state": "dead"}),
    ("queue:que_2", {"op": "enqueue_message", "from_agent_id": None, "content": "psst"}),
    ("queue:que_2", {"op": "lease_message", "lease_until": "2026-11-30T09:00:00Z"}),
    ("queue:que_2", {"op": "settle_message", "attempt": 1}),
    (None, {"op": "set_wakeup", "content": "up", "wake_at": "2026-11-30T09:00:00Z"}),
    (None, {"op": "store_run", "kind": "test", "model": "m", "request_text": "t", "manifest": "{}"}),
    (None, {"op": "set_meta", "name": "name", "value": "Mine"}),
    (None, {"op": "set_partner", "person_id": "human:p", "name": "P"}),
    ("archival:arc_1", {"op": "insert_archival", "content": "kept"}),
    ("archival:arc_1", {"op": "update_archival", "tags": ["a"]}),
    ("archival:arc_1", {"op": "delete_row"}),
    ("archival:arc_1", {"op": "restore_row"}),
    ("consent:con_1", {"op": "request_consent", "edit": ASKED, "level": "human"}),
    ("consent:con_1", {"op": "answer_consent", "decision": "once"}),
    (
        "consent:con_2",
        {"op": "request_consent", "edit": ASKED, "level": "human", "expires_at": "2026-11-20T10:00:00Z"},
    ),
    ("consent:con_2", {"op": "time_out_consent"}),
    ("grant:gra_1", {"op": "grant_consent"}),
    ("grant:gra_1", {"op": "revoke_grant"}),
]
NEVER_DONE = {"apply_together", "take_step"}


async def test_that_every_operation_is_reached(mine: Path) -> None:
    done: set[str] = set()
    engine = await Engine.open(mine)

    async def do(pointed: TargetOptions, plain: dict[str, Any]) -> Receipt:
        aimed = await aim(engine, pointed, plain)
        edit = Edit(aimed.target, aimed.operation)
        (receipt,) = await engine.apply([Intent(edit, aimed.actor)])
        assert receipt.changed, plain
        done.add(plain["op"])
        return receipt

    try:
        for label, schema in SCHEMAS.items():
            plain = {"op": "create_block", "label": label, "schema": schema}
            assert (await do(TargetOptions("Ada", f"blk_{label}"), plain)).ref.id == f"blk_{label}"
        for label, plain in ON_BLOCKS:
            await do(TargetOptions("Ada", f"blk_{label}"), plain)
        (grace,) = [each for each in (await engine.agents.list())[0] if each.name == "Grace"]
        for op in ("attach_block", "detach_block"):
            await do(TargetOptions("Ada", "text"), {"op": op, "agent_id": grace.id})
        versions = [each.version for each in await engine.memory.versions.versions("blk_text")]
        await do(TargetOptions("Ada", "text"), {"op": "restore_version", "version": versions[1]})
        await do(
            TargetOptions("Ada", "text"), {"op": "take_back", "before": versions[0], "after": versions[1]}
        )
        for target, plain in ON_ROWS:
            await do(TargetOptions("Ada", target=None if target is None else Ref.read(target)), plain)
    finally:
        await engine.close()
    assert done == set(OPERATIONS) - NEVER_DONE


def _edit(file: Path, *arguments: object) -> tuple[int, str]:
    done = run("edit", file, *arguments)
    assert b"Traceback" not in done.stderr
    return done.returncode, done.stderr.decode()


def test_that_a_block_is_made_under_the_name_that_is_given(mine: Path) -> None:
    made = said("edit", mine, "--agent", "Ada", "--block", "new one", "--operation", '{"op": "create_block"}')
    assert set(made) == {"block", "seq", "changed"}
    shown = said("show", mine, "--agent", "Ada", "--block", "new one")["block"]
    assert shown["id"] == made["block"]
    code, why = _edit(mine, "--agent", "Ada", "--block", "new one", "--operation", '{"op": "create_block"}')
    assert code == 3
    assert "new one" in why
    everyones = ("--block", "ours", "--owner", "_constellation_", "--operation", '{"op": "create_block"}')
    said("edit", mine, "--agent", "Ada", *everyones)
    assert "ours" in {row["label"] for row in said("blocks", mine, "--agent", "Grace")["blocks"]}


def test_that_a_label_of_its_own_leaves_the_name_to_be_the_id(mine: Path) -> None:
    operation = '{"op": "create_block", "label": "told"}'
    named = ("--agent", "Ada", "--block", "blk_told", "--operation", operation)
    assert said("edit", mine, *named)["block"] == "blk_told"
    assert said("show", mine, "--agent", "Ada", "--block", "told")["block"]["id"] == "blk_told"


def test_that_an_agent_makes_no_block_for_another(mine: Path) -> None:
    named = ("--agent", "Ada", "--as-agent", "--owner", "Grace", "--block", "x")
    assert _edit(mine, *named, "--operation", '{"op": "create_block"}')[0] == 3


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("--operation", '{"op": "set_text", "text": "x"}'), 2, "--block"),
        (("--operation", '{"op": "create_block"}'), 2, "--block"),
        (("--operation", '{"op": "edit_message", "content": []}'), 2, "--target message:ID"),
        (("--target", "nonsense", "--operation", '{"op": "delete_row"}'), 2, "nonsense"),
        (("--target", "agent:Ada", "--operation", '{"op": "edit_message", "content": []}'), 1, "agent:Ada"),
        (("--target", "run:x", "--operation", '{"op": "delete_row"}'), 3, "run"),
        (("--target", "message:x", "--operation", '{"op": "delete_row"}'), 1, "x"),
        (("--block", "notes", "--operation", '{"op": "configure_agent"}'), 1, "block:notes"),
        (("--operation", '{"op": "apply_together", "intents": []}'), 1, "apply_together"),
        (("--operation", '{"op": "no such"}'), 1, "no such"),
        (("--operation", '{"op": []}'), 1, "$.op"),
        (("--operation", "[]"), 1, "list"),
        (
            (
                "--operation",
                '{"op": "append_message", "agent_id": "?", "batch_id": "b", "role": "user", "content": []}',
            ),
            1,
            "doesn't fit",
        ),
    ],
)
def test_that_what_cannot_be_aimed_is_told(
    mine: Path, arguments: tuple[str, ...], code: int, told: str
) -> None:
    returned, why = _edit(mine, "--agent", "Ada", *arguments)
    assert returned == code, why
    assert told in why
