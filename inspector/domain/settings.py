"""A setting, declared once: name, type, default and meaning, for help, dialog and checks."""

from __future__ import annotations

from inspector.domain.dataclass import dataclass

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
