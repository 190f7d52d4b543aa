"""Importing in the window: rows are picked with clicks and keys, and become agents of a new file."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QStyle, QStyleOptionViewItem

from inspector.ui.widgets.import_preview import ImportPreview
from inspector.ui.widgets.import_rows import ImportRows
from tests.exchange.builders import agent, file_of
from tests.ui.conftest import Scene
from tests.ui.file_builders import banner_texts
from tests.ui.open_window import texts

EXAMPLES = Path(__file__).parents[2] / "exchange" / "recorded" / "examples"


async def previewed(scene: Scene, name: str, content: bytes | None = None) -> ImportPreview:
    """The preview of an example, or of a file with this content, in the test's own folder."""
    path = scene.folder / name
    data = content if content is not None else await asyncio.to_thread((EXAMPLES / name).read_bytes)
    await asyncio.to_thread(path.write_bytes, data)
    scene.real.contents.files.take(path)
    await scene.until(lambda: scene.real.window.findChildren(ImportPreview))
    return scene.real.window.findChildren(ImportPreview)[0]


def rows_of(preview: ImportPreview) -> ImportRows:
    assert preview.rows is not None
    return preview.rows


def click_box(rows: ImportRows, at: int) -> None:
    """Click on the check box of a row, where the style draws it."""
    option = QStyleOptionViewItem()
    option.rect = rows.visualRect(rows.model().index(at, 0))
    option.features = QStyleOptionViewItem.ViewItemFeature.HasCheckIndicator
    box: QRect = rows.style().subElementRect(QStyle.SubElement.SE_ItemViewItemCheckIndicator, option, rows)
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, box.center())


def click(preview: ImportPreview, start: str) -> None:
    (found,) = [each for each in preview.findChildren(QPushButton) if each.text().startswith(start)]
    QTest.mouseClick(found, Qt.MouseButton.LeftButton)


async def test_that_the_first_row_is_picked_and_clicks_pick_others(scene: Scene) -> None:
    preview = await previewed(scene, "cassette.yaml")
    rows = rows_of(preview)
    assert rows.picked == (1,)
    third = rows.topLevelItem(2)
    assert third is not None
    assert [third.text(column) for column in range(7)] == [
        *("3", "What is a fir?", "1", "5", "2", "gemini-2.0-flash", "Gemini")
    ]
    click_box(rows, 2)
    click_box(rows, 0)
    assert rows.picked == (3,)
    await scene.until(preview.do.isEnabled)
    assert "Recorded Gemini request: creates 1 agent." in texts(preview)
    QTest.mouseClick(preview.do, Qt.MouseButton.LeftButton)
    await scene.until(lambda: scene.real.contents.workspace.file.agents)
    file = scene.real.contents.workspace.file
    assert [each.name for each in file.agents] == ["cassette 3"]
    assert file.path == scene.folder / "cassette.constellation"


async def test_that_keys_pick_rows_and_import_them(scene: Scene) -> None:
    preview = await previewed(scene, "cassette.yaml")
    rows = rows_of(preview)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Space):
        QTest.keyClick(rows, key)
    assert list(rows.picked) == [1, 2]
    QTest.keyClick(rows, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert list(rows.picked) == [1, 2, 3, 4]
    QTest.keyClick(rows, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert list(rows.picked) == []
    await scene.until(lambda: "Pick at least one request." in texts(preview))
    assert not preview.do.isEnabled()
    QTest.keyClick(rows, Qt.Key.Key_Space)
    await scene.until(preview.do.isEnabled)
    QTest.keyClick(rows, Qt.Key.Key_Return)
    await scene.until(lambda: scene.real.contents.workspace.file.agents)
    assert [each.name for each in scene.real.contents.workspace.file.agents] == ["cassette 2"]
    budget = scene.real.window.dock("budget")
    await scene.until(lambda: "charged 42 tokens (input 12, cache read 30)" in texts(budget))


async def test_that_secrets_stand_first_and_kept_fields_are_folded(scene: Scene) -> None:
    preview = await previewed(scene, "deeper.json")
    assert preview.rows is None
    shown = texts(preview)
    assert shown.index("with secrets isn't imported: request.headers") < shown.index("creates 1 agent")
    assert "sk-not-a-real-key" not in shown
    (head,) = [each for each in preview.findChildren(QPushButton) if "kept as metadata" in each.text()]
    assert "response" not in shown.split("\n")
    QTest.mouseClick(head, Qt.MouseButton.LeftButton)
    assert "\nresponse\nrequest\n" in texts(preview)
    QTest.keyClick(head, Qt.Key.Key_Space)
    assert "\nresponse\nrequest\n" not in texts(preview)


async def test_that_the_target_is_chosen_in_the_dialog_and_replaces_nothing(scene: Scene) -> None:
    there = scene.folder / "messages.constellation"
    there.write_bytes(b"mine")
    preview = await previewed(scene, "messages.json")
    assert preview.target.text() == str(scene.folder / "messages-2.constellation")
    for text, words in (
        (str(there), "already exists"),
        (str(scene.folder / "none" / "x"), "doesn't exist"),
        ("", "Name the file"),
    ):
        preview.target.setText(text)
        assert words in texts(preview)
        assert not preview.do.isEnabled()
        QTest.keyClick(preview.target, Qt.Key.Key_Return)
    preview.target.setText(str(scene.folder / "talk"))
    QTest.keyClick(preview.target, Qt.Key.Key_Return)
    await scene.until(lambda: scene.real.contents.workspace.file.agents)
    assert scene.real.contents.workspace.file.path == scene.folder / "talk.constellation"
    assert there.read_bytes() == b"mine"


async def test_that_a_row_that_cannot_be_read_says_so_and_another_can_be_picked(scene: Scene) -> None:
    entries = [
        {"custom_id": "bad", "params": {"model": "m", "messages": [{"role": "wizard", "content": "a"}]}},
        {"custom_id": "good", "params": {"model": "m", "messages": [{"role": "user", "content": "b"}]}},
    ]
    preview = await previewed(scene, "batch.json", json.dumps({"requests": entries}).encode())
    assert "unknown role 'wizard'" in texts(preview)
    assert not preview.do.isEnabled()
    rows = rows_of(preview)
    for key in (Qt.Key.Key_Space, Qt.Key.Key_Down, Qt.Key.Key_Space):
        QTest.keyClick(rows, key)
    assert rows.picked == (2,)
    await scene.until(preview.do.isEnabled)
    assert "wizard" not in texts(preview)


@pytest.mark.parametrize("key", [Qt.Key.Key_Escape])
async def test_that_an_agent_file_has_no_rows_and_escape_makes_nothing(scene: Scene, key: Qt.Key) -> None:
    preview = await previewed(scene, "ada.af", json.dumps(file_of(agent())).encode())
    assert preview.rows is None
    assert "Agent 0" in texts(preview)
    assert preview.do.isEnabled()
    QTest.keyClick(preview, key)
    await scene.until(lambda: not scene.real.window.findChildren(ImportPreview))
    assert [each.name for each in scene.folder.iterdir() if each.suffix == ".constellation"] == []


async def test_that_an_unknown_file_is_told_by_its_looks(scene: Scene) -> None:
    path = scene.folder / "other.json"
    path.write_text('{"name": "x"}')
    scene.real.contents.files.take(path)
    await scene.until(lambda: banner_texts(scene.real))
    [notice] = scene.real.window.banners.notices
    assert "a JSON object with the key name" in notice.text
    assert not scene.real.window.findChildren(ImportPreview)
