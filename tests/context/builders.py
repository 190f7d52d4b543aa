"""Invented blocks, messages and snapshots for the builder's tests."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from inspector.context.builder import ContextBuilder
from inspector.context.counting.pool import shipped_pool
from inspector.domain.activity import Event, Importance
from inspector.domain.agents import ActivitySettings, Agent, AgentStatus, ContextConfig, Tool
from inspector.domain.blocks import Block, BlockType, Permission, TextSchema
from inspector.domain.content import Content, TextContent
from inspector.domain.edits.base import Version
from inspector.domain.limits import LimitOverrides
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
from inspector.domain.requests import LeftOut, Piece, Request, Section
from inspector.domain.snapshot import BlockState, RequestSpec, SharedBlock, Snapshot
from inspector.domain.summaries import PositionRange, Summary, SummaryDetails
from inspector.shipped.layout_files import load_layouts
from inspector.shipped.models import load_model_table

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
AGENT = "agent_ada"
EXACT_MODEL = "gpt-4o"
OLDER_EXACT_MODEL = "gpt-4"
ESTIMATED_MODEL = "claude-sonnet-4-5"

POOL = shipped_pool()
MODELS = load_model_table()
LAYOUTS = load_layouts()


def new_builder() -> ContextBuilder:
    return ContextBuilder(MODELS, LAYOUTS, POOL)


BUILDER = new_builder()


def an_agent(**changes: Any) -> Agent:
    agent = Agent(
        id=AGENT,
        name="Ada",
        persona="I am Ada.",
        instructions=("Be brief.",),
        provider="openai",
        model=EXACT_MODEL,
        parameters="{}",
        config=ContextConfig(),
        tools=(),
        status=AgentStatus.ACTIVE,
        metadata="{}",
        created_at=NOW,
        updated_at=NOW,
    )
    return replace(agent, **changes)


def a_block(label: str, content: str | Content = "text", **changes: Any) -> BlockState:
    """A block's state; ``minutes`` says how long ago it was written."""
    written = NOW - timedelta(minutes=changes.pop("minutes", 0))
    block = Block(
        id=changes.pop("id", f"blk_{label}"),
        owner=AGENT,
        label=label,
        description="",
        block_type=BlockType.CORE,
        schema=TextSchema(),
        char_limit=0,
        permission=Permission.READ_WRITE,
        pinned=False,
        is_active=True,
        created_at=written,
        updated_at=written,
    )
    held = TextContent(content) if isinstance(content, str) else content
    return BlockState(replace(block, **changes), held, Version("v1"), 1)


def working(label: str, content: str | Content = "text", **changes: Any) -> BlockState:
    return a_block(label, content, block_type=BlockType.WORKING, **changes)


def shared(state: BlockState, owner_name: str = "Bob") -> SharedBlock:
    other = replace(state, block=replace(state.block, owner="agent_bob"))
    return SharedBlock(other, owner_name, Permission.READ_ONLY, None)


def a_message(position: int, role: Role, *parts: Part, batch: str = "", **changes: Any) -> Message:
    message = Message(
        id=f"msg_{position}",
        agent_id=AGENT,
        position=position,
        batch_id=batch,
        sequence_in_batch=0,
        role=role,
        content=parts,
        batch_type=BatchType.USER_REQUEST,
        created_at=NOW - timedelta(days=3) + timedelta(minutes=position),
    )
    return replace(message, **changes)


def a_turn(
    number: int, text: str = "hello", *, size: int = 2, role: Role = Role.USER, **changes: Any
) -> Batch:
    """A whole batch of `size` messages, the first by `role`, the others by the assistant."""
    name = f"batch_{number}"
    first = a_message(number * 100, role, TextPart(text), batch=name, **changes)
    rest = (
        a_message(number * 100 + at, Role.ASSISTANT, TextPart(text), batch=name, **changes)
        for at in range(1, size)
    )
    return Batch(name, (first, *rest))


def a_call_turn(number: int, tool: str = "find", *, answered: bool = True) -> Batch:
    """A batch with a call of a tool and, if `answered`, its result and a last word."""
    name, at = f"batch_{number}", number * 100
    messages = [
        a_message(at, Role.USER, TextPart("look it up"), batch=name),
        a_message(
            at + 1, Role.ASSISTANT, TextPart("yes"), ToolCallPart(f"c{number}", tool, "{}"), batch=name
        ),
    ]
    if answered:
        messages += [
            a_message(at + 2, Role.TOOL, ToolResultPart(f"c{number}", "found"), batch=name),
            a_message(at + 3, Role.ASSISTANT, TextPart("there it is"), batch=name),
        ]
    return Batch(name, tuple(messages))


def a_summary(name: str, first: int | None, last: int | None, **changes: Any) -> Summary:
    summary = Summary(
        id=f"sum_{name}",
        agent_id=AGENT,
        content=f"What happened in {name}.",
        topics=(name,),
        start=NOW - timedelta(days=4),
        end=NOW - timedelta(days=3),
        message_count=4,
        depth=0,
        previous_summary_id=None,
        covers=None if first is None or last is None else PositionRange(first, last),
        children=(),
        details=SummaryDetails(),
        created_at=NOW,
    )
    return replace(summary, **changes)


def an_event(seq: int, agent: str | None = AGENT, *, minutes: float = 1, **changes: Any) -> Event:
    event = Event(
        id=f"evt_{seq}",
        seq=seq,
        agent_id=agent,
        kind="heartbeat",
        details="{}",
        importance=Importance.MEDIUM,
        timestamp=NOW - timedelta(minutes=minutes),
    )
    return replace(event, **changes)


def a_tool(name: str = "find", **changes: Any) -> Tool:
    schema = '{"type":"object","properties":{"q":{"type":"string","description":"what"}},"required":["q"]}'
    return replace(Tool(name, "Finds things.", schema), **changes)


def a_snapshot(*blocks: BlockState, **changes: Any) -> Snapshot:
    agent = changes.pop("agent", None) or an_agent()
    return replace(Snapshot("cst_1", 1, agent, tuple(blocks)), **changes)


def a_spec(**changes: Any) -> RequestSpec:
    return replace(RequestSpec(NOW), **changes)


def build(snapshot: Snapshot, **changes: Any) -> Request:
    """The Request of a snapshot; ``memory``, ``history``, ``window`` and ``reserved`` are limits in tokens."""
    names = {
        "memory": "memory_tokens",
        "history": "history_tokens",
        "window": "max_tokens",
        "reserved": "reserved_response_tokens",
    }
    limits = {names[name]: changes.pop(name) for name in names if name in changes}
    if limits:
        changes["limits"] = LimitOverrides(**limits)
    return BUILDER.build(snapshot, a_spec(**changes))


def all_pieces(request: Request) -> list[Piece]:
    return [piece for section in request.sections for piece in section.pieces]


def piece_ids(request: Request) -> list[str]:
    return [piece.id for piece in all_pieces(request)]


def the_section(request: Request, name: str) -> Section:
    return next(section for section in request.sections if section.name == name)


def has_section(request: Request, name: str) -> bool:
    return any(section.name == name for section in request.sections)


def sent_batches(request: Request, history: Sequence[Batch]) -> list[str]:
    sent = {message.id for message in request.messages}
    return [batch.id for batch in history if any(message.id in sent for message in batch.messages)]


def rows(request: Request, rule: str) -> list[LeftOut]:
    return [row for row in request.left_out if row.rule == rule]


def codes(problems: Iterable[Any]) -> list[str]:
    return [problem.code for problem in problems]


NO_ACTIVITY = ActivitySettings(entries_limit=0)
