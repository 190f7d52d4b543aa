"""What is wrong with a file, or with work that was left on it, is told in the window, with what can be done."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTableView

from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent, Version
from inspector.domain.edits.text import SetText, Splice, SpliceText
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.storage import mounts
from tests.damaged_rows import BOB, DAMAGE, damage, make_damaged
from tests.ui.conftest import Scene
from tests.ui.file_builders import (
    NOTES,
    STORED,
    Real,
    banner_texts,
    calm,
    make_file,
    open_block,
    press,
    show,
)

FITS = Edit(NOTES, SetText("from last time"))
UNFIT = Edit(
    NOTES, SpliceText((Splice(0, 0, "precious"), Splice(40, 2, "words"))), Version("no such version")
)


def listed(real: Real) -> list[tuple[str, ...]]:
    """The rows of the Problems panel: kind, what, where."""
    view = real.window.panel("problems").findChild(QTableView)
    assert view is not None
    model = view.model()
    rows = range(model.rowCount(QModelIndex()))
    return [tuple(str(model.index(row, column).data()) for column in range(3)) for row in rows]


def where(real: Real) -> set[str]:
    """What the listed problems are about."""
    return {problem.where for problem in real.contents.workspace.file.problems} if listed(real) else set()


async def leave(path: Path, surroundings: Environment, *edits: Edit) -> None:
    """Leave drafts on a file, each from a program that ended without saving, a minute apart."""
    for edit in edits:
        engine = await Engine.open(path, surroundings)
        await engine.drafts.keep(edit)
        await engine.close()
        surroundings.clock.advance(minutes=1)  # type: ignore[attr-defined]  # the held one


async def left(path: Path, surroundings: Environment) -> list[Edit]:
    """What is kept of unsaved work, the newest first."""
    engine = await Engine.open(path, surroundings)
    try:
        stored, _ = await engine.drafts.left()
        return [each.draft.edit for each in stored]
    finally:
        await engine.close()


async def test_that_every_row_that_cannot_be_read_is_listed_in_words(scene: Scene) -> None:
    path = await make_damaged(scene.folder / "a.constellation", scene.surroundings)
    await show(scene.real, path, scene.until)
    await scene.until(lambda: DAMAGE.keys() <= where(scene.real))
    assert [agent.name for agent in scene.real.contents.workspace.file.agents] == ["Ada"]
    said = listed(scene.real)
    assert len([row for row in said if row[2] == f"agent:{BOB}"]) == 1
    unreadable = [row for row in said if re.search("can't (be )?read", row[1], re.IGNORECASE)]
    assert len(unreadable) == len(DAMAGE)
    assert all(row[0] == "error" for row in unreadable)


async def test_that_a_file_without_any_agent_that_can_be_read_says_why_it_is_empty(scene: Scene) -> None:
    path = await make_file(scene.folder / "a.constellation", scene.surroundings)
    damage(path, "UPDATE agents SET config = '{'")
    await show(scene.real, path, scene.until)
    await scene.until(lambda: where(scene.real) == {"agent:agt_ada"})
    assert scene.real.contents.workspace.file.agents == ()


async def test_that_a_file_on_a_network_is_told_of_while_it_is_open(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await make_file(scene.folder / "a.constellation", scene.surroundings)
    elsewhere = await make_file(scene.folder / "b.constellation", scene.surroundings)
    table = scene.folder / "mountinfo"
    table.write_text(f"40 27 0:33 / {scene.folder} rw - fuse.sshfs noor@harbor: rw\n", encoding="utf-8")
    monkeypatch.setattr(mounts, "MOUNT_TABLE", table)
    monkeypatch.setattr("sys.platform", "linux")
    await show(scene.real, path, scene.until)
    await scene.until(
        lambda: any("network" in row[1] and "fuse.sshfs" in row[1] for row in listed(scene.real))
    )
    table.write_text("27 1 254:0 / / rw - ext4 /dev/vda rw\n", encoding="utf-8")
    await show(scene.real, elsewhere, scene.until)
    await scene.until(lambda: not any("network" in row[1] for row in listed(scene.real)))


async def test_that_a_draft_whose_block_is_gone_is_told_copied_and_discarded(scene: Scene) -> None:
    path = await make_file(scene.folder / "a.constellation", scene.surroundings)
    gone = replace(UNFIT, target=replace(NOTES, id="blk_gone"))
    await leave(path, scene.surroundings, gone)
    await show(scene.real, path, scene.until)
    await scene.until(lambda: any("blk_gone" in text for text in banner_texts(scene.real)))
    assert any("blk_gone" in row[1] for row in listed(scene.real))
    assert len(scene.real.contents.workspace.file.drafts) == 0
    press(scene.real.window.banners, "Copy text")
    assert QGuiApplication.clipboard().text() == "precious\nwords"
    press(scene.real.window.banners, "Discard")
    await scene.until(lambda: banner_texts(scene.real) == [])
    await calm(scene.real, scene.until)
    assert listed(scene.real) == []
    assert await left(path, scene.surroundings) == []


async def test_that_a_draft_that_no_longer_fits_outlives_new_work_on_its_block(scene: Scene) -> None:
    path = await make_file(scene.folder / "a.constellation", scene.surroundings)
    await leave(path, scene.surroundings, UNFIT)
    await show(scene.real, path, scene.until)
    await scene.until(lambda: any("notes" in text for text in banner_texts(scene.real)))
    panel = await open_block(scene.real, scene.until)
    assert panel.page.editor.text == STORED
    panel.page.editor.select_range(0, 0)
    QTest.keyClicks(panel.page.editor, "new ")
    await calm(scene.real, scene.until)
    press(panel, panel.save_button.text())
    await scene.until(lambda: not panel.work.is_dirty and not panel.work.is_saving)
    await calm(scene.real, scene.until)
    assert any("notes" in text for text in banner_texts(scene.real))
    await scene.real.contents.workspace.close()
    assert banner_texts(scene.real) == []
    assert await left(path, scene.surroundings) == [UNFIT]


async def test_that_of_several_drafts_on_a_block_the_newest_that_fits_comes_back_and_the_others_are_told(
    scene: Scene,
) -> None:
    path = await make_file(scene.folder / "a.constellation", scene.surroundings)
    older = Edit(NOTES, SetText("even earlier"))
    await leave(path, scene.surroundings, older, FITS, FITS, UNFIT)
    await show(scene.real, path, scene.until)
    await scene.until(lambda: len([row for row in listed(scene.real) if "notes" in row[1]]) == 2)
    work = scene.real.contents.workspace.file.drafts.get(NOTES.id)
    assert work is not None
    assert work.content == TextContent("from last time")
    (text,) = [text for text in banner_texts(scene.real) if "notes" in text]
    assert "no longer fits" in text
    press(scene.real.window.banners, "Discard")
    await scene.until(lambda: any("an older draft" in text for text in banner_texts(scene.real)))
    press(scene.real.window.banners, "Copy text")
    assert QGuiApplication.clipboard().text() == "even earlier"
    press(scene.real.window.banners, "Discard")
    await scene.until(lambda: not [row for row in listed(scene.real) if "notes" in row[1]])
    await scene.real.contents.workspace.close()
    assert await left(path, scene.surroundings) == [FITS]


async def test_that_a_file_opens_though_the_drafts_of_last_time_are_out_of_reach(scene: Scene) -> None:
    path = await make_file(scene.folder / "a.constellation", scene.surroundings)
    state = scene.surroundings.state_folder
    assert state is not None
    (state / "drafts.sqlite").mkdir(parents=True)
    await show(scene.real, path, scene.until)
    await scene.until(lambda: listed(scene.real))
    assert scene.real.contents.workspace.file.request is not None


async def test_that_a_draft_that_was_saved_before_the_program_was_killed_is_not_taken_for_new_work(
    scene: Scene,
) -> None:
    path = await make_file(scene.folder / "a.constellation", scene.surroundings)
    engine = await Engine.open(path, scene.surroundings)
    state = await engine.memory.get(NOTES.id)
    assert state is not None
    edit = Edit(NOTES, SpliceText((Splice(0, 0, "Now: "),)), state.version)
    await engine.drafts.keep(edit)
    await engine.apply([Intent(edit, engine.actor)])
    await engine.close()
    assert await left(path, scene.surroundings) == [edit]
    await show(scene.real, path, scene.until)
    await open_block(scene.real, scene.until)
    assert scene.real.contents.workspace.file.drafts.get(NOTES.id) is None
    assert await left(path, scene.surroundings) == []
    stored = scene.real.contents.workspace.file.blocks.get(NOTES.id)
    assert stored is not None
    assert stored.content == TextContent(f"Now: {STORED}")
