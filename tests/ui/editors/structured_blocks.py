"""Blocks of every schema in the world's file, and a window with one of them open."""

from dataclasses import dataclass

from inspector.domain.blocks import (
    PARTNER_PROFILE,
    TASK_LIST,
    CompositeSchema,
    EntrySchema,
    FieldDef,
    FieldType,
    ListSchema,
    LogSchema,
    MapSchema,
    Schema,
    SectionDef,
    TextSchema,
    TreeSchema,
)
from inspector.domain.content import (
    CompositeContent,
    Content,
    FieldEntry,
    ListContent,
    ListItem,
    LogContent,
    LogEntry,
    MapContent,
    TextContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.ref import Ref, RefKind
from tests.ui.values import ADA


@dataclass(frozen=True)
class Made:
    """A block to be made in the file."""

    ref: Ref
    schema: Schema
    content: Content

    @property
    def edit(self) -> Edit:
        return Edit(
            self.ref,
            CreateBlock(
                ADA, self.ref.id.removeprefix("blk_"), self.schema, content=self.content, char_limit=0
            ),
        )


def block(name: str, schema: Schema, content: Content) -> Made:
    return Made(Ref(RefKind.BLOCK, f"blk_{name}"), schema, content)


def task(id_: str, title: str, *, done: bool = False) -> ListItem:
    return ListItem(id_, {"title": title, "done": done, "priority": 3})


TASKS = block(
    "tasks",
    TASK_LIST,
    ListContent((task("a", "Freeze the changelog", done=True), task("b", "Sign"), task("c", "Announce"))),
)
WORDS = block("words", ListSchema(), ListContent((ListItem("1", "berth"), ListItem("2", "quay"))))
SERVICE = block(
    "service",
    MapSchema(
        (
            FieldDef("name", description="As it is called in the register", required=True),
            FieldDef("stage", choices=("draft", "beta", "live")),
            FieldDef("replicas", FieldType.NUMBER, minimum=1, maximum=9),
            FieldDef("restarts", FieldType.COUNTER),
            FieldDef("public", FieldType.BOOLEAN),
            FieldDef("owners", FieldType.LIST),
            FieldDef("checked", FieldType.TIMESTAMP),
            FieldDef("token", read_only=True),
        )
    ),
    MapContent(
        {
            "name": "harbor-queue",
            "stage": "beta",
            "replicas": 3,
            "restarts": 5,
            "public": True,
            "owners": (FieldEntry("o1", "Noor"), FieldEntry("o2", "Sam")),
            "token": "kept by the vault",
        }
    ),
)
PROFILE = block("profile", PARTNER_PROFILE, MapContent({"name": "Noor", "energy_level": 5}))
WATCH = block(
    "watch",
    LogSchema(20, EntrySchema(fields=(FieldDef("observation", required=True), FieldDef("context")))),
    LogContent(
        (
            LogEntry(
                "e1",
                "2026-11-19T08:00:00.000000Z",
                "Ada",
                {"observation": "The runner is slow", "context": "CI"},
            ),
            LogEntry("e2", "2026-11-20T09:30:00.000000Z", "Ada", {"observation": "It was the cache"}),
        )
    ),
)
DECISIONS = block(
    "decisions",
    TreeSchema(),
    TreeContent(
        (
            TreeNode(
                "q",
                "One queue per tenant",
                (TreeNode("q1", "Because of quotas"), TreeNode("q2", "And of noise")),
            ),
            TreeNode("s", "Sign on arm64"),
        )
    ),
)
PLAN = block(
    "plan",
    CompositeSchema(
        (
            SectionDef("goal", TextSchema(), "What 4.2 is for"),
            SectionDef("tasks", TASK_LIST),
            SectionDef("facts", MapSchema((FieldDef("branch"), FieldDef("builds", FieldType.COUNTER)))),
        )
    ),
    CompositeContent(
        {
            "goal": TextContent("Ship the queue without a migration."),
            "tasks": ListContent((task("t1", "Cut the branch"),)),
            "facts": MapContent({"branch": "release/4.2", "builds": 7}),
        }
    ),
)
ALL = (TASKS, WORDS, SERVICE, WATCH, DECISIONS, PLAN)
