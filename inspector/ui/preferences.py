"""The window's preferences: settings kept in one private JSON file.

A damaged file never stops the program: what cannot be read falls back to its default, and the damaged file is
kept beside the new one. Window layouts carry a hash, because Qt aborts on a damaged one.
"""

from __future__ import annotations

import base64
import binascii
import json
import logging
import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from PySide6.QtCore import QLockFile, QObject, Signal

from inspector.domain.settings import Setting, SettingValue

REQUEST_LIST = "compare.list"
RECENT_MODELS = "models.recent"
ALLOWED_ORIGINS = "send.allowed_origins"
TOUR_DONE = "window.tour_done"
CACHE_MARKS = "request.cache_marks"
DETAIL_FOLDED = "window.detail_folded"
SETTINGS: tuple[Setting, ...] = (
    Setting("window.theme", "system", "Colours of the window.", choices=("system", "light", "dark")),
    Setting("window.text_scale", 1.0, "Ctrl++ and Ctrl+− change it too.", minimum=0.75, maximum=2.0),
    Setting("window.fonts", "shipped", "For the window and for prompts.", choices=("shipped", "system")),
    Setting("window.reopen_last", True, "Opens it with its tabs at start."),
    Setting("window.last_file", "", "Last file"),
    Setting(TOUR_DONE, False, "Tour taken"),
    Setting(ALLOWED_ORIGINS, "", "Addresses that are sent to without asking, one a line"),
    Setting(RECENT_MODELS, "", "Models chosen last, one a line"),
    Setting(
        "window.perspective",
        "inspect",
        "How panels stand around the centre.",
        choices=("inspect", "edit", "debug"),
    ),
    Setting(DETAIL_FOLDED, False, "Shows Detail as one line below the Request."),
    Setting("budget.sort", "", "Budget sorted by"),
    Setting("budget.flat", False, "Lists all pieces of the budget without their sections."),
    Setting("budget.since_sent", True, "Shows tokens since the last sent Request in the budget."),
    Setting("budget.cache", True, "Shows the prompt cache in the budget."),
    Setting(REQUEST_LIST, False, "Lists the agent's Requests beside a comparison."),
    Setting("problems.ignored_findings", "", "Ignored kinds of findings"),
    Setting("navigator.show_empty_groups", False, "Shows groups without entries in the navigator."),
    Setting(
        CACHE_MARKS, False, "Marks in a provider's JSON where the cached prefixes end. Copies have the marks."
    ),
    Setting(
        "request.format_json",
        False,
        "Shows JSON in the Request with a line for each value. Copies stay as sent.",
    ),
)
FAILED_STARTS_FOR_SAFE_MODE = 2
_RECENT_KEPT = 12
_LAYOUT_SIZE_LIMIT = 1 << 20
_LOG = logging.getLogger(__name__)


class Preferences(QObject):
    """What the user likes. `changed` carries the name of the setting."""

    changed = Signal(str)

    def __init__(self, path: Path | None, rows: tuple[Setting, ...] = SETTINGS) -> None:
        """Read the file; with no path nothing is ever read or written."""
        super().__init__()
        self._path = path
        self.rows: Mapping[str, Setting] = {row.name: row for row in rows}
        self.damaged = False
        self.damaged_copy: Path | None = None
        """Where the damaged file is kept."""
        self._data = self._read()
        self._unwritten: list[Callable[[dict[str, Any]], object]] = []
        """Changes that the file doesn't have, as it couldn't be written."""
        self._is_aside = False
        """Whether the file has other settings than are used: each that is set is written, the default as well."""
        self._start: QLockFile | None = None
        """Held while the window starts."""

    @property
    def path(self) -> Path | None:
        return self._path

    def get(self, name: str) -> SettingValue:
        """A setting's value; its default where none, or none that fits, is stored. Raises KeyError."""
        row = self.rows[name]
        stored = self._part("settings").get(name, row.default)
        return stored if fits(row, stored) else row.default

    def text(self, name: str) -> str:
        return str(self.get(name))

    def number(self, name: str) -> float:
        value = self.get(name)
        return float(value) if not isinstance(value, str) else 0.0

    def switch(self, name: str) -> bool:
        return self.get(name) is True

    def set(self, name: str, value: SettingValue) -> None:
        """Store a value.

        Raises:
            KeyError: no such setting.
            ValueError: the value does not fit the row.
        """
        if not fits(self.rows[name], value):
            raise ValueError(f"{name}: {value!r}")
        is_other = self.get(name) != value
        if is_other or self._is_aside:
            self._store(lambda data: _part(data, "settings").update({name: value}))
        if is_other:
            self.changed.emit(name)

    def reset(self, name: str) -> None:
        is_set = name in self._part("settings")
        if is_set or self._is_aside:
            self._store(lambda data: _part(data, "settings").pop(name, None))
        if is_set:
            self.changed.emit(name)

    @property
    def recent(self) -> tuple[Path, ...]:
        """Files opened lately, the newest first, whether they are still there or not."""
        return tuple(Path(name) for name in _recent(self._data))

    def remember(self, path: Path) -> None:
        """Put a file at the head of the recent ones."""
        name = str(path)

        def put(data: dict[str, Any]) -> None:
            data["recent"] = [name, *(each for each in _recent(data) if each != name)][:_RECENT_KEPT]

        self._store(put)

    def forget(self, path: Path) -> None:
        name = str(path)
        self._store(lambda data: data.update(recent=[each for each in _recent(data) if each != name]))

    def view_of(self, path: Path) -> Mapping[str, Any]:
        """What was shown of a file when it was open last, as it was stored."""
        found = self._part("views").get(str(path))
        return found if isinstance(found, dict) else {}

    def store_view(self, path: Path, view: Mapping[str, Any]) -> None:
        """Keep what is shown of a file, as long as it is among the recent ones."""
        name = str(path)

        def put(data: dict[str, Any]) -> None:
            data["views"] = {**_of_recent(data, "views", name), name: dict(view)}

        if self._part("views").get(name) != view:
            self._store(put)

    def panel_view(self, path: Path, panel: str) -> Mapping[str, Any]:
        """What a panel showed of a file when it was open last, as it was stored."""
        found = self._part("panel_views").get(str(path))
        view = found.get(panel) if isinstance(found, dict) else None
        return view if isinstance(view, dict) else {}

    def store_panel_view(self, path: Path, panel: str, view: Mapping[str, Any]) -> None:
        """Keep what a panel shows of a file, as long as it is among the recent ones."""
        name = str(path)

        def put(data: dict[str, Any]) -> None:
            kept = _of_recent(data, "panel_views", name)
            kept = {each: views for each, views in kept.items() if isinstance(views, dict)}
            data["panel_views"] = {**kept, name: {**kept.get(name, {}), panel: dict(view)}}

        if self.panel_view(path, panel) != view:
            self._store(put)

    def layout(self, name: str) -> bytes | None:
        """A stored window layout, only if it is byte for byte the one that was stored."""
        stored = self._part("layouts").get(name)
        if not isinstance(stored, dict):
            return None
        text, digest = stored.get("data"), stored.get("sha256")
        if not isinstance(text, str) or not isinstance(digest, str) or len(text) > _LAYOUT_SIZE_LIMIT:
            return None
        try:
            data = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            return None
        return data if _digest(name, data) == digest else None

    def store_layout(self, name: str, data: bytes) -> None:
        """Keep a window layout with its hash."""
        stored = {"data": base64.b64encode(data).decode("ascii"), "sha256": _digest(name, data)}
        if self._part("layouts").get(name) != stored:
            self._store(lambda data: _part(data, "layouts").update({name: stored}))

    def forget_layouts(self, beginning: str) -> None:
        """Go back to the first layout, of those whose names begin so."""

        def drop(data: dict[str, Any]) -> None:
            layouts = _part(data, "layouts").items()
            data["layouts"] = {name: each for name, each in layouts if not name.startswith(beginning)}

        self._store(drop)

    def set_aside(self) -> None:
        """Use defaults and the first layout from now on. Settings stay stored for the next start, layouts don't."""
        self._store(lambda data: data.update(layouts={}))
        self._data["settings"] = {}
        self._is_aside = True

    def begin_start(self) -> bool:
        """Note that a start is under way; True when the last ones failed and defaults should be used.

        A start beside which another window is starting is not counted: that one hasn't failed.
        """
        if not self._is_only_start():
            return False
        stored = self._data.get("unfinished_starts")
        failed = stored if isinstance(stored, int) and not isinstance(stored, bool) and stored >= 0 else 0
        self._store(lambda data: data.update(unfinished_starts=failed + 1))
        return failed >= FAILED_STARTS_FOR_SAFE_MODE

    def end_start(self) -> None:
        if "unfinished_starts" in self._data:
            self._store(lambda data: data.pop("unfinished_starts", None))
        self._start = None

    def _is_only_start(self) -> bool:
        if self._path is None:
            return True
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._start = QLockFile(str(self._path.with_suffix(".starting")))
        # A lock is stale when its process is gone, however old it is.
        self._start.setStaleLockTime(0)
        return self._start.tryLock(0) or self._start.error() != QLockFile.LockError.LockFailedError

    def _part(self, name: str) -> dict[str, Any]:
        return _part(self._data, name)

    def _read(self) -> dict[str, Any]:
        if self._path is None or not self._path.exists():
            return {}
        try:
            return self._stored() or {}
        except OSError:
            self._put_aside(self._path)
            return {}

    def _put_aside(self, path: Path) -> None:
        self.damaged = True
        with suppress(OSError):
            self.damaged_copy = path.replace(path.with_suffix(".damaged"))

    def _store(self, change: Callable[[dict[str, Any]], object]) -> None:
        """Make a change here and in the file, whose other settings stay as other windows have left them.

        On a full or locked disk it holds until the program ends, or the next one is stored: nothing else fails for it.
        """
        change(self._data)
        if self._path is None:
            return
        self._unwritten.append(change)
        try:
            stored = self._stored()
            if stored is None:
                stored = self._data
            else:
                for each in self._unwritten:
                    each(stored)
            _replace(self._path, json.dumps(stored, indent=1, sort_keys=True))
        except OSError as error:
            _LOG.warning("The window's settings can't be stored: %s", error)
        else:
            self._unwritten.clear()

    def _stored(self) -> dict[str, Any] | None:
        """What the file has now, None where there is none; a damaged one is put aside.

        Raises:
            OSError: the file is there, and can't be read.
        """
        if self._path is None or not self._path.exists():
            return None
        try:
            data = json.loads(self._path.read_text(encoding="utf-8"))
        except (ValueError, RecursionError):
            data = None
        if isinstance(data, dict):
            return data
        self._put_aside(self._path)
        return None


def _part(data: dict[str, Any], name: str) -> dict[str, Any]:
    found = data.get(name)
    if not isinstance(found, dict):
        found = data[name] = {}
    return found


def _recent(data: Mapping[str, Any]) -> list[str]:
    stored = data.get("recent")
    names = stored if isinstance(stored, list) else []
    return [name for name in names if isinstance(name, str) and name][:_RECENT_KEPT]


def _of_recent(data: dict[str, Any], part: str, name: str) -> dict[str, Any]:
    """What is stored in a part for recent files and one more."""
    recent = {*_recent(data), name}
    return {each: found for each, found in _part(data, part).items() if each in recent}


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # mkstemp makes the file readable by its user alone, whatever the umask says.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def fits(row: Setting, value: object) -> bool:
    """Whether a value is one that the row allows."""
    if isinstance(row.default, bool) or isinstance(value, bool):
        return isinstance(row.default, bool) and isinstance(value, bool)
    if isinstance(row.default, str):
        return isinstance(value, str) and (not row.choices or value in row.choices)
    if not isinstance(value, int | float) or (isinstance(row.default, int) and not isinstance(value, int)):
        return False
    low, high = row.minimum, row.maximum
    return (low is None or value >= low) and (high is None or value <= high)


def _digest(name: str, data: bytes) -> str:
    # It loads a library, which the first paint doesn't wait for.
    import hashlib  # noqa: PLC0415

    return hashlib.sha256(name.encode() + b"\0" + data).hexdigest()
