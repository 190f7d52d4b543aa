"""A setting, declared once: name, type, default, what it means. Help, dialog and checks all read this row."""

from __future__ import annotations

from dataclasses import dataclass

SettingValue = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Setting:
    """`name` is dotted (``budget.warning_share``); `choices` limits texts, `minimum`/`maximum` numbers."""

    name: str
    default: SettingValue
    description: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
