"""A constellation in which of every kind of row one cannot be read, and what must be told of each."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from inspector.domain.agents import Tool, ToolRuleKind
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.rows import (
    AppendMessage,
    CreateAgent,
    LogEvent,
    PutTool,
    PutToolRule,
    StoreSummary,
)
from inspector.domain.messages import Role, TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from tests.fixtures import NOON, NOOR

ADA, BOB = "agt_ada", "agt_bob"
DAMAGE = {
    "agent:agt_bob": "UPDATE agents SET config = '{' WHERE id = 'agt_bob'",
    "tool:search": "UPDATE tools SET examples = '7' WHERE name = 'search'",
    "tool_rule:rule": "UPDATE tool_rules SET kind = 'whatever' WHERE id = 'rule'",
    "summary:summary": "UPDATE summaries SET start_at = 'never' WHERE id = 'summary'",
    "event:event": "UPDATE activity SET timestamp = 'yesterday' WHERE id = 'event'",
    "message:message": "UPDATE messages SET created_at = 'at noon' WHERE id = 'message'",
    "block:block": "UPDATE block_contents SET content = '[' WHERE block_id = 'block'",
}
"""What is done to one row of each kind, by what a problem must point at."""


async def make_damaged(path: Path, surroundings: Environment) -> Path:
    """Make the file, whole, and then damage it."""
    search = Tool("search", "Look something up.", "{}", ("search(x)",))
    edits = (
        Edit(Ref(RefKind.TOOL, "search"), PutTool(search)),
        Edit(Ref(RefKind.AGENT, ADA), CreateAgent("Ada", "I am Ada.", model="gpt-4o", tools=("search",))),
        Edit(Ref(RefKind.AGENT, BOB), CreateAgent("Bob", "I am Bob.", model="gpt-4o")),
        Edit(Ref(RefKind.TOOL_RULE, "rule"), PutToolRule(ADA, "search", ToolRuleKind.EXIT)),
        Edit(Ref(RefKind.SUMMARY, "summary"), StoreSummary(ADA, "long ago", (), NOON, NOON, 3)),
        Edit(Ref(RefKind.EVENT, "event"), LogEvent(ADA, "note", "{}")),
        Edit(Ref(RefKind.EVENT, "sound"), LogEvent(ADA, "note", "{}")),
        Edit(Ref(RefKind.BLOCK, "block"), CreateBlock(ADA, "notes", content=TextContent("text"))),
        Edit(Ref(RefKind.MESSAGE, "message"), AppendMessage(ADA, "b1", Role.USER, (TextPart("Hello?"),))),
        Edit(Ref(RefKind.MESSAGE, "answer"), AppendMessage(ADA, "b1", Role.ASSISTANT, (TextPart("Hi."),))),
    )
    engine = await Engine.open(path, surroundings, create=True)
    await engine.apply([Intent(edit, NOOR) for edit in edits])
    await engine.close()
    damage(path, *DAMAGE.values())
    return path


def damage(path: Path, *statements: str) -> None:
    """Change rows behind the engine's back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            assert connection.execute(statement).rowcount == 1
