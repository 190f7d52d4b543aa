"""The engine's settings, each declared once and kept in one JSON file."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from inspector.domain.errors import InputError, NotFoundError
from inspector.domain.settings import Setting, SettingValue

SUMMARIES_WITHOUT_MODEL = "summaries.without_model"
SUMMARIES_TIMEOUT = "summaries.timeout_seconds"
QUEUE_POLL = "queue.poll_seconds"
QUEUE_AT_ONCE = "queue.at_once"
QUEUE_ATTEMPTS = "queue.attempts"
NETWORK_OFFLINE = "network.offline"
EXTRACTIVE = "extractive"

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "budget.warning_share",
        0.8,
        "The budget turns yellow from this share of the usable context window.",
        minimum=0.1,
        maximum=1.0,
    ),
    Setting(
        "budget.error_share",
        1.0,
        "The budget turns red from this share of the usable context window.",
        minimum=0.1,
        maximum=2.0,
    ),
    Setting("time.zone", "UTC", "For times in the Request. An IANA name, such as Europe/Berlin."),
    Setting(
        "identity.id",
        "",
        "Stands for you in edits, from the next time a file is opened. Empty: your login name. "
        "With a file's partner ID you can write the partner's blocks.",
    ),
    Setting(
        SUMMARIES_WITHOUT_MODEL,
        "problem",
        "What happens when no model is available for a summary.",
        choices=("problem", EXTRACTIVE),
    ),
    Setting(
        SUMMARIES_TIMEOUT,
        120.0,
        "For making one summary. After that, nothing is stored.",
        minimum=1.0,
        maximum=3600.0,
    ),
    Setting(
        QUEUE_POLL,
        0.5,
        "How often a running agent looks for queued messages, in seconds.",
        minimum=0.05,
        maximum=60.0,
    ),
    Setting(
        QUEUE_AT_ONCE,
        10,
        "How many agents may process a message at the same time.",
        minimum=1,
        maximum=100,
    ),
    Setting(
        QUEUE_ATTEMPTS,
        5,
        "How often a queued message is tried before it moves to the dead letters.",
        minimum=1,
        maximum=100,
    ),
    Setting(
        NETWORK_OFFLINE,
        False,
        "Nothing leaves this computer: model calls, lists of models and exact counts are refused. Models on this "
        "computer, such as Ollama at 127.0.0.1, still answer.",
    ),
    Setting("identity.name", "", "Shown with your edits. Empty: your login name."),
)
BY_NAME: Mapping[str, Setting] = {setting.name: setting for setting in SETTINGS}


class Settings:
    """The present values. A file that cannot be read counts as empty and is replaced by the next change."""

    def __init__(self, path: Path | None = None) -> None:
        """Read the file; with no path nothing is ever read or written."""
        self._path = path
        self._values = _read(path)
        self._watchers: list[Callable[[str], None]] = []

    def __getitem__(self, name: str) -> SettingValue:
        return self._values.get(name, BY_NAME[name].default)

    @property
    def path(self) -> Path | None:
        return self._path

    def get(self, name: str) -> SettingValue:
        return self[name]

    def number(self, name: str) -> float:
        value = self[name]
        return 0.0 if isinstance(value, str) else float(value)

    def text(self, name: str) -> str:
        return str(self[name])

    def switch(self, name: str) -> bool:
        return self[name] is True

    def watch(self, watcher: Callable[[str], None]) -> None:
        """Tell `watcher` the name of every setting that gets another value."""
        self._watchers.append(watcher)

    @property
    def changed(self) -> Mapping[str, SettingValue]:
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
        self._change(name, value)

    def reset(self, name: str) -> None:
        self._change(name, None)

    def _change(self, name: str, value: SettingValue | None) -> None:
        before = self[name]
        # Another window may have stored something since.
        values = _read(self._path) if self._path is not None else dict(self._values)
        values.pop(name, None)
        if value is not None:
            values[name] = value
        self._values = values
        self._store()
        if self[name] != before:
            for watcher in self._watchers:
                watcher(name)

    def _store(self) -> None:
        if self._path is None:
            return
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
    _require_type(setting, value)
    if setting.choices and value not in setting.choices:
        raise InputError("input.setting_choice", name=setting.name, value=str(value), choices=setting.choices)
    check = _CHECKS.get(setting.name)
    if check is not None and not check(str(value)):
        raise InputError("input.setting_value", name=setting.name, value=str(value))
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


def _require_type(setting: Setting, value: SettingValue) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    wanted = isinstance(setting.default, int | float) and not isinstance(setting.default, bool)
    if number != wanted or (not wanted and type(value) is not type(setting.default)):
        raise InputError("input.setting_type", name=setting.name, value=str(value))


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


_CHECKS: Mapping[str, Callable[[str], bool]] = {"time.zone": _is_zone}


def _read(path: Path | None) -> dict[str, SettingValue]:
    if path is None:
        return {}
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
