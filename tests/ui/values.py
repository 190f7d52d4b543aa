"""The Harbor team as values: three agents, their blocks, and a Request with known figures for views."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.agents import Agent, AgentStatus, ContextConfig
from inspector.domain.blocks import (
    TASK_LIST,
    Block,
    BlockType,
    FieldDef,
    FieldType,
    LogSchema,
    MapSchema,
    Permission,
    Schema,
    TextSchema,
)
from inspector.domain.content import (
    Content,
    ListContent,
    ListItem,
    LogContent,
    LogEntry,
    MapContent,
    TextContent,
)
from inspector.domain.counts import Method, Tokenizer
from inspector.domain.edits.base import Version
from inspector.domain.limits import Limits
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rendering.render import render
from inspector.domain.requests import Fix, LeftOut, Mark, Piece, Request, Section, Source, SourceKind, TextRun
from inspector.domain.snapshot import BlockState, LastWrite, SharedBlock

NOW = datetime(2026, 11, 20, 14, 2, 0, tzinfo=UTC)
NOOR = Actor(ActorKind.HUMAN, "human:noor", "Noor")
ADA, GRACE, LINUS = "agt_ada", "agt_grace", "agt_linus"
NAMES = {ADA: "Ada", GRACE: "Grace", LINUS: "Linus"}
EXACT = Tokenizer("o200k_base", Method.EXACT)
HUMAN_SCHEMA = MapSchema(
    (
        FieldDef("name", required=True),
        FieldDef("current_focus"),
        FieldDef("energy_level", FieldType.NUMBER, read_only=True),
    )
)


@dataclass(frozen=True)
class Spec:
    """A block in short."""

    label: str
    content: Content
    block_type: BlockType = BlockType.WORKING
    schema: Schema = field(default_factory=TextSchema)
    tokens: int = 0
    owner: str = ADA
    permission: Permission = Permission.READ_WRITE
    pinned: bool = False
    limit: int = 5000
    description: str = ""
    active: bool = True


CHECKLIST = ListContent(
    tuple(
        ListItem(f"itm_{place}", {"title": title, "done": done, "priority": 3})
        for place, (title, done) in enumerate(
            (
                ("changelog frozen", True),
                ("smoke test on arm64", True),
                ("sign the Windows installer", False),
                ("announce in #harbor", False),
            )
        )
    )
)
BLOCKS = {
    "blk_persona": Spec(
        "persona",
        TextContent(
            "I am Ada, release engineer of the Harbor team. I check before I claim,\n"
            "I name the commit I looked at, and I never merge on a Friday."
        ),
        BlockType.CORE,
        tokens=431,
        description="Who Ada is and how she works",
    ),
    "blk_human": Spec(
        "human",
        MapContent({"name": "Noor", "current_focus": "cutting 4.2 before the freeze", "energy_level": 3}),
        BlockType.CORE,
        HUMAN_SCHEMA,
        623,
        permission=Permission.READ_ONLY,
    ),
    "blk_checklist": Spec("release_checklist", CHECKLIST, schema=TASK_LIST, tokens=96, pinned=True),
    "blk_questions": Spec(
        "open_questions",
        TextContent("Does the arm64 runner sign?\nWho announces in #harbor if Noor is away?"),
        tokens=598,
    ),
    "blk_notes": Spec("design_notes", TextContent("Harbor keeps one queue per tenant. " * 120), tokens=0),
    "blk_observations": Spec(
        "observations",
        LogContent((LogEntry("ent_1", "2026-11-20T13:40:00Z", "Ada", {}),)),
        BlockType.LOG,
        LogSchema(),
        214,
    ),
    "blk_oncall": Spec(
        "team/on-call",
        TextContent("On call this week: Noor (until Thu 09:00 UTC), then Sam."),
        tokens=260,
        owner=GRACE,
    ),
    "blk_glossary": Spec(
        "harbor/glossary-of-terms", TextContent("berth: a tenant's queue\n" * 200), tokens=247, owner=GRACE
    ),
    "blk_old": Spec("retro_3.9", TextContent("What went well: …"), BlockType.ARCHIVAL),
    "blk_gone": Spec("friday_plan", TextContent("Merge on Friday."), active=False),
}
SHARED = ("blk_oncall", "blk_glossary")


def agent(id_: str) -> Agent:
    """One of the three agents."""
    return Agent(
        id_,
        NAMES[id_],
        "",
        (),
        "openai",
        "gpt-5-mini",
        "{}",
        ContextConfig(),
        (),
        AgentStatus.ACTIVE,
        "{}",
        NOW - timedelta(days=20),
        NOW,
    )


def state(block_id: str) -> BlockState:
    """One block with its content."""
    spec = BLOCKS[block_id]
    writer = Actor(ActorKind.AGENT, spec.owner, NAMES[spec.owner])
    block = Block(
        block_id,
        spec.owner,
        spec.label,
        spec.description,
        spec.block_type,
        spec.schema,
        spec.limit,
        spec.permission,
        spec.pinned,
        spec.active,
        NOW - timedelta(days=9),
        NOW - timedelta(minutes=4),
    )
    written = LastWrite(writer, NOW - timedelta(minutes=4), "", "call_block_edit")
    return BlockState(block, spec.content, Version("aa31"), 31, written)


def shared(block_id: str) -> SharedBlock:
    """One block that is shared with Ada."""
    return SharedBlock(state(block_id), NAMES[GRACE], Permission.READ_ONLY, None)


def piece(block_id: str) -> Piece:
    """A block's piece."""
    spec = BLOCKS[block_id]
    text = f"<{spec.label}>\n{render(spec.schema, spec.content).text}\n</{spec.label}>\n\n"
    tokens = max(1, spec.tokens)
    section = "shared" if block_id in SHARED else spec.block_type.value
    rule = "shared_attached" if block_id in SHARED else "working_pinned" if spec.pinned else "core_always"
    return Piece(
        f"block:{block_id}",
        section,
        Source(SourceKind.BLOCK, block_id, spec.label, spec.owner),
        rule,
        (TextRun(text, True, tokens, Method.EXACT),),
        parameters={"tokens": tokens, "available": 2306},
    )


def plain_piece(section: str, name: str, tokens: int, text: str, method: Method = Method.EXACT) -> Piece:
    """A piece of no block."""
    kinds = {"messages": SourceKind.MESSAGE, "activity": SourceKind.EVENT, "tools": SourceKind.TOOL}
    kind = kinds.get(section, SourceKind.LITERAL)
    return Piece(
        f"{kind}:{name}",
        section,
        Source(kind, name, None if kind is SourceKind.MESSAGE else name, ADA),
        "history_recent" if section == "messages" else "heading",
        (TextRun(text, True, tokens, method),),
    )


def request() -> Request:
    """What would be sent of Ada, with known figures."""
    return Request(
        ADA,
        NAMES[ADA],
        "gpt-5-mini",
        Limits(14_500, 4_000, 5_200, 1_200),
        EXACT,
        "standard",
        "truncate",
        "2026-11-20T14:02:00Z",
        "UTC",
        _sections(),
        "You are Ada.",
        (),
        ("deploy",),
        _left_out(),
        {},
        (),
        (),
    )


def _sections() -> tuple[Section, ...]:
    def of(*block_ids: str) -> tuple[Piece, ...]:
        return tuple(piece(block_id) for block_id in block_ids)

    return (
        Section(
            "tools", "Tools", (plain_piece("tools", "deploy", 1254, '{"name":"deploy"}\n', Method.ESTIMATE),)
        ),
        Section(
            "instructions",
            "Persona",
            (plain_piece("instructions", "persona", 812, "# Persona\n\nYou are Ada.\n\n"),),
        ),
        Section("core", "Core Memory", of("blk_persona", "blk_human")),
        Section("working", "Working Memory", of("blk_checklist", "blk_questions")),
        Section("log", "Recent Logs", of("blk_observations")),
        Section("shared", "Shared Context", of(*SHARED)),
        Section("hints", "Block Types", (plain_piece("hints", "hints", 121, "# Memory Block Types\n\n"),)),
        Section(
            "summary",
            "Previous Conversation Summary",
            (plain_piece("summary", "sum_1", 560, "## Summary\n\n"),),
        ),
        Section(
            "activity",
            "Recent Activity",
            (plain_piece("activity", "evt_1", 198, "[13:40] [YOU/Ada]: Memory updated: observations\n"),),
        ),
        Section(
            "messages",
            "Messages",
            tuple(
                plain_piece("messages", f"msg_{place}", 514, f"Is step {place} done?\n")
                for place in range(10)
            ),
        ),
    )


def _left_out() -> tuple[LeftOut, ...]:
    return (
        LeftOut(
            Source(SourceKind.BLOCK, "blk_notes", "design_notes", ADA),
            "working",
            "memory_full",
            2310,
            Method.EXACT,
            Fix("pin", Ref(RefKind.BLOCK, "blk_notes"), True),
            {"needed": 2310, "available": 2306},
        ),
        LeftOut(
            Source(SourceKind.MESSAGE, "bat_1", "38 batches", ADA, batch=True),
            "messages",
            "history_full",
            21804,
            Method.EXACT,
            Fix("raise_history_tokens", Ref(RefKind.AGENT, ADA), 27000, {"value": 27000}),
            {"needed": 21804, "reach": 27004},
        ),
    )


def with_text(block_id: str, text: str) -> BlockState:
    """A text block as somebody else left it."""
    return replace(state(block_id), content=TextContent(text), version=Version("bb32"), revision=32)


def made_piece(
    id_: str,
    text: str,
    *,
    section: str = "core",
    rule: str = "core_always",
    tokens: int | None = None,
    marks: tuple[Mark, ...] = (),
) -> Piece:
    """A block's piece with that text."""
    run = TextRun(text, True, max(1, len(text) // 4) if tokens is None else tokens, Method.EXACT)
    source = Source(SourceKind.BLOCK, id_, id_, ADA)
    return Piece(id_, section, source, rule, (run,), marks)


def made_request(sections: Mapping[str, Sequence[Piece | str]]) -> Request:
    """A Request of sections of pieces; a text is a piece ``SECTION/NUMBER``."""
    made = []
    for name, pieces in sections.items():
        whole = (
            replace(each, section=name)
            if isinstance(each, Piece)
            else made_piece(f"{name}/{number}", each, section=name)
            for number, each in enumerate(pieces)
        )
        made.append(Section(name, name.capitalize(), tuple(whole)))
    return replace(request(), sections=tuple(made), left_out=())
