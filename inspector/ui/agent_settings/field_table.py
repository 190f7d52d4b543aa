"""The table of an agent's settings: what each is called, what it does, and which values it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from enum import Enum, auto
from types import MappingProxyType

from inspector.domain.activity import ACTIVITY_LEAD_LINE, Importance
from inspector.domain.agents import ActivitySettings, AgentStatus, ContextConfig
from inspector.domain.dataclass import dataclass
from inspector.domain.layout_rules import MOST_TOKENS
from inspector.domain.limits import LIMIT_PRESETS, STRATEGIES
from inspector.ui.presentation.what_if import strategy_name
from inspector.ui.wording import tr

SHOWN = "activity.shown"
DESCRIPTION = "metadata.description"
STRATEGY = "config.strategy.kind"
LAYOUT = "config.layout"
MODEL = "model"
_ACTIVITY = "config.activity."


class InputKind(Enum):
    """How a setting is entered."""

    LINE = auto()
    TEXT = auto()
    OBJECT = auto()
    WHOLE = auto()
    DECIMAL = auto()
    SHARE = auto()
    SWITCH = auto()
    CHOICE = auto()
    MODEL = auto()


@dataclass(frozen=True, slots=True)
class SettingField:
    """One setting of an agent.

    Attributes:
        path: Its dotted name inside the agent.
        label: What a person calls it.
        help: What it does, in one line.
        kind: How it is entered.
        unit: What a number counts.
        default: What holds where nobody has chosen; None for a limit is the model's own figure.
        optional: Whether an empty field means that nothing is set.
        least: The smallest number that is taken.
        most: The largest one.
        required: Whether it must have a text.
    """

    path: str
    label: str
    help: str
    kind: InputKind
    unit: str = ""
    default: object = None
    optional: bool = False
    least: float = 0
    most: float = MOST_TOKENS
    required: bool = False

    @property
    def has_default(self) -> bool:
        return self.optional or self.default is not None


@dataclass(frozen=True, slots=True)
class FieldGroup:
    """The settings of one subject."""

    id: str
    title: str
    fields: tuple[SettingField, ...]


def groups() -> tuple[FieldGroup, ...]:
    """All settings but instructions and tools, which have widgets of their own."""
    return (
        FieldGroup("agent", tr("Agent"), _agent()),
        FieldGroup("prompt", tr("Prompt"), _prompt()),
        FieldGroup("model", tr("Model"), _model()),
        FieldGroup("limits", tr("Limits"), _limits()),
        FieldGroup("history", tr("History"), _history()),
        FieldGroup("activity", tr("Activity"), _activity()),
    )


def strategy_titles() -> Mapping[str, str]:
    """Each strategy by its stored name, as a person chooses it."""
    return {each.kind: strategy_name(each.kind) for each in STRATEGIES}


def strategy_help(kind: str) -> str:
    """What a strategy does, in one line."""
    return {
        "truncate": tr("Sends the newest messages that fit."),
        "recursive_summarization": tr("Replaces the oldest messages with summaries, chunk by chunk."),
        "importance_based": tr("Sends the newest messages and the most important older ones."),
        "time_decay": tr("Leaves out messages older than the limit."),
        "window": tr("Sends a fixed number of messages and the latest summary."),
        "hysteresis": tr("Shortens only past the high mark, then down to the low mark."),
    }.get(kind, "")


def choices_of(
    path: str, layouts: Mapping[str, str] = MappingProxyType({})
) -> tuple[tuple[object, str], ...]:
    """The values that a setting of choices takes, each with its title; of layouts as `layouts` titles them."""
    if path == LAYOUT:
        return tuple(layouts.items())
    if path == STRATEGY:
        return tuple((each.kind, strategy_titles()[each.kind]) for each in STRATEGIES)
    return {
        "status": ((AgentStatus.ACTIVE, tr("Active")), (AgentStatus.PAUSED, tr("Paused"))),
        "config.limits.preset": (
            (None, tr("From the model")),
            *((name, tr(name.capitalize())) for name in LIMIT_PRESETS),
        ),
        "config.activity.min_importance": tuple((each, tr(each.label.capitalize())) for each in Importance),
    }.get(path, ())


def _agent() -> tuple[SettingField, ...]:
    kinds = InputKind
    return (
        SettingField(
            "name", tr("Name"), tr("Shown in the window and to other agents."), kinds.LINE, required=True
        ),
        SettingField(
            DESCRIPTION, tr("Description"), tr("For people only. Never sent."), kinds.LINE, default=""
        ),
        SettingField(
            "status", tr("Status"), tr("Whether the agent may run."), kinds.CHOICE, default=AgentStatus.ACTIVE
        ),
    )


def _prompt() -> tuple[SettingField, ...]:
    kinds, usual = InputKind, ContextConfig()
    return (
        SettingField("persona", tr("Persona"), tr("Who the agent is. Always sent."), kinds.TEXT),
        SettingField(
            LAYOUT,
            tr("Layout"),
            tr("Order, headings and frames of the sections."),
            kinds.CHOICE,
            default=usual.layout,
        ),
        SettingField(
            "config.include_descriptions",
            tr("Block descriptions"),
            tr("Sends each block's description with it."),
            kinds.SWITCH,
            default=usual.include_descriptions,
        ),
        SettingField(
            "config.include_schemas",
            tr("Editing hints"),
            tr("Tells the model how to edit structured blocks."),
            kinds.SWITCH,
            default=usual.include_schemas,
        ),
    )


def _model() -> tuple[SettingField, ...]:
    kinds = InputKind
    return (
        SettingField(
            MODEL, tr("Model"), tr("Sets the window, the prices and how tokens are counted."), kinds.MODEL
        ),
        SettingField(
            "provider", tr("Provider"), tr("Who serves the model, such as openai or ollama."), kinds.LINE
        ),
        SettingField(
            "parameters",
            tr("Parameters"),
            tr(
                "Sent with each request, as a JSON object. Example: {example}", example='{"temperature": 0.2}'
            ),
            kinds.OBJECT,
            default="{}",
        ),
    )


def _limits() -> tuple[SettingField, ...]:
    def limit(name: str, label: str, help_: str, least: int = 0) -> SettingField:
        return SettingField(
            f"config.limits.{name}", label, help_, InputKind.WHOLE, tr("tokens"), optional=True, least=least
        )

    return (
        SettingField(
            "config.limits.preset",
            tr("Preset"),
            tr("A set of limits to start from."),
            InputKind.CHOICE,
            optional=True,
        ),
        limit("max_tokens", tr("Context window"), tr("Limit for prompt and reply together."), least=1),
        limit("reserved_response_tokens", tr("Reply reserve"), tr("Kept free for the reply.")),
        limit("memory_tokens", tr("Memory cap"), tr("Limit for all memory blocks together.")),
        limit("history_tokens", tr("History budget"), tr("Limit for all messages together.")),
        SettingField(
            "config.max_messages_cap",
            tr("Message cap"),
            tr("Limit for the number of messages in a request."),
            InputKind.WHOLE,
            tr("messages"),
            default=ContextConfig().max_messages_cap,
        ),
    )


def _history() -> tuple[SettingField, ...]:
    strategy = SettingField(
        STRATEGY,
        tr("Strategy"),
        "",
        InputKind.CHOICE,
        default=ContextConfig().strategy.kind,
    )
    return (strategy, *(_of_strategy(name) for name in _STRATEGY_SETTINGS))


_STRATEGY_SETTINGS = tuple(dict.fromkeys(each.name for kind in STRATEGIES for each in fields(kind)))
"""The settings of all strategies, by name; each row shows while the chosen one has it."""


def _of_strategy(name: str) -> SettingField:
    kinds = InputKind
    label, help_, kind, unit = {
        "keep_recent": (tr("Newest messages"), tr("How many are kept at most."), kinds.WHOLE, tr("messages")),
        "chunk_size": (
            tr("Chunk size"),
            tr("Messages that one summary stands for."),
            kinds.WHOLE,
            tr("messages"),
        ),
        "model": (tr("Summary model"), tr("Empty: the agent's own model."), kinds.LINE, ""),
        "prompt": (tr("Summary prompt"), tr("Empty: the built-in prompt."), kinds.TEXT, ""),
        "keep_important": (
            tr("Important messages"),
            tr("Older messages that are kept for their importance."),
            kinds.WHOLE,
            tr("messages"),
        ),
        "compress_after_hours": (
            tr("Oldest message"),
            tr("Older messages are left out."),
            kinds.DECIMAL,
            tr("hours"),
        ),
        "min_keep_recent": (
            tr("Always keep"),
            tr("The newest messages that age doesn't remove."),
            kinds.WHOLE,
            tr("messages"),
        ),
        "verbatim_count": (
            tr("Messages sent whole"),
            tr("The newest messages that are sent."),
            kinds.WHOLE,
            tr("messages"),
        ),
        "high": (tr("High mark"), tr("Shortens when the history budget is this full."), kinds.SHARE, "%"),
        "low": (tr("Low mark"), tr("Shortens down to this share of the history budget."), kinds.SHARE, "%"),
    }[name]
    most = 1 if kind is kinds.SHARE else MOST_TOKENS
    optional = name in ("model", "prompt")
    return SettingField(f"config.strategy.{name}", label, help_, kind, unit, optional=optional, most=most)


def _activity() -> tuple[SettingField, ...]:
    kinds, usual = InputKind, ActivitySettings()
    return (
        SettingField(
            SHOWN,
            tr("Recent activity"),
            tr("Sends recent events with each request."),
            kinds.SWITCH,
            default=True,
        ),
        SettingField(
            _ACTIVITY + "entries_limit",
            tr("Max events"),
            tr("How many events are sent at most."),
            kinds.WHOLE,
            tr("events"),
            default=usual.entries_limit,
        ),
        SettingField(
            _ACTIVITY + "lookback_hours",
            tr("Look-back"),
            tr("Older events are left out."),
            kinds.DECIMAL,
            tr("hours"),
            default=usual.lookback_hours,
        ),
        SettingField(
            _ACTIVITY + "min_importance",
            tr("Min importance"),
            tr("Less important events are left out."),
            kinds.CHOICE,
            default=usual.min_importance,
        ),
        SettingField(
            _ACTIVITY + "own_events_cap",
            tr("Own events"),
            tr("Limit for the agent's own events while others wait."),
            kinds.WHOLE,
            tr("events"),
            default=usual.own_events_cap,
        ),
        SettingField(
            _ACTIVITY + "lead_line",
            tr("Lead line"),
            tr("Sent before the events. Leave empty to send none."),
            kinds.LINE,
            default=ACTIVITY_LEAD_LINE,
        ),
        SettingField(
            _ACTIVITY + "date_lines",
            tr("Date lines"),
            tr("Adds a line where the day changes."),
            kinds.SWITCH,
            default=usual.date_lines,
        ),
    )
