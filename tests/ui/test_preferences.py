import json
import os
import random
import stat
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow
from pytestqt.qtbot import QtBot

from inspector.domain.settings import Setting
from inspector.ui.preferences import Preferences, fits


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "window.json"


def test_that_a_value_is_there_at_the_next_start(path: Path) -> None:
    Preferences(path).set("window.theme", "dark")
    assert Preferences(path).get("window.theme") == "dark"


def test_that_a_value_that_does_not_fit_is_refused(path: Path) -> None:
    preferences = Preferences(path)
    with pytest.raises(ValueError, match="pink"):
        preferences.set("window.theme", "pink")
    with pytest.raises(ValueError, match="9"):
        preferences.set("window.text_scale", 9)
    with pytest.raises(KeyError):
        preferences.set("window.unheard_of", 1)


def test_that_reset_gives_the_default_and_tells(path: Path) -> None:
    said: list[str] = []
    preferences = Preferences(path)
    preferences.set("window.text_scale", 1.5)
    preferences.changed.connect(said.append)
    preferences.reset("window.text_scale")
    preferences.reset("window.text_scale")
    assert preferences.get("window.text_scale") == 1.0
    assert said == ["window.text_scale"]


@pytest.mark.parametrize(
    ("default", "value", "good"),
    [
        (True, False, True),
        (True, 1, False),
        (1.0, True, False),
        (1.0, 2, True),
        (1, 1.5, False),
        ("a", "b", True),
        ("a", 1, False),
        ("a", None, False),
    ],
)
def test_that_a_value_has_its_rows_type(default: object, value: object, good: bool) -> None:
    assert fits(Setting("x", default, ""), value) is good  # type: ignore[arg-type]


def test_that_file_and_folder_are_the_users_alone_whatever_the_mask(path: Path) -> None:
    before = os.umask(0)
    try:
        Preferences(path).set("window.theme", "light")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_that_nothing_but_the_file_is_left_in_the_folder(path: Path) -> None:
    preferences = Preferences(path)
    for number in range(5):
        preferences.remember(Path(f"/somewhere/{number}"))
    assert list(path.parent.iterdir()) == [path]


def test_that_recent_files_come_newest_first_without_doubles(path: Path) -> None:
    preferences = Preferences(path)
    for name in ("a", "b", "a"):
        preferences.remember(Path(name))
    assert preferences.recent == (Path("a"), Path("b"))
    preferences.forget(Path("a"))
    assert Preferences(path).recent == (Path("b"),)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b'"text"'])
def test_that_a_damaged_file_gives_defaults_and_is_kept(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    preferences = Preferences(path)
    assert preferences.damaged
    assert preferences.get("window.theme") == "system"
    assert path.with_suffix(".damaged").read_bytes() == content
    preferences.set("window.theme", "dark")
    assert Preferences(path).get("window.theme") == "dark"


@pytest.mark.parametrize(
    "data",
    [
        {"settings": []},
        {"settings": {"window.theme": 5, "window.text_scale": "big"}},
        {"recent": 7, "layouts": {"a": 1}},
        {"recent": [1, None, ""], "unfinished_starts": "many"},
        {"unfinished_starts": -5, "layouts": []},
    ],
)
def test_that_odd_parts_of_a_file_fall_back_to_defaults(path: Path, data: dict[str, object]) -> None:
    path.parent.mkdir()
    path.write_text(json.dumps(data))
    preferences = Preferences(path)
    assert preferences.get("window.theme") == "system"
    assert preferences.recent == ()
    assert preferences.layout("a") is None
    assert preferences.begin_start() is False


def test_that_two_failed_starts_lead_to_a_safe_one(path: Path) -> None:
    assert [Preferences(path).begin_start() for _ in range(3)] == [False, False, True]
    Preferences(path).end_start()
    assert Preferences(path).begin_start() is False


def test_that_windows_that_start_beside_each_other_are_no_failed_starts(path: Path) -> None:
    windows = [Preferences(path) for _ in range(4)]
    assert not any(each.begin_start() for each in windows)
    for each in windows:
        each.end_start()
    assert Preferences(path).begin_start() is False


def test_that_windows_keep_each_others_settings(path: Path) -> None:
    first, second = Preferences(path), Preferences(path)
    first.set("window.theme", "light")
    first.remember(Path("/a"))
    second.remember(Path("/b"))
    second.store_layout("state", b"docks")
    again = Preferences(path)
    assert again.text("window.theme") == "light"
    assert again.recent == (Path("/b"), Path("/a"))
    assert again.layout("state") == b"docks"


def test_that_a_safe_start_keeps_the_settings_for_the_next_one(path: Path) -> None:
    preferences = Preferences(path)
    preferences.set("window.theme", "light")
    preferences.store_layout("state", b"docks")
    safe = Preferences(path)
    safe.set_aside()
    assert safe.text("window.theme") == "system"
    safe.set("window.text_scale", 1.5)
    again = Preferences(path)
    assert (again.text("window.theme"), again.number("window.text_scale")) == ("light", 1.5)
    assert again.layout("state") is None


def test_that_a_change_that_could_not_be_written_goes_with_the_next_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    preferences = Preferences(path)
    preferences.remember(Path("/a"))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(PermissionError("locked")))
        preferences.set("window.theme", "dark")
        preferences.store_layout("state", b"docks")
    assert Preferences(path).text("window.theme") == "system"
    preferences.remember(Path("/b"))
    again = Preferences(path)
    assert again.text("window.theme") == "dark"
    assert again.layout("state") == b"docks"
    assert again.recent == (Path("/b"), Path("/a"))


def test_that_a_safe_window_can_set_a_default_for_the_next_start(path: Path) -> None:
    preferences = Preferences(path)
    preferences.set("window.text_scale", 2.0)
    preferences.set("window.theme", "dark")
    safe = Preferences(path)
    safe.set_aside()
    safe.set("window.text_scale", 1.0)
    safe.reset("window.theme")
    again = Preferences(path)
    assert (again.number("window.text_scale"), again.text("window.theme")) == (1.0, "system")


def test_that_no_path_means_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    preferences = Preferences(None)
    preferences.set("window.theme", "dark")
    preferences.remember(Path("x"))
    assert preferences.get("window.theme") == "dark"
    assert list(tmp_path.iterdir()) == []


def layout_of(window: QMainWindow) -> bytes:
    for name in ("left", "right"):
        dock = QDockWidget(name, window)
        dock.setObjectName(name)
        window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    return bytes(window.saveState().data())


def test_that_two_thousand_damaged_layouts_are_never_given_to_qt(path: Path, qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    layout = layout_of(window)
    Preferences(path).store_layout("state", layout)
    text = path.read_bytes()
    chance = random.Random(37)
    given = 0
    for _ in range(2_000):
        damaged = bytearray(text)
        for _ in range(chance.randint(1, 8)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        path.write_bytes(bytes(damaged))
        found = Preferences(path).layout("state")
        assert found is None or found == layout
        if found is not None:
            given += 1
            assert window.restoreState(QByteArray(found))
    assert given < 2_000


def test_that_a_layout_under_another_name_is_not_taken(path: Path) -> None:
    preferences = Preferences(path)
    preferences.store_layout("one", b"data")
    data = json.loads(path.read_text())
    data["layouts"]["two"] = data["layouts"]["one"]
    path.write_text(json.dumps(data))
    assert Preferences(path).layout("one") == b"data"
    assert Preferences(path).layout("two") is None
