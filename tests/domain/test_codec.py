"""The JSON form of values: inverse, strict, and telling where it fails."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from inspector.domain.agents import ContextConfig
from inspector.domain.blocks import (
    OBSERVATION_LOG,
    PARTNER_PROFILE,
    TASK_LIST,
    BlockType,
    CompositeSchema,
    Permission,
    Schema,
    SectionDef,
    TextSchema,
    Viewport,
)
from inspector.domain.codec import from_plain, read_time, to_plain, write_time
from inspector.domain.content import (
    CompositeContent,
    FieldEntry,
    ListContent,
    ListItem,
    MapContent,
    TextContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.edits.base import Edit, Operation, Version
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.consent import RequestConsent
from inspector.domain.edits.fields import SetField
from inspector.domain.edits.items import InSection, InsertItem
from inspector.domain.edits.registry import OPERATIONS
from inspector.domain.edits.rows import AppendMessage, StoreSummary
from inspector.domain.edits.text import ReplaceMode, ReplaceText, Splice, SpliceText
from inspector.domain.errors import MalformedError
from inspector.domain.limits import Hysteresis, LimitOverrides
from inspector.domain.messages import Role, TextPart, ToolCallPart, ToolResultPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import PositionRange

MOMENT = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
COMPOSITE = CompositeSchema(
    (
        SectionDef("notes", TextSchema(Viewport(3, 10))),
        SectionDef("tasks", TASK_LIST, read_only=True),
    )
)
CONTENT = CompositeContent(
    {
        "notes": TextContent("a\r\nb"),
        "tasks": ListContent(
            (ListItem("i1", {"title": "t", "tags": (FieldEntry("e", 1.5),)}), ListItem("i2", "x"))
        ),
    }
)
VALUES: list[tuple[object, object]] = [
    (Schema, COMPOSITE),
    (Schema, PARTNER_PROFILE),
    (Schema, OBSERVATION_LOG),
    (CompositeContent, CONTENT),
    (MapContent, MapContent({"name": "Noor", "level": 5, "on": True, "nothing": None})),
    (TreeContent, TreeContent((TreeNode("n", "root", (TreeNode("m", {"title": "leaf"}),)),))),
    (ContextConfig, ContextConfig(LimitOverrides("small", max_tokens=9), strategy=Hysteresis(0.9, 0.4))),
    (Operation, SpliceText((Splice(0, 2, "é"), Splice(5, 0, "🙂")))),
    (Operation, ReplaceText("a+", "b", ReplaceMode.REGEX)),
    (Operation, InSection("tasks", InsertItem({"title": "x", "done": False}, before="i1"))),
    (Operation, SetField("preferences", ("short", "links"))),
    (
        Operation,
        CreateBlock(
            "a1", "notes/x", COMPOSITE, BlockType.CORE, permission=Permission.PARTNER, content=CONTENT
        ),
    ),
    (
        Operation,
        AppendMessage(
            "a1",
            "b1",
            Role.ASSISTANT,
            (TextPart("hi"), ToolCallPart("c", "f", '{"a": 1}'), ToolResultPart("c", "no", True)),
        ),
    ),
    (
        Operation,
        StoreSummary("a1", "s", ("t",), MOMENT, MOMENT, 3, covers=PositionRange(1, 3)),
    ),
    (
        Operation,
        RequestConsent(
            "a1",
            Edit(Ref(RefKind.BLOCK, "b", "f"), SetField("name", "N"), Version("ab")),
            Permission.HUMAN,
        ),
    ),
]


@pytest.mark.parametrize(("kind", "value"), VALUES, ids=lambda each: type(each).__name__)
def test_that_a_value_survives_its_json_form(kind: object, value: object) -> None:
    assert from_plain(kind, json.loads(json.dumps(to_plain(value)))) == value


def test_that_every_operation_has_a_name_of_its_own() -> None:
    assert len(OPERATIONS) == len(set(OPERATIONS.values()))
    assert all(to_plain_name == kind.op for to_plain_name, kind in OPERATIONS.items())


@pytest.mark.parametrize(
    ("kind", "plain", "where"),
    [
        (
            Schema,
            {"kind": "map", "fields": [{"name": "a", "field_type": "colour"}]},
            "$.fields[0].field_type",
        ),
        (Schema, {"kind": "grid"}, "$.kind"),
        (Schema, {"kind": "text", "view": 1}, "$"),
        (Schema, {"kind": "list", "max_items": "3"}, "$.max_items"),
        (Schema, {"kind": "list", "max_items": True}, "$.max_items"),
        (Schema, [], "$"),
        (Operation, {"op": "set_text"}, "$"),
        (Operation, {"op": "in_section", "section": "s", "operation": {"op": "nope"}}, "$.operation.op"),
        (
            Operation,
            {"op": "splice_text", "splices": [{"start": 0.5, "delete": 0, "insert": ""}]},
            "$.splices[0].start",
        ),
    ],
)
def test_that_a_wrong_shape_is_refused_with_its_place(kind: object, plain: object, where: str) -> None:
    with pytest.raises(MalformedError) as caught:
        from_plain(kind, plain)
    assert caught.value.parameters["where"] == where


def test_that_the_times_of_all_years_are_texts_of_one_length_that_sort_as_they_do() -> None:
    east = timezone(timedelta(hours=2))
    moments = [
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(987, 6, 5, 4, 3, 2, 1, tzinfo=UTC),
        datetime(2026, 11, 20, 9, 30, tzinfo=east),
        datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    ]
    texts = list(map(write_time, moments))
    assert texts[0] == "0001-01-01T00:00:00.000000Z"
    assert texts[2] == "2026-11-20T07:30:00.000000Z"
    assert texts == sorted(texts)
    assert list(map(read_time, texts)) == moments


@pytest.mark.parametrize("stored", [None, 5, 2.5, b"2026-11-20T09:00:00.000000Z", "", "noon", "2026-13-01"])
def test_that_what_is_no_time_is_told_whatever_a_damaged_file_gives(stored: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_time(stored)
