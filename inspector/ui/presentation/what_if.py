"""A what-if in words: what is tried, what can be, and what Apply would leave."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace

from inspector.domain.agents import Agent, ContextConfig
from inspector.domain.blocks import BlockType
from inspector.domain.dataclass import dataclass
from inspector.domain.limits import Strategy
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.domain.what_if import WhatIf
from inspector.ui.file_state import FileState
from inspector.ui.presentation.names import name_of, name_of_source
from inspector.ui.safe_text import one_line
from inspector.ui.wording import number, tr, tr_count

_NAME_LENGTH = 40
_PERSONA, _INSTRUCTIONS = "persona", "instructions/"
_STRATEGIES: Mapping[str, Callable[[], str]] = {
    "truncate": lambda: tr("Newest messages"),
    "recursive_summarization": lambda: tr("Recursive summaries"),
    "importance_based": lambda: tr("Newest and important"),
    "time_decay": lambda: tr("By age"),
    "window": lambda: tr("Newest turns and a summary"),
    "hysteresis": lambda: tr("Trim in steps (cache-friendly)"),
}
_LIMITS: Mapping[str, Callable[[], str]] = {
    "preset": lambda: tr("limit preset"),
    "max_tokens": lambda: tr("context window"),
    "reserved_response_tokens": lambda: tr("reply reserve"),
    "memory_tokens": lambda: tr("memory cap"),
    "history_tokens": lambda: tr("history budget"),
}
_OTHERS: Mapping[str, Callable[[], str]] = {
    "activity": lambda: tr("activity settings"),
    "include_descriptions": lambda: tr("block descriptions"),
    "include_schemas": lambda: tr("schema hints"),
}
_APPLIED_DROPS = frozenset({RefKind.MESSAGE, RefKind.BATCH, RefKind.TOOL})
_CAN_BE_ARCHIVAL = frozenset({BlockType.CORE, BlockType.WORKING})
_EDITED_KINDS = frozenset({RefKind.BLOCK, RefKind.MESSAGE, RefKind.SUMMARY, RefKind.TOOL, RefKind.LITERAL})


@dataclass(frozen=True, slots=True)
class WhatIfPart:
    """One thing that is tried. `kept` is why Apply would leave it in the what-if, nothing if it is applied."""

    key: str
    text: str
    ref: Ref | None = None
    kept: str = ""


def with_model(file: FileState, model: str) -> WhatIf:
    """What is tried with another model; the agent's provider goes along where it is that of its own model."""
    agent = file.drafted_agent
    if agent is None:
        return file.what_if
    by_id = {each.id: each for each in file.models}
    own, other = by_id.get(agent.model), by_id.get(model)
    is_native = own is not None and own.provider == agent.provider
    provider = other.provider if is_native and other is not None else None
    return file.what_if.with_model(agent, model, provider)


def strategy_name(kind: str) -> str:
    """What a person calls a way of shortening the history, by its stored name."""
    return _STRATEGIES[kind]() if kind in _STRATEGIES else kind.replace("_", " ")


def is_left_out_possible(ref: Ref) -> bool:
    """Whether a what-if can do without a thing of that kind: layout text goes with its section."""
    if ref.kind is RefKind.LITERAL:
        return is_prompt(ref)
    return ref.kind in (*_APPLIED_DROPS, RefKind.BLOCK, RefKind.SUMMARY, RefKind.EVENT, RefKind.ARCHIVAL)


def is_text_possible(ref: Ref) -> bool:
    """Whether a what-if can have another text of a thing of that kind."""
    return is_prompt(ref) if ref.kind is RefKind.LITERAL else ref.kind in _EDITED_KINDS


def name_in(file: FileState, ref: Ref) -> str:
    """What a person calls a thing, in the Request with or without the what-if."""
    if ref.kind is RefKind.BLOCK:
        return one_line(file.label(ref.id), _NAME_LENGTH)
    if ref.kind is RefKind.LITERAL:
        return _literal_name(ref)
    requests = (file.request, file.tried.before if file.tried else None)
    found = next((name for each in requests if each for name in _names(each, ref)), "")
    kind = {RefKind.BATCH: tr("turn"), RefKind.MESSAGE: tr("message")}.get(ref.kind, tr(ref.kind.value))
    return one_line(found or tr("{kind} {id}", kind=kind, id=ref.id), _NAME_LENGTH)


def parts_of(file: FileState, names: Callable[[Ref], str] | None = None) -> tuple[WhatIfPart, ...]:
    """All that is tried on the shown agent: settings first, then pieces. `names` gives names that are at hand."""
    agent = file.drafted_agent
    if agent is None:
        return ()
    kept = kept_settings(file)
    settings = (replace(each, kept=kept.get(each.key, "")) for each in _settings(agent, file.what_if))
    return (*settings, *_pieces_tried(file, names or (lambda ref: name_in(file, ref))))


def kept_of(file: FileState) -> Mapping[Ref, str]:
    """What Apply leaves in the what-if, and why."""
    what_if = file.what_if
    drops = {ref: why for ref in what_if.dropped if (why := _why_not_dropped(file, ref))}
    drafted = [ref for ref in (*what_if.edited, *what_if.dropped) if _is_drafted(file, ref)]
    return {**dict.fromkeys(drafted, tr("it has unsaved changes")), **drops}


def _why_not_dropped(file: FileState, ref: Ref) -> str:
    """Why Apply can't leave a thing out; a block of the agent's own goes to the archival ones."""
    if ref.kind in _APPLIED_DROPS:
        return ""
    if ref.kind is RefKind.LITERAL:
        return tr("delete its text in the agent's settings")
    state = file.blocks.get(ref.id) if ref.kind is RefKind.BLOCK else None
    if state is None:
        return tr("no setting leaves this out")
    if file.is_for_partner(state.block):
        return tr("only the file's partner can change it")
    if state.block.owner != file.agent_id:
        return tr("change who sees it in its Sharing view")
    return "" if state.block.block_type in _CAN_BE_ARCHIVAL else tr("a log is always sent")


def kept_settings(file: FileState) -> Mapping[str, str]:
    """The settings that Apply leaves in the what-if, by the keys of their parts, and why."""
    stored, drafted = file.agent, file.drafted_agent
    if stored is None or drafted is None or stored is drafted:
        return _kept_layout(file)
    own = stored.config
    changed = _settings(drafted, WhatIf(stored.model, layout=own.layout, config=own, base=drafted.config))
    return {**{each.key: tr("it has unsaved changes") for each in changed}, **_kept_layout(file)}


def _kept_layout(file: FileState) -> Mapping[str, str]:
    """A layout that is tried and not saved: no agent can have it before it is."""
    tried = file.what_if.layout
    is_drafted = tried is not None and Ref(RefKind.LAYOUT, tried) in file.records
    return {"layout": tr("the layout has unsaved changes")} if is_drafted else {}


def can_be_applied(file: FileState) -> bool:
    """Whether anything that is tried has a setting or an edit."""
    return any(not each.kept for each in parts_of(file, str))


def without_part(what_if: WhatIf, agent: Agent, key: str) -> WhatIf:
    """What is tried without one of its parts."""
    if key == "model":
        return what_if.with_model(agent, agent.model)
    if key == "layout":
        return what_if.with_layout(agent, agent.config.layout)
    name, _, limit = key.partition(".")
    if name in {each.name for each in fields(ContextConfig)}:
        return what_if.with_config(
            agent, _reset(what_if.config_over(agent.config), agent.config, name, limit)
        )
    ref = Ref.read(key)
    return what_if if ref is None else what_if.without_ref(ref)


def _names(request: Request, ref: Ref) -> Iterator[str]:
    yield from (
        name_of(piece)
        for section in request.sections
        for piece in section.pieces
        if piece.source.id == ref.id and piece.source.is_of(ref)
    )
    yield from (name_of_source(each.source) for each in request.left_out if each.source.is_of(ref))


def _literal_name(ref: Ref) -> str:
    if ref.id.startswith(_INSTRUCTIONS) and ref.id.removeprefix(_INSTRUCTIONS).isdecimal():
        return tr("instruction {count}", count=int(ref.id.removeprefix(_INSTRUCTIONS)) + 1)
    return one_line(ref.id, _NAME_LENGTH)


def is_prompt(ref: Ref) -> bool:
    """Whether it is the agent's persona or one of its instructions, and no text of the layout."""
    return ref.id == _PERSONA or (
        ref.id.startswith(_INSTRUCTIONS) and ref.id.removeprefix(_INSTRUCTIONS).isdecimal()
    )


def _is_drafted(file: FileState, ref: Ref) -> bool:
    """Whether Apply would write under an unsaved change."""
    stored, drafted = file.agent, file.drafted_agent
    if ref.kind is RefKind.BLOCK:
        return ref.id in file.drafts
    if stored is None or drafted is None or stored is drafted:
        return ref in file.records
    if ref.kind is RefKind.TOOL:
        return ref in file.what_if.dropped and ref.id not in stored.tools
    if ref.kind is RefKind.LITERAL:
        is_persona = ref.id == _PERSONA
        return (
            stored.persona != drafted.persona if is_persona else stored.instructions != drafted.instructions
        )
    return ref in file.records


def _settings(agent: Agent, what_if: WhatIf) -> Iterator[WhatIfPart]:
    if what_if.model not in (None, agent.model):
        yield WhatIfPart("model", tr("model {name}", name=one_line(what_if.model, _NAME_LENGTH)))
    if what_if.layout not in (None, agent.config.layout):
        yield WhatIfPart("layout", tr("layout {name}", name=one_line(what_if.layout, _NAME_LENGTH)))
    tried, own = what_if.config_over(agent.config), agent.config
    for name, title in _LIMITS.items():
        value = getattr(tried.limits, name)
        if value != getattr(own.limits, name):
            yield WhatIfPart(f"limits.{name}", _limit_text(title(), value))
    if tried.strategy != own.strategy:
        yield WhatIfPart("strategy", tr("history: {name}", name=_strategy_text(tried.strategy)))
    if tried.max_messages_cap != own.max_messages_cap:
        yield WhatIfPart(
            "max_messages_cap",
            tr_count("at most {count} message", "at most {count} messages", tried.max_messages_cap),
        )
    yield from (
        WhatIfPart(name, title())
        for name, title in _OTHERS.items()
        if getattr(tried, name) != getattr(own, name)
    )


def _limit_text(title: str, value: int | str | None) -> str:
    shown = tr("the model's") if value is None else number(value) if isinstance(value, int) else value
    return tr("{limit} {value}", limit=title, value=shown)


def _strategy_text(strategy: Strategy) -> str:
    numbers = [getattr(strategy, each.name) for each in fields(strategy)]
    figures = ", ".join(f"{each:,}" for each in numbers if isinstance(each, int | float))
    name = strategy_name(strategy.kind)
    return tr("{name} ({figures})", name=name, figures=figures) if figures else name


def _pieces_tried(file: FileState, name: Callable[[Ref], str]) -> Iterator[WhatIfPart]:
    what_if, kept = file.what_if, kept_of(file)
    for ref in sorted(what_if.dropped):
        yield WhatIfPart(str(ref), tr("{name} left out", name=name(ref)), ref, kept.get(ref, ""))
    for ref in sorted(what_if.pinned):
        yield WhatIfPart(str(ref), tr("{name} put in", name=name(ref)), ref)
    for ref in sorted(what_if.edited):
        yield WhatIfPart(str(ref), tr("{name}: other text", name=name(ref)), ref, kept.get(ref, ""))


def _reset(tried: ContextConfig, own: ContextConfig, name: str, limit: str) -> ContextConfig:
    if limit:
        return replace(tried, limits=replace(tried.limits, **{limit: getattr(own.limits, limit)}))
    return replace(tried, **{name: getattr(own, name)})
