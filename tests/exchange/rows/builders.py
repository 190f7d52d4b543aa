"""A constellation with something of everything, the rows that no operation makes included."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta
from typing import Any

from inspector.domain.actor import IMPORTER, Actor, ActorKind
from inspector.domain.agents import Tool, ToolRuleKind
from inspector.domain.blocks import (
    CONSTELLATION_OWNER,
    OBSERVATION_LOG,
    PARTNER_PROFILE,
    TASK_LIST,
    BlockType,
    CompositeSchema,
    Permission,
    SectionDef,
    TextSchema,
    TreeSchema,
)
from inspector.domain.content import MapContent, TextContent
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import (
    AttachBlock,
    CreateBlock,
    DeleteBlock,
    DeleteRow,
    InsertArchival,
)
from inspector.domain.edits.consent import GrantConsent, RequestConsent
from inspector.domain.edits.fields import Increment
from inspector.domain.edits.items import AddNode, AppendEntry, InSection, InsertItem
from inspector.domain.edits.row_import import AdoptRows, ConstellationRows
from inspector.domain.edits.rows import (
    AppendMessage,
    CreateAgent,
    EnqueueMessage,
    LogEvent,
    PutTool,
    PutToolRule,
    SetMeta,
    SetWakeup,
    StoreRun,
    StoreSummary,
)
from inspector.domain.edits.text import AppendText, SetText
from inspector.domain.messages import (
    ImagePart,
    RedactedThinkingPart,
    Role,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import PositionRange
from inspector.runtime.engine import Engine
from tests.fixtures import NOON, NOOR

ADA, BOB = "agt_ada", "agt_bob"
ADA_HERSELF = Actor(ActorKind.AGENT, ADA, "Ada")
AT = "2026-11-20T12:00:00.000000Z"
STRANGE = "a\tb \u202e ‘quotes’ </x> {not: json}"
MESSAGE = (
    TextPart("Hello\r\n" + STRANGE),
    ImagePart("image/png", 1, 2, "aGk="),
    ThinkingPart("hm", "sig"),
    RedactedThinkingPart("zzz"),
    ToolCallPart("call 1", "look", '{"a" : 1}'),
)


def edit(kind: RefKind, target: str, operation: Operation) -> Intent:
    return Intent(Edit(Ref(kind, target), operation), NOOR, f"why {target}")


def block(target: str, operation: Operation) -> Intent:
    return edit(RefKind.BLOCK, target, operation)


def made() -> list[Intent]:
    profile = CreateBlock(
        ADA, "Partner", PARTNER_PROFILE, BlockType.CORE, "who", content=MapContent({"name": "Noor"})
    )
    parts = CompositeSchema((SectionDef("todo", TASK_LIST), SectionDef("note", TextSchema(), "n", True)))
    agents = [
        edit(RefKind.CONSTELLATION, "", SetMeta("name", "All of it")),
        edit(RefKind.AGENT, ADA, CreateAgent("Ada", "I am\nAda.", ("One.", "", "Two."), "openai", "gpt-4o")),
        edit(RefKind.AGENT, BOB, CreateAgent("Ada", parameters='{"temperature": 0.5}', tools=("look",))),
        edit(RefKind.TOOL, "look", PutTool(Tool("look", "Looks.", '{"type":"object"}', ("an example",)))),
        edit(RefKind.TOOL_RULE, "rul_1", PutToolRule(BOB, "look", ToolRuleKind.MAX_CALLS, '{"limit":2}')),
    ]
    blocks = [
        block("blk_profile", profile),
        block("blk_tasks", CreateBlock(ADA, "tasks", TASK_LIST, char_limit=0, pinned=True)),
        block("blk_log", CreateBlock(ADA, "log", OBSERVATION_LOG, BlockType.LOG)),
        block("blk_tree", CreateBlock(ADA, "tree/1", TreeSchema())),
        block("blk_parts", CreateBlock(BOB, "parts", parts, permission=Permission.APPEND)),
        block("blk_all", CreateBlock(CONSTELLATION_OWNER, "rules", content=TextContent(STRANGE))),
        block("blk_ask", CreateBlock(ADA, "ask", permission=Permission.HUMAN, content=TextContent("asked"))),
        block("blk_old", CreateBlock(ADA, "old", content=TextContent("an old one"))),
        block("blk_old", DeleteBlock()),
        block("blk_new", CreateBlock(ADA, "old", content=TextContent("a new one\n"))),
        block("blk_profile", AttachBlock(BOB, Permission.APPEND)),
    ]
    contents = [
        block("blk_profile", Increment("energy_level", 4)),
        block("blk_tasks", InsertItem({"title": "first"}, None, "itm_1")),
        block("blk_tasks", InsertItem({"title": "zeroth", "due": "2026-01-01T00:00:00Z"}, "itm_1", "itm_0")),
        block("blk_log", AppendEntry({"observation": "saw"}, "ent_1")),
        block("blk_tree", AddNode("root", None, None, "nod_1")),
        block("blk_tree", AddNode("leaf", "nod_1", None, "nod_2")),
        block("blk_parts", InSection("todo", InsertItem({"title": "inside"}, None, "itm_2"))),
        block("blk_new", AppendText("more\n")),
    ]
    return [*agents, *blocks, *contents, *_rows()]


def _rows() -> list[Intent]:
    summary = StoreSummary(ADA, "What was.", ("t",), NOON, NOON, 2, covers=PositionRange(1, 2))
    asked = RequestConsent(
        ADA, Edit(Ref(RefKind.BLOCK, "blk_ask"), SetText("may I?")), Permission.HUMAN, "so"
    )
    return [
        edit(RefKind.ARCHIVAL, "arc_1", InsertArchival(ADA, "remember " + STRANGE, ("a", "b"), '{"x":1}')),
        edit(RefKind.ARCHIVAL, "arc_2", InsertArchival(ADA, "forget")),
        edit(RefKind.ARCHIVAL, "arc_2", DeleteRow()),
        edit(RefKind.MESSAGE, "msg_1", AppendMessage(ADA, "bat_1", Role.ASSISTANT, MESSAGE, name="n")),
        edit(
            RefKind.MESSAGE,
            "msg_2",
            AppendMessage(ADA, "bat_1", Role.TOOL, (ToolResultPart("call 1", "found", True),)),
        ),
        edit(
            RefKind.MESSAGE,
            "msg_3",
            AppendMessage(ADA, "bat_2", Role.USER, (TextPart("gone"),), is_archived=True),
        ),
        edit(RefKind.MESSAGE, "msg_3", DeleteRow()),
        edit(RefKind.SUMMARY, "sum_1", summary),
        edit(RefKind.EVENT, "evt_1", LogEvent(None, "weather", '{"sky":"blue"}')),
        edit(RefKind.EVENT, "evt_2", LogEvent(ADA, "heartbeat", "{}")),
        edit(RefKind.QUEUE, "que_1", EnqueueMessage(ADA, BOB, "psst", 3, '{"a":[1,2]}', "test")),
        edit(RefKind.WAKEUP, "wak_1", SetWakeup(ADA, "wake", NOON + timedelta(days=1), 60)),
        edit(RefKind.RUN, "run_1", StoreRun(ADA, "test", "gpt-4o", "the Request\n", '{"digest":1}')),
        Intent(Edit(Ref(RefKind.CONSENT, "con_1"), asked), ADA_HERSELF, "please"),
        edit(RefKind.GRANT, "gra_1", GrantConsent(ADA, "blk_ask", uses=3)),
    ]


def unmade() -> Intent:
    """Rows that nothing makes yet."""
    text = "kept"
    tables: dict[str, list[dict[str, Any]]] = {
        "layouts": [{"name": "My own", "definition": '{"sections":[]}', "is_deleted": 0, "updated_at": AT}],
        "user_schemas": [{"name": "Mine", "schema": '{"kind":"text"}', "is_deleted": 1, "updated_at": AT}],
        "context_states": [{"agent_id": ADA, "at": AT, "run_id": "run_1", "state": '{"first":1}'}],
        "calibrations": [
            {
                "model": "gpt-4o",
                "tokenizer": "o200k_base",
                "estimated": 10,
                "reported": number,
                "run_id": "run_1",
                "at": AT,
            }
            for number in (12, 11)
        ],
        "request_texts": [{"hash": hashlib.sha256(text.encode()).hexdigest(), "text": text}],
    }
    operation = AdoptRows(ConstellationRows({}, tables))
    return Intent(Edit(Ref(RefKind.CONSTELLATION, ""), operation), IMPORTER, "unmade")


async def furnish(engine: Engine) -> None:
    """Fill a file."""
    await engine.apply(made())
    await engine.apply([unmade()])


def listed(data: bytes, name: str) -> list[dict[str, Any]]:
    """One list of an exported JSON file."""
    found: list[dict[str, Any]] = json.loads(data)[name]
    return found
