"""The engine's settings: each declared once; kept as one JSON file, written whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile

from inspector.domain.errors import InputError, NotFoundError
from inspector.domain.settings import Setting, SettingValue

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "budget.warning_share",
        0.8,
        "The share of the usable window from which the budget is shown as a warning.",
        minimum=0.1,
        maximum=1.0,
    ),
    Setting(
        "budget.error_share",
        1.0,
        "The share of the usable window from which the budget is shown as an error.",
        minimum=0.1,
        maximum=2.0,
    ),
    Setting("time.zone", "UTC", "The time zone of times in the Request, as an IANA name."),
)
BY_NAME: Mapping[str, Setting] = {setting.name: setting for setting in SETTINGS}


class Settings:
    """The present values. A file that cannot be read counts as empty and is replaced by the next change."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._values: dict[str, SettingValue] = _read(path)

    def __getitem__(self, name: str) -> SettingValue:
        return self._values.get(name, BY_NAME[name].default)

    @property
    def changed(self) -> Mapping[str, SettingValue]:
        """What differs from the defaults."""
        return dict(self._values)

    def set(self, name: str, value: SettingValue) -> None:
        """Change a setting and store all.

        Raises:
            NotFoundError: there is no such setting. InputError: the value does not fit it.
        """
        setting = BY_NAME.get(name)
        if setting is None:
            raise NotFoundError("not_found.setting", name=name)
        require_fit(setting, value)
        self._values[name] = value
        self._store()

    def reset(self, name: str) -> None:
        """Go back to the default."""
        if self._values.pop(name, None) is not None:
            self._store()

    def _store(self) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=self._path.parent, delete=False, encoding="utf-8") as file:
            json.dump(self._values, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        Path(file.name).replace(self._path)


def require_fit(setting: Setting, value: SettingValue) -> None:
    """Refuse a value of another type or outside the bounds.

    Raises:
        InputError: with what was expected.
    """
    number = isinstance(value, int | float) and not isinstance(value, bool)
    wanted = isinstance(setting.default, int | float) and not isinstance(setting.default, bool)
    if number != wanted or (not wanted and type(value) is not type(setting.default)):
        raise InputError("input.setting_type", name=setting.name, value=str(value))
    if setting.choices and value not in setting.choices:
        raise InputError("input.setting_choice", name=setting.name, value=str(value), choices=setting.choices)
    if isinstance(value, int | float) and not (
        (setting.minimum is None or value >= setting.minimum)
        and (setting.maximum is None or value <= setting.maximum)
    ):
        raise InputError(
            "input.setting_range",
            name=setting.name,
            value=value,
            minimum=setting.minimum,
            maximum=setting.maximum,
        )


def _read(path: Path) -> dict[str, SettingValue]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    kept: dict[str, SettingValue] = {}
    for name, value in found.items():
        if name in BY_NAME:
            try:
                require_fit(BY_NAME[name], value)
            except InputError:
                continue
            kept[name] = value
    return kept
