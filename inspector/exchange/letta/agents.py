"""An agent's own settings: instructions, model, limits and parameters."""

from __future__ import annotations

from dataclasses import dataclass, field

from inspector.domain.agents import ContextConfig
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.limits import LARGE, LimitOverrides
from inspector.exchange.guard import Json
from inspector.exchange.letta.sheets import AgentSheet
from inspector.exchange.planning import json_text
from inspector.exchange.source import Record

_UNNAMED = "unnamed agent"
_PROVIDERS = {"google_ai": "gemini", "google_vertex": "gemini", "google": "gemini", "azure": "openai"}
_NUMBERS = ("temperature", "max_tokens", "frequency_penalty")
_USUAL_ADDRESSES = frozenset(
    {"https://api.openai.com/v1", "https://api.anthropic.com/v1", "https://api.anthropic.com"}
)


@dataclass(frozen=True, slots=True)
class _Model:
    """What a file says of an agent's model. `left` is what has no place of its own."""

    provider: str
    name: str
    limits: LimitOverrides
    parameters: dict[str, Json] = field(default_factory=dict)
    left: dict[str, Json] = field(default_factory=dict)


def read_agent(sheet: AgentSheet, tools: tuple[str, ...], kept: dict[str, Json]) -> CreateAgent:
    """The agent as an operation. `kept` is what else goes into its metadata.

    Called last of all that reads the agent's record: what is left of it then is kept as metadata.
    """
    record = sheet.record
    name = record.text("name").strip()
    if not name:
        name = _UNNAMED
        record.notes.warn("import.unnamed_agent", record.path("name"), name=name)
    system = record.text("system")
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
        config=ContextConfig(limits=model.limits),
        tools=tools,
        metadata=json_text({"letta": metadata}),
    )


def _model(record: Record) -> _Model:
    settings = record.record("llm_config")
    window = record.natural("context_window_limit")
    if settings is None:
        provider, slash, name = record.text("model").partition("/")
        limits = _limits(record, window, None)
        return _Model(provider, name, limits) if slash else _Model("", provider, limits)
    address = settings.peek("model_endpoint")
    if isinstance(address, str) and address and address.rstrip("/") not in _USUAL_ADDRESSES:
        record.notes.info("import.address_not_used", settings.path("model_endpoint"), address=address[:200])
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


def _limits(record: Record, window: int | None, reply: int | None) -> LimitOverrides:
    if not window:
        return LimitOverrides()
    if window >= 2 * LARGE.reserved_response_tokens:
        return LimitOverrides(max_tokens=window)
    # The usual reserve would leave little or nothing of a window this small.
    reserved = min(reply or window, window // 4)
    record.notes.info("import.small_window", record.where, window=window, reserved=reserved)
    return LimitOverrides(max_tokens=window, reserved_response_tokens=reserved)
