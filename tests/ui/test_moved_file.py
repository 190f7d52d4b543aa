"""A file that is replaced, moved or deleted under a window with a draft, through the real engine and real clicks."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from PySide6.QtTest import QTest

from inspector.domain.content import TextContent
from inspector.runtime.engine import Engine, Surroundings
from inspector.storage.database import POLL_SECONDS
from inspector.ui.panels.block import BlockPanel
from tests.storage.files import hash_outside
from tests.ui.conftest import Until
from tests.ui.real_files import (
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
    "replaced": "Another file has taken this file's place.",
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
    assert NOTES.id in real.furniture.workspace.drafts
    return panel


def test_that_a_second_holds_several_looks_at_the_file() -> None:
    assert POLL_SECONDS <= 1 / 3


@pytest.mark.parametrize("happening", HAPPENINGS)
async def test_that_the_window_says_so_keeps_the_draft_and_writes_nowhere(
    qloop: asyncio.AbstractEventLoop,
    real_window: Real,
    until: Until,
    tmp_db_dir: Path,
    surroundings: Surroundings,
    happening: str,
) -> None:
    path = await make_file(tmp_db_dir / "a.constellation", surroundings)
    other = await make_file(tmp_db_dir / "other.constellation", surroundings, "another file")
    panel = await draft(real_window, until, path)
    lose(path, other, happening)
    left = constellations(tmp_db_dir)
    await until(lambda: TOLD[happening] in banner_texts(real_window))
    QTest.keyClicks(panel.page.editor, "and more: ")
    press(panel, panel.save_button.text())
    await calm(real_window, until)
    assert any("moved, deleted or replaced" in text for text in banner_texts(real_window))
    assert panel.page.editor.text == f"{TYPED}and more: {STORED}"
    work = real_window.furniture.workspace.drafts.get(NOTES.id)
    assert work is not None
    assert work.content == TextContent(f"{TYPED}and more: {STORED}")
    assert constellations(tmp_db_dir) == left


@pytest.mark.parametrize("happening", HAPPENINGS)
async def test_that_a_copy_is_saved_of_what_was_open(
    qloop: asyncio.AbstractEventLoop,
    real_window: Real,
    until: Until,
    tmp_db_dir: Path,
    surroundings: Surroundings,
    happening: str,
) -> None:
    path = await make_file(tmp_db_dir / "a.constellation", surroundings)
    other = await make_file(tmp_db_dir / "other.constellation", surroundings, "another file")
    panel = await draft(real_window, until, path)
    lose(path, other, happening)
    left = constellations(tmp_db_dir)
    await until(lambda: TOLD[happening] in banner_texts(real_window))
    press(real_window.window.banners, "Save a copy …")
    copy = tmp_db_dir / "rescued.constellation"
    await answer_dialog(real_window, until, copy)
    await until(copy.exists)
    await calm(real_window, until)
    after = constellations(tmp_db_dir)
    assert after.pop(copy.name)
    assert after == left
    assert panel.page.editor.text == f"{TYPED}{STORED}"
    assert await content_of(copy, surroundings) == TextContent(STORED)
    # The copy is the same constellation, so the draft goes with it.
    await show(real_window, copy, until)
    panel = await open_block(real_window, until)
    await until(lambda: panel.page.editor.text == f"{TYPED}{STORED}")


async def test_that_a_file_that_came_back_opens_again_with_the_draft(
    qloop: asyncio.AbstractEventLoop,
    real_window: Real,
    until: Until,
    tmp_db_dir: Path,
    surroundings: Surroundings,
) -> None:
    path = await make_file(tmp_db_dir / "a.constellation", surroundings)
    away = tmp_db_dir / "away"
    await draft(real_window, until, path)
    path.rename(away)
    await until(lambda: TOLD["moved"] in banner_texts(real_window))
    press(real_window.window.banners, "Open again")
    await until(lambda: any("There is no file" in text for text in banner_texts(real_window)))
    assert NOTES.id in real_window.furniture.workspace.drafts
    assert constellations(tmp_db_dir) == {}
    away.rename(path)
    press(real_window.window.banners, "Open again")
    await until(lambda: TOLD["moved"] not in banner_texts(real_window))
    await calm(real_window, until)
    panel = await open_block(real_window, until)
    await until(lambda: panel.page.editor.text == f"{TYPED}{STORED}")
    press(panel, panel.save_button.text())
    await until(lambda: not panel.work.is_dirty and not panel.work.is_saving)
    assert await content_of(path, surroundings) == TextContent(f"{TYPED}{STORED}")


async def test_that_what_took_the_place_opens_as_it_is_and_the_draft_stays_for_the_other(
    qloop: asyncio.AbstractEventLoop,
    real_window: Real,
    until: Until,
    tmp_db_dir: Path,
    surroundings: Surroundings,
) -> None:
    path = await make_file(tmp_db_dir / "a.constellation", surroundings)
    other = await make_file(tmp_db_dir / "other.constellation", surroundings, "another file")
    kept = tmp_db_dir / "kept"
    await draft(real_window, until, path)
    kept.hardlink_to(path)
    lose(path, other, "replaced")
    left = constellations(tmp_db_dir)
    await until(lambda: TOLD["replaced"] in banner_texts(real_window))
    press(real_window.window.banners, "Open again")
    await until(lambda: TOLD["replaced"] not in banner_texts(real_window))
    await calm(real_window, until)
    panel = await open_block(real_window, until)
    await until(lambda: panel.page.editor.text == "another file")
    assert len(real_window.furniture.workspace.drafts) == 0
    assert constellations(tmp_db_dir) == left
    engine = await Engine.open(kept, surroundings)
    stored, problems = await engine.drafts.left()
    assert [each.draft.ref for each in stored] == [NOTES]
    assert problems == ()
    await engine.close()


async def test_that_a_file_lost_while_it_is_being_opened_is_told_of(
    qloop: asyncio.AbstractEventLoop,
    real_window: Real,
    until: Until,
    tmp_db_dir: Path,
    surroundings: Surroundings,
) -> None:
    path = await make_file(tmp_db_dir / "a.constellation", surroundings)
    doors = await real_window.opener.open(path)
    path.unlink()
    await asyncio.sleep(3 * POLL_SECONDS)
    real_window.furniture.workspace.show(doors)
    await until(lambda: TOLD["deleted"] in banner_texts(real_window))
