"""A file that is replaced, moved or deleted under a window with a draft, through the real engine and real clicks."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from PySide6.QtTest import QTest

from inspector.domain.content import TextContent
from inspector.runtime.engine import Engine
from inspector.storage.database import POLL_SECONDS
from inspector.ui.panels.block import BlockPanel
from tests.storage.builders import hash_outside
from tests.ui.conftest import Scene, Until
from tests.ui.file_builders import (
    NOTES,
    STORED,
    Real,
    answer_dialog,
    banner_texts,
    calm,
    content_of,
    make_file,
    open_block,
    press,
    show,
)

TYPED = "typed, not saved: "
HAPPENINGS = ("replaced", "moved", "deleted")
TOLD = {
    "replaced": "Another file has replaced this one.",
    "moved": "The file was moved or deleted while it was open.",
    "deleted": "The file was moved or deleted while it was open.",
}


def lose(path: Path, other: Path, happening: str) -> None:
    """Let something happen to the open file."""
    if happening == "replaced":
        other.replace(path)
    elif happening == "moved":
        path.rename(path.with_name("moved.constellation"))
    else:
        path.unlink()


def constellations(folder: Path) -> dict[str, str]:
    """The files in a folder by name, with their hashes."""
    return {each.name: hash_outside(each) for each in folder.glob("*.constellation*")}


async def draft(real: Real, until: Until, path: Path) -> BlockPanel:
    """Open a file and type into a block without saving."""
    await show(real, path, until)
    panel = await open_block(real, until)
    panel.page.editor.select_range(0, 0)
    QTest.keyClicks(panel.page.editor, TYPED)
    await calm(real, until)
    assert NOTES.id in real.contents.workspace.file.drafts
    return panel


def test_that_a_second_holds_several_looks_at_the_file() -> None:
    assert POLL_SECONDS <= 1 / 3


@pytest.mark.parametrize("happening", HAPPENINGS)
async def test_that_the_window_says_so_keeps_the_draft_and_writes_nowhere(
    scene: Scene, happening: str
) -> None:
    path = await make_file(scene.folder / "a.constellation", scene.surroundings)
    other = await make_file(scene.folder / "other.constellation", scene.surroundings, "another file")
    panel = await draft(scene.real, scene.until, path)
    lose(path, other, happening)
    left = constellations(scene.folder)
    await scene.until(lambda: TOLD[happening] in banner_texts(scene.real))
    QTest.keyClicks(panel.page.editor, "and more: ")
    press(panel, panel.save_button.text())
    await calm(scene.real, scene.until)
    assert [each.key for each in scene.real.window.banners.notices] == ["moved"]
    assert panel.page.editor.text == f"{TYPED}and more: {STORED}"
    work = scene.real.contents.workspace.file.drafts.get(NOTES.id)
    assert work is not None
    assert work.content == TextContent(f"{TYPED}and more: {STORED}")
    assert constellations(scene.folder) == left


@pytest.mark.parametrize("happening", HAPPENINGS)
async def test_that_a_copy_is_saved_of_what_was_open(scene: Scene, happening: str) -> None:
    path = await make_file(scene.folder / "a.constellation", scene.surroundings)
    other = await make_file(scene.folder / "other.constellation", scene.surroundings, "another file")
    panel = await draft(scene.real, scene.until, path)
    lose(path, other, happening)
    left = constellations(scene.folder)
    await scene.until(lambda: TOLD[happening] in banner_texts(scene.real))
    press(scene.real.window.banners, "Save a copy …")
    copy = scene.folder / "rescued.constellation"
    await answer_dialog(scene.real, scene.until, copy)
    await scene.until(copy.exists)
    await calm(scene.real, scene.until)
    after = constellations(scene.folder)
    assert after.pop(copy.name)
    assert after == left
    assert panel.page.editor.text == f"{TYPED}{STORED}"
    assert await content_of(copy, scene.surroundings) == TextContent(STORED)
    # The copy is the same constellation, so the draft goes with it.
    press(scene.real.window.banners, "Switch to the copy")
    await scene.until(lambda: scene.real.contents.workspace.file.path == copy)
    await calm(scene.real, scene.until)
    assert "copied" not in [each.key for each in scene.real.window.banners.notices]
    panel = await open_block(scene.real, scene.until)
    await scene.until(lambda: panel.page.editor.text == f"{TYPED}{STORED}")


async def test_that_a_file_that_came_back_opens_again_with_the_draft(scene: Scene) -> None:
    path = await make_file(scene.folder / "a.constellation", scene.surroundings)
    away = scene.folder / "away"
    await draft(scene.real, scene.until, path)
    path.rename(away)
    await scene.until(lambda: TOLD["moved"] in banner_texts(scene.real))
    press(scene.real.window.banners, "Open again")
    await scene.until(lambda: any("doesn't exist" in text for text in banner_texts(scene.real)))
    assert NOTES.id in scene.real.contents.workspace.file.drafts
    assert constellations(scene.folder) == {}
    away.rename(path)
    press(scene.real.window.banners, "Open again")
    await scene.until(lambda: TOLD["moved"] not in banner_texts(scene.real))
    await calm(scene.real, scene.until)
    panel = await open_block(scene.real, scene.until)
    await scene.until(lambda: panel.page.editor.text == f"{TYPED}{STORED}")
    press(panel, panel.save_button.text())
    await scene.until(lambda: not panel.work.is_dirty and not panel.work.is_saving)
    assert await content_of(path, scene.surroundings) == TextContent(f"{TYPED}{STORED}")


async def test_that_what_took_the_place_opens_as_it_is_and_the_draft_stays_for_the_other(
    scene: Scene,
) -> None:
    path = await make_file(scene.folder / "a.constellation", scene.surroundings)
    other = await make_file(scene.folder / "other.constellation", scene.surroundings, "another file")
    kept = scene.folder / "kept"
    await draft(scene.real, scene.until, path)
    kept.hardlink_to(path)
    lose(path, other, "replaced")
    left = constellations(scene.folder)
    await scene.until(lambda: TOLD["replaced"] in banner_texts(scene.real))
    press(scene.real.window.banners, "Open again")
    await scene.until(lambda: TOLD["replaced"] not in banner_texts(scene.real))
    await calm(scene.real, scene.until)
    panel = await open_block(scene.real, scene.until)
    await scene.until(lambda: panel.page.editor.text == "another file")
    assert len(scene.real.contents.workspace.file.drafts) == 0
    assert constellations(scene.folder) == left
    engine = await Engine.open(kept, scene.surroundings)
    stored, problems = await engine.drafts.left()
    assert [each.draft.ref for each in stored] == [NOTES]
    assert problems == ()
    await engine.close()


async def test_that_a_copy_of_the_file_leaves_the_draft_to_the_original(scene: Scene) -> None:
    path = await make_file(scene.folder / "a.constellation", scene.surroundings)
    await draft(scene.real, scene.until, path)
    copy = Path(shutil.copy2(path, scene.folder / "copy.constellation"))
    await show(scene.real, copy, scene.until)
    panel = await open_block(scene.real, scene.until)
    await scene.until(lambda: panel.page.editor.text == STORED)
    assert not scene.real.contents.workspace.file.drafts
    await show(scene.real, path, scene.until)
    panel = await open_block(scene.real, scene.until)
    await scene.until(lambda: panel.page.editor.text == f"{TYPED}{STORED}")


async def test_that_a_file_lost_while_it_is_being_opened_is_told_of(scene: Scene) -> None:
    path = await make_file(scene.folder / "a.constellation", scene.surroundings)
    session = await scene.real.opener.open(path)
    path.unlink()
    await asyncio.sleep(3 * POLL_SECONDS)
    scene.real.contents.workspace.show(session)
    await scene.until(lambda: TOLD["deleted"] in banner_texts(scene.real))
