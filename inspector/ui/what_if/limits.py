"""Asks for the limits of a what-if: window, reply, memory and history, and the numbers of its strategy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace

from PySide6.QtWidgets import QWidget

from inspector.domain.agents import ContextConfig
from inspector.domain.limits import STRATEGIES, LimitOverrides, Strategy
from inspector.ui.widgets.prompt import FormDialog, FormField
from inspector.ui.wording import tr

_MOST = 100_000_000
_CAP = "max_messages_cap"
_LIMITS: Mapping[str, Callable[[], str]] = {
    "max_tokens": lambda: tr("Context window"),
    "reserved_response_tokens": lambda: tr("Reply reserve"),
    "memory_tokens": lambda: tr("Memory cap"),
    "history_tokens": lambda: tr("History budget"),
}
_STRATEGY: Mapping[str, Callable[[], str]] = {
    "keep_recent": lambda: tr("Newest messages kept"),
    "chunk_size": lambda: tr("Messages in a summary"),
    "keep_important": lambda: tr("Important messages kept"),
    "compress_after_hours": lambda: tr("Hours kept"),
    "min_keep_recent": lambda: tr("Messages kept at least"),
    "verbatim_count": lambda: tr("Messages kept as they are"),
    "high": lambda: tr("Trim from this share of the budget"),
    "low": lambda: tr("Trim to this share of the budget"),
}


def ask_limits(
    parent: QWidget, config: ContextConfig, answered: Callable[[Mapping[str, str]], None]
) -> FormDialog:
    """Show the form; what is left empty goes by the model or the layout."""
    limits = [
        FormField(name, title(), _text(getattr(config.limits, name)), fault=_fault_of(int))
        for name, title in _LIMITS.items()
    ]
    cap = FormField(_CAP, tr("Most messages"), _text(config.max_messages_cap), (), True, fault=_fault_of(int))
    strategy = config.strategy
    names = [each.name for each in fields(strategy) if each.name in _STRATEGY]
    own = [_strategy_field(name, getattr(strategy, name)) for name in names]
    dialog = FormDialog(parent, tr("Limits in the what-if"), (*limits, cap, *own), tr("Try"), answered)
    dialog.show()
    return dialog


def strategy_of(kind: str, config: ContextConfig, own: ContextConfig) -> ContextConfig:
    """The settings with a strategy of another kind: the agent's own one where it is of that kind."""
    if kind == config.strategy.kind:
        return config
    made: Strategy = next(each for each in STRATEGIES if each.kind == kind)()
    return replace(config, strategy=own.strategy if own.strategy.kind == kind else made)


def with_limits(config: ContextConfig, answers: Mapping[str, str]) -> ContextConfig:
    """The settings with what was answered; another strategy that was chosen meanwhile keeps its own numbers."""
    given = {name: int(_number(answers[name], int)) if answers[name] else None for name in _LIMITS}
    limits = LimitOverrides(preset=config.limits.preset, **given)
    strategy = config.strategy
    names = [each.name for each in fields(strategy) if each.name in _STRATEGY and each.name in answers]
    numbers = {name: type(getattr(strategy, name))(_number(answers[name], float)) for name in names}
    cap = int(_number(answers[_CAP], int))
    return replace(config, limits=limits, max_messages_cap=cap, strategy=replace(strategy, **numbers))


def _strategy_field(name: str, value: float) -> FormField:
    return FormField(name, _STRATEGY[name](), _text(value), (), True, fault=_fault_of(type(value)))


def _text(value: float | None) -> str:
    return "" if value is None else f"{value:,}"


def _fault_of(kind: type) -> Callable[[str], str]:
    def fault(text: str) -> str:
        try:
            value = _number(text, kind)
        except ValueError:
            return tr("Use a whole number.") if kind is int else tr("Use a number.")
        return "" if 0 <= value <= _MOST else tr("Use 0 to {most}.", most=f"{_MOST:,}")

    return fault


def _number(text: str, kind: type) -> float:
    plain = text.replace(",", "").replace("\u2009", "").replace(" ", "")
    if not plain.isascii():
        raise ValueError(text)
    return int(plain) if kind is int else float(plain)
