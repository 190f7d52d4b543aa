"""Constellations with something of everything in them, and reading all of one as a program would."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

from inspector.domain.agents import Tool, ToolRuleKind
from inspector.domain.blocks import (
    OBSERVATION_LOG,
    PARTNER_PROFILE,
    TASK_LIST,
    Schema,
    TextSchema,
    TreeSchema,
)
from inspector.domain.content import Content, MapContent, TextContent
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import AttachBlock, CreateBlock, InsertArchival
from inspector.domain.edits.fields import SetField
from inspector.domain.edits.items import AddNode, AppendEntry, InsertItem
from inspector.domain.edits.rows import (
    AppendMessage,
    CreateAgent,
    LogEvent,
    PutTool,
    PutToolRule,
    SetWakeup,
    StoreRun,
    StoreSummary,
)
from inspector.domain.edits.text import AppendText
from inspector.domain.errors import Problem, Severity
from inspector.domain.messages import Role, TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import PositionRange
from inspector.memory.folding import FOLD_DELTAS
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.files import make_sample
from tests.fixtures import NOON, NOOR, opened_engine

ADA, BOB = "agt_ada", "agt_bob"
Make = Callable[[Path, Environment], Awaitable[object]]
_CONTENTS: dict[str, Content] = {
    "notes": TextContent("The notes of Ada."),
    "profile": MapContent({"name": "Noor"}),
}
_BLOCKS: tuple[tuple[str, Schema, tuple[Operation, ...]], ...] = (
    ("notes", TextSchema(), tuple(AppendText(f"\nLine {number} of the notes.") for number in range(12))),
    ("profile", PARTNER_PROFILE, (SetField("current_focus", "the garden"),)),
    ("tasks", TASK_LIST, (InsertItem({"title": "water the beans"}), InsertItem({"title": "sleep"}))),
    ("seen", OBSERVATION_LOG, (AppendEntry({"observation": "rain at last"}),)),
    ("plan", TreeSchema(), (AddNode("summer", id="a"), AddNode("beans", "a", id="b"))),
)


_MADE: dict[str, tuple[bytes, int]] = {}


async def made_once(name: str, path: Path, surroundings: Environment, make: Make) -> Path:
    """A file as if `make` had made it with these surroundings, whose ids count. It is made once: that takes long."""
    if name not in _MADE:
        await make(path, surroundings)
        _keep(name, path, surroundings)
    else:
        _put(name, path, surroundings)
    return path


async def copy_sample(path: Path, surroundings: Environment) -> Path:
    """The sample constellation."""
    return await made_once("sample", path, surroundings, make_sample)


def _number(surroundings: Environment) -> int:
    """The number of the next id."""
    return int(surroundings.ids("").rpartition("_")[2])


def _keep(name: str, path: Path, surroundings: Environment) -> None:
    _MADE[name] = path.read_bytes(), _number(surroundings)


def _put(name: str, path: Path, surroundings: Environment) -> None:
    content, last = _MADE[name]
    path.touch(mode=0o600)
    path.write_bytes(content)
    while _number(surroundings) < last:
        pass


async def make_furnished(path: Path, surroundings: Environment, *, folded: bool = False) -> Path:
    """Make the file and close it; with `folded`, one block has been edited so often that it has a checkpoint."""
    async with opened_engine(path, surroundings, create=True) as engine:
        await engine.apply([Intent(edit, NOOR, "to begin with") for edit in _edits()])
        for label, _, operations in _BLOCKS:
            for operation in operations:
                await engine.edit(f"blk_{label}", operation, reason="as it is now")
        for number in range(FOLD_DELTAS if folded else 0):
            await engine.edit("blk_notes", AppendText(f" {number}"))
    return path


async def read_everything(path: Path, surroundings: Environment) -> tuple[Problem, ...]:
    """Open a file and read all that is in it; gives what is said to be wrong.

    Raises:
        FileError: it cannot be opened, or a table not be read.
    """
    async with opened_engine(path, surroundings) as engine:
        return await _read(engine)


def _edits() -> list[Edit]:
    def to(kind: RefKind, key: str, operation: Operation) -> Edit:
        return Edit(Ref(kind, key), operation)

    tool = Tool("search", "Look something up.", "{}", ("search(x)",))
    return [
        to(RefKind.TOOL, "search", PutTool(tool)),
        to(RefKind.AGENT, ADA, CreateAgent("Ada", "I am Ada.", model="gpt-4o", tools=("search",))),
        to(RefKind.AGENT, BOB, CreateAgent("Bob", "I am Bob.", model="gpt-4o")),
        to(RefKind.TOOL_RULE, "rule", PutToolRule(ADA, "search", ToolRuleKind.EXIT)),
        *(
            to(
                RefKind.BLOCK,
                f"blk_{label}",
                CreateBlock(
                    ADA, label, schema, description=f"The {label} of Ada.", content=_CONTENTS.get(label)
                ),
            )
            for label, schema, _ in _BLOCKS
        ),
        to(RefKind.BLOCK, "blk_notes", AttachBlock(BOB)),
        *(
            to(
                RefKind.ARCHIVAL,
                f"arc_{number}",
                InsertArchival(ADA, f"Fact {number}: beans grow.", ("garden",)),
            )
            for number in range(8)
        ),
        *(
            to(
                RefKind.MESSAGE,
                f"msg_{number}",
                AppendMessage(
                    ADA,
                    f"bat_{number // 2}",
                    Role.ASSISTANT if number % 2 else Role.USER,
                    (TextPart(f"Message {number}: how do the beans grow?"),),
                ),
            )
            for number in range(24)
        ),
        *(
            to(
                RefKind.SUMMARY,
                f"sum_{number}",
                StoreSummary(
                    *(ADA, f"They spoke of beans ({number}).", ("beans",), NOON, NOON, 3),
                    previous_summary_id=f"sum_{number - 1}" if number else None,
                    covers=PositionRange(3 * number, 3 * number + 2),
                ),
            )
            for number in range(3)
        ),
        to(RefKind.EVENT, "event", LogEvent(ADA, "note", "{}")),
        to(RefKind.WAKEUP, "wakeup", SetWakeup(ADA, "water them", NOON + timedelta(hours=8))),
        to(RefKind.RUN, "run", StoreRun(ADA, "turn", "gpt-4o", "the text that was sent", "{}")),
    ]


async def _read(engine: Engine) -> tuple[Problem, ...]:
    problems = list(engine.database.problems)
    if engine.database.read_only is not None:
        problems.append(engine.database.read_only)
    await engine.memory.look_over()
    agents, found = await engine.agents.list()
    problems += found
    for state in await engine.memory.list(deleted=True):
        problems += [state.problem] if state.problem else []
        await engine.memory.versions.versions(state.block.id)
        await engine.memory.rendered(state.block.id)
    await engine.memory.all_attachments()
    await engine.agents.facts()
    for ask in (engine.agents.tools, engine.agents.queue, engine.agents.wakeups):
        problems += (await ask())[1]
    problems += (await engine.conversation.recent_events(100))[1]
    for agent in agents:
        problems += await _read_agent(engine, agent.id)
    return tuple(problems)


async def _read_agent(engine: Engine, agent_id: str) -> list[Problem]:
    problems: list[Problem] = []
    for batch in await engine.conversation.batches(agent_id):
        problems += [
            Problem("message", Severity.ERROR, f"message:{message.id}")
            for message in batch.messages
            if message.problem
        ]
    problems += (await engine.conversation.summaries(agent_id))[1]
    problems += (await engine.memory.archival_entries(agent_id))[1]
    problems += (await engine.agents.rules(agent_id))[1]
    problems += (await engine.agents.runs(agent_id))[1]
    await engine.memory.shared_with(agent_id)
    return problems
