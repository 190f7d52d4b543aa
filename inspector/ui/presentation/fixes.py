"""The edit that the button of a fix makes for a candidate that was left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from inspector.domain.activity import Importance
from inspector.domain.agent_settings import configured
from inspector.domain.agents import Agent, ContextConfig, SettingsBase
from inspector.domain.blocks import Block, BlockType, LogSchema
from inspector.domain.edits.base import Edit, Operation
from inspector.domain.edits.block_rows import SetBlockType, SetPinned, SetSchema
from inspector.domain.edits.rows import ConfigureAgent
from inspector.domain.limits import ImportanceBased, TimeDecay, Truncate, WindowStrategy
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix
from inspector.domain.what_if import WhatIf
from inspector.ui.file_state import FileState

_Configure = Callable[[ContextConfig, int], ContextConfig | None]


def edit_for(fix: Fix, agent: Agent, block: Block | None = None) -> Edit | None:
    """The edit, None for a fix that no single edit makes; it is then told in words only.

    Args:
        fix: What would help.
        agent: Whose Request it is.
        block: The fix's target where that is a block.
    """
    if fix.steps:
        return _all_of(fix, agent)
    if fix.action in _CONFIGURES:
        value = _whole(fix)
        config = None if value is None else _CONFIGURES[fix.action](agent.config, value)
        return None if config is None else _of_agent(agent, config)
    if fix.action in _NAMED:
        named = _NAMED[fix.action](agent.config, str(fix.value))
        return None if named is None else _of_agent(agent, named)
    operation = _of_block(fix, block)
    return None if operation is None or fix.target is None else Edit(fix.target, operation)


def tried_with(fix: Fix, agent: Agent, what_if: WhatIf) -> WhatIf | None:
    """What is tried with the fix in it, None for a fix that is made in a block; nothing is stored."""
    if fix.action in ("pin", "unarchive") and fix.target is not None:
        return what_if.with_put_in(fix.target)
    if fix.action == "undrop" and fix.target is not None:
        return what_if.without_ref(fix.target)
    if fix.action == "set_layout":
        # It may be the agent's own, from which what is tried differs.
        return replace(what_if, layout=str(fix.value))
    config = what_if.config_over(agent.config)
    edit = edit_for(fix, replace(agent, config=config))
    if edit is None or not isinstance(edit.operation, ConfigureAgent) or edit.operation.config is None:
        return None
    return what_if.with_config(agent, edit.operation.config)


def drafted_with(fix: Fix, file: FileState) -> Edit | None:
    """The unsaved settings of the shown agent with the fix in them; None where a save of it shows without that."""
    agent, drafted, draft = file.agent, file.drafted_agent, file.settings_draft
    if agent is None or drafted is None or draft is None or draft.config is None:
        return None
    wanted, saved, mine = (
        _config_of(edit_for(fix, each)) for each in (drafted, agent, replace(agent, config=draft.config))
    )
    if wanted is None or mine is None:
        return None
    is_shown = saved is not None and configured(replace(agent, config=saved), draft).config == wanted
    return None if is_shown else Edit(Ref(RefKind.AGENT, agent.id), replace(draft, config=mine))


def _config_of(edit: Edit | None) -> ContextConfig | None:
    operation = None if edit is None else edit.operation
    return operation.config if isinstance(operation, ConfigureAgent) else None


def _all_of(fix: Fix, agent: Agent) -> Edit | None:
    """One edit of the agent's settings for all steps of a fix."""
    config = agent.config
    for step in fix.steps:
        edit = edit_for(Fix(step.action, fix.target, step.value), replace(agent, config=config))
        if edit is None or not isinstance(edit.operation, ConfigureAgent) or edit.operation.config is None:
            return None
        config = edit.operation.config
    return _of_agent(agent, config)


def _of_agent(agent: Agent, config: ContextConfig) -> Edit:
    base = SettingsBase(config=agent.config)
    return Edit(Ref(RefKind.AGENT, agent.id), ConfigureAgent(config=config, base=base))


def _of_block(fix: Fix, block: Block | None) -> Operation | None:
    if fix.action == "pin":
        return SetPinned(pinned=True)
    if fix.action == "set_type" and fix.value in list(BlockType):
        return SetBlockType(BlockType(str(fix.value)))
    limit = _whole(fix)
    if fix.action == "set_display_limit" and block is not None and limit is not None:
        schema = block.schema
        return SetSchema(replace(schema, display_limit=limit)) if isinstance(schema, LogSchema) else None
    return None


def _whole(fix: Fix) -> int | None:
    return fix.value if isinstance(fix.value, int) and not isinstance(fix.value, bool) else None


def _keep_recent(config: ContextConfig, value: int) -> ContextConfig | None:
    strategy = config.strategy
    return (
        replace(config, strategy=replace(strategy, keep_recent=value))
        if isinstance(strategy, Truncate | ImportanceBased)
        else None
    )


def _verbatim(config: ContextConfig, value: int) -> ContextConfig | None:
    strategy = config.strategy
    return (
        replace(config, strategy=replace(strategy, verbatim_count=value))
        if isinstance(strategy, WindowStrategy)
        else None
    )


def _hours(config: ContextConfig, value: int) -> ContextConfig | None:
    strategy = config.strategy
    return (
        replace(config, strategy=replace(strategy, compress_after_hours=value))
        if isinstance(strategy, TimeDecay)
        else None
    )


def _importance(config: ContextConfig, label: str) -> ContextConfig | None:
    level = next((each for each in Importance if each.label == label), None)
    return None if level is None else replace(config, activity=replace(config.activity, min_importance=level))


_CONFIGURES: dict[str, _Configure] = {
    "raise_memory_tokens": lambda config, value: replace(
        config, limits=replace(config.limits, memory_tokens=value)
    ),
    "raise_history_tokens": lambda config, value: replace(
        config, limits=replace(config.limits, history_tokens=value)
    ),
    "raise_max_tokens": lambda config, value: replace(
        config, limits=replace(config.limits, max_tokens=value)
    ),
    "raise_keep_recent": _keep_recent,
    "raise_verbatim_count": _verbatim,
    "raise_compress_after_hours": _hours,
    "raise_max_messages_cap": lambda config, value: replace(config, max_messages_cap=value),
    "raise_activity_lookback_hours": lambda config, value: replace(
        config, activity=replace(config.activity, lookback_hours=value)
    ),
    "raise_activity_entries_limit": lambda config, value: replace(
        config, activity=replace(config.activity, entries_limit=value)
    ),
}
_NAMED: dict[str, Callable[[ContextConfig, str], ContextConfig | None]] = {
    "lower_activity_min_importance": _importance,
    "set_layout": lambda config, value: replace(config, layout=value),
}
