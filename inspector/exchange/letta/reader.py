"""A Letta Agent File as a plan."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from inspector.domain.edits.rows import AppendMessage
from inspector.domain.errors import MalformedError
from inspector.domain.exchange import ImportedAgent, ImportPlan
from inspector.domain.moments import IdGenerator
from inspector.domain.ref import RefKind
from inspector.exchange.guard import Json
from inspector.exchange.letta.agents import read_agent
from inspector.exchange.letta.blocks import BlockCounts, plan_blocks
from inspector.exchange.letta.held import held_rows
from inspector.exchange.letta.messages import Row, read_message
from inspector.exchange.letta.pairing import Pairing
from inspector.exchange.letta.sheets import V2, AgentSheet, FileSheet, is_v2, read_v1, read_v2
from inspector.exchange.letta.tools import ToolTable, agent_tools, plan_rules, plan_tools
from inspector.exchange.letta.turns import Turn, Turns
from inspector.exchange.planning import PlanBuilder
from inspector.exchange.rows.plan import plan_of
from inspector.exchange.source import Notes

MOST_MESSAGES = 100_000


def read(value: Json, ids: IdGenerator, notes: Notes, origin: str = "") -> ImportPlan:
    """Read decoded JSON of either version; nothing is stored.

    Args:
        value: the decoded file.
        ids: gives the new rows their ids.
        notes: what was noted before, and takes what is noted now.
        origin: the file's name, for the reason that history shows.

    Raises:
        MalformedError: with the path of what cannot be read.
    """
    if is_v2(value) and (rows := held_rows(value, notes)) is not None:
        return plan_of(V2, rows, notes, origin)
    sheet = read_v2(value, notes) if is_v2(value) else read_v1(value, notes)
    _limit_messages(sheet)
    reason = f"imported from {origin}" if origin else "imported"
    return _Reading(sheet, ids, notes, PlanBuilder(reason)).plan()


@dataclass(slots=True)
class _AgentReading:
    id: str
    sheet: AgentSheet
    turns: list[Turn]
    created_at: datetime | None


@dataclass(slots=True)
class _Reading:
    sheet: FileSheet
    ids: IdGenerator
    notes: Notes
    builder: PlanBuilder

    def plan(self) -> ImportPlan:
        root = self.sheet.root
        exported_at = None if root is None else root.time("created_at")
        agents = [self._agent(sheet, exported_at) for sheet in self.sheet.agents]
        tools = plan_tools(self.sheet, self.builder)
        counts = plan_blocks(
            self.sheet, tuple(each.id for each in agents), self.builder, self.ids, exported_at
        )
        shown = tuple(self._finish(agent, tools, counts, agent is agents[0]) for agent in agents)
        for agent in agents:
            self._messages(agent)
        return ImportPlan(
            self.sheet.version,
            self.builder.intents(),
            shown,
            self.notes.problems,
            self.notes.kept,
            shown[0].name,
        )

    def _agent(self, sheet: AgentSheet, exported_at: datetime | None) -> _AgentReading:
        rows = _rows(sheet)
        turns = Turns(Pairing(rows, self.notes).pair()).cut()
        own = sheet.record.time("created_at")
        times = [row.at for row in rows if row.at is not None]
        created_at = own or min(times, default=exported_at)
        return _AgentReading(self.ids("agt"), sheet, turns, created_at)

    def _finish(
        self, agent: _AgentReading, tools: ToolTable, counts: BlockCounts, is_first: bool
    ) -> ImportedAgent:
        """Plan the agent itself; after everything else has taken its fields from the record."""
        names = agent_tools(agent.sheet, tools)
        kept: dict[str, Json] = {}
        if others := plan_rules(agent.sheet, agent.id, self.builder, self.ids):
            kept["tool_rules"] = others
        if is_first and (whole_file := self._kept_of_file(tools)):
            kept["file"] = whole_file
        operation = read_agent(agent.sheet, names, kept)
        self.builder.add(RefKind.AGENT, agent.id, operation, agent.created_at)
        return ImportedAgent(
            agent.id,
            operation.name,
            operation.model,
            counts.own[agent.id],
            counts.shared[agent.id],
            sum(len(turn.rows) for turn in agent.turns),
            sum(len(turn.rows) for turn in agent.turns if not turn.archived),
            len(names),
        )

    def _kept_of_file(self, tools: ToolTable) -> dict[str, Json]:
        kept = {} if self.sheet.root is None else self.sheet.root.rest()
        if tools.doubles:
            kept["tools"] = tools.doubles
        return kept

    def _messages(self, agent: _AgentReading) -> None:
        for turn in agent.turns:
            batch_id = self.ids("bat")
            for row in turn.rows:
                operation = AppendMessage(
                    agent.id,
                    batch_id,
                    row.role,
                    row.parts,
                    turn.kind,
                    row.source,
                    row.name,
                    row.metadata,
                    is_archived=turn.archived,
                    compiled=row.compiled,
                )
                self.builder.add(RefKind.MESSAGE, self.ids("msg"), operation, row.at)


def _limit_messages(sheet: FileSheet) -> None:
    count = sum(len(agent.messages) for agent in sheet.agents)
    if count > MOST_MESSAGES:
        raise MalformedError(
            "import.too_many_messages",
            where="messages",
            why=f"{count} messages, at most {MOST_MESSAGES} are imported at once",
            count=count,
            limit=MOST_MESSAGES,
        )


def _rows(sheet: AgentSheet) -> list[Row]:
    order = sheet.in_context
    sent = None if order is None else set(order)
    rows = []
    for index, message in enumerate(sheet.messages):
        if message.peek("agent_id") == sheet.record.peek("id"):
            message.drop("agent_id")
        rows.append(read_message(message, sent is None or index in sent))
    if compiled := sum(row.compiled for row in rows):
        sheet.record.notes.info("import.compiled_prompts", sheet.record.path("messages"), count=compiled)
    if order is not None:
        _tell_order(sheet, [index for index in order if not rows[index].compiled])
        if rows and not order:
            sheet.record.notes.warn("import.nothing_in_context", sheet.record.where, count=len(rows))
    return rows


def _tell_order(sheet: AgentSheet, order: list[int]) -> None:
    if order != sorted(order):
        sheet.record.notes.info("import.context_order", sheet.record.path("messages"))
