"""Reads a Letta Agent File as an import plan."""

from __future__ import annotations

from dataclasses import field
from datetime import datetime

from inspector.domain.actor import IdGenerator
from inspector.domain.agents import ContextConfig
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.rows import AppendMessage, CreateAgent, PutLayout
from inspector.domain.errors import MalformedError
from inspector.domain.exchange import ImportedAgent, ImportPlan
from inspector.domain.layouts import Layout
from inspector.domain.limits import LARGE, LimitOverrides, Truncate
from inspector.domain.messages import TextPart
from inspector.domain.ref import RefKind
from inspector.exchange.field_reader import FieldReader, ImportLog, plain_address
from inspector.exchange.json_guard import Json
from inspector.exchange.letta.blocks_and_tools import (
    BlockCounts,
    ToolTable,
    agent_tools,
    plan_blocks,
    plan_rules,
    plan_tools,
)
from inspector.exchange.letta.embedded_rows import embedded_rows
from inspector.exchange.letta.extra_fields import SYSTEM_END, split_system
from inspector.exchange.letta.file_versions import V2, AgentSheet, FileSheet, is_v2, read_v1, read_v2
from inspector.exchange.letta.messages import MessageRow, read_message
from inspector.exchange.letta.prompt_layout import PromptBlock, prompt_layout
from inspector.exchange.letta.turns import LettaTurn, Pairing, TurnCutter
from inspector.exchange.planning import PlanBuilder, json_text
from inspector.exchange.rows.row_plan import plan_of

MOST_MESSAGES = 100_000
_UNNAMED = "unnamed agent"
_PROVIDERS = {"google_ai": "gemini", "google_vertex": "gemini", "google": "gemini", "azure": "openai"}
_NUMBERS = ("temperature", "max_tokens", "frequency_penalty")
_USUAL_ADDRESSES = frozenset(
    {"https://api.openai.com/v1", "https://api.anthropic.com/v1", "https://api.anthropic.com"}
)


def read(value: Json, ids: IdGenerator, notes: ImportLog, origin: str = "") -> ImportPlan:
    """Read decoded JSON of either version; nothing is stored.

    Args:
        value: the decoded file.
        ids: gives the new rows their ids.
        notes: what was noted before, and takes what is noted now.
        origin: the file's name, for the reason that history shows.

    Raises:
        MalformedError: with the path of what cannot be read.
    """
    if is_v2(value) and (rows := embedded_rows(value, notes)) is not None:
        return plan_of(V2, rows, notes, origin)
    sheet = read_v2(value, notes) if is_v2(value) else read_v1(value, notes)
    _limit_messages(sheet)
    reason = f"imported from {origin}" if origin else "imported"
    return _Reading(sheet, ids, notes, PlanBuilder(reason)).plan()


@dataclass(slots=True)
class _AgentReading:
    id: str
    sheet: AgentSheet
    turns: list[LettaTurn]
    created_at: datetime | None
    compiled: str


@dataclass(slots=True)
class _Reading:
    sheet: FileSheet
    ids: IdGenerator
    notes: ImportLog
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
        turns = TurnCutter(Pairing(rows, self.notes).pair()).cut()
        own = sheet.record.time("created_at")
        times = [row.at for row in rows if row.at is not None]
        created_at = own or min(times, default=exported_at)
        return _AgentReading(self.ids("agt"), sheet, turns, created_at, _compiled(rows))

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
        layout = self._layout(agent, counts)
        operation = read_agent(agent.sheet, names, kept, layout.name)
        self.builder.add(RefKind.LAYOUT, layout.name, PutLayout(layout), agent.created_at)
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

    def _layout(self, agent: _AgentReading, counts: BlockCounts) -> Layout:
        record, root = agent.sheet.record, self.sheet.root
        records = [self.sheet.blocks[key] for key in agent.sheet.blocks]
        blocks = [PromptBlock.of(counts.labels[each.where], each) for each in records]
        return prompt_layout(f"letta {agent.id}", record, root, blocks, agent.compiled)

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


def _rows(sheet: AgentSheet) -> list[MessageRow]:
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


def _compiled(rows: list[MessageRow]) -> str:
    """The text of the newest compiled prompt, of one that is sent if there is any; empty if there is none."""
    found = [row for row in rows if row.compiled]
    newest = next((row for row in reversed(found) if row.in_context), found[-1] if found else None)
    parts = () if newest is None else newest.parts
    return "".join(part.text for part in parts if isinstance(part, TextPart))


def _tell_order(sheet: AgentSheet, order: list[int]) -> None:
    if order != sorted(order):
        sheet.record.notes.info("import.context_order", sheet.record.path("messages"))


@dataclass(frozen=True, slots=True)
class _Model:
    """What a file says of an agent's model. `left` is what has no place of its own."""

    provider: str
    name: str
    limits: LimitOverrides
    parameters: dict[str, Json] = field(default_factory=dict)
    left: dict[str, Json] = field(default_factory=dict)


def read_agent(sheet: AgentSheet, tools: tuple[str, ...], kept: dict[str, Json], layout: str) -> CreateAgent:
    """The agent as an operation. `kept` is what else goes into its metadata, `layout` the name of its layout.

    Called last of all that reads the agent's record: what is left of it then is kept as metadata.
    """
    record = sheet.record
    name = record.text("name").strip()
    if not name:
        name = _UNNAMED
        record.notes.warn("import.unnamed_agent", record.path("name"), name=name)
    system, end = split_system(record.text("system"))
    if end:
        kept[SYSTEM_END] = end
    model = _model(record)
    metadata = {**record.rest(), **kept}
    if model.left:
        metadata["llm_config"] = model.left
    return CreateAgent(
        name,
        instructions=(system,) if system else (),
        provider=model.provider,
        model=model.name,
        parameters=json_text(model.parameters),
        config=ContextConfig(
            limits=model.limits,
            layout=layout,
            strategy=Truncate(MOST_MESSAGES),
            max_messages_cap=MOST_MESSAGES,
        ),
        tools=tools,
        metadata=json_text({"letta": metadata}),
    )


def _model(record: FieldReader) -> _Model:
    settings = record.record("llm_config")
    window = record.natural("context_window_limit")
    if settings is None:
        provider, slash, name = record.text("model").partition("/")
        limits = _limits(record, window, None)
        return _Model(provider, name, limits) if slash else _Model("", provider, limits)
    address = settings.peek("model_endpoint")
    if isinstance(address, str) and address and address.rstrip("/") not in _USUAL_ADDRESSES:
        record.notes.info(
            "import.address_not_used", settings.path("model_endpoint"), address=plain_address(address)[:200]
        )
    endpoint = settings.text("model_endpoint_type")
    name = settings.text("model")
    own_window = settings.natural("context_window")
    parameters = {key: settings.number(key) for key in _NUMBERS} | {
        "reasoning_effort": settings.text("reasoning_effort") or None
    }
    reply = parameters["max_tokens"]
    limits = _limits(record, window or own_window, reply if isinstance(reply, int) else None)
    given = {key: value for key, value in parameters.items() if value is not None}
    return _Model(_PROVIDERS.get(endpoint, endpoint), name, limits, given, settings.rest())


def _limits(record: FieldReader, window: int | None, reply: int | None) -> LimitOverrides:
    if not window:
        return LimitOverrides()
    if window >= 2 * LARGE.reserved_response_tokens:
        return LimitOverrides(max_tokens=window)
    # The usual reserve would leave little or nothing of a window this small.
    reserved = reply if reply and reply < window else window // 4
    record.notes.info("import.small_window", record.where, window=window, reserved=reserved)
    return LimitOverrides(max_tokens=window, reserved_response_tokens=reserved)
