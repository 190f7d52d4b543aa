"""What is wrong with a file, or with work that was left on it, is told in the window, with what can be done."""

from __future__ import annotations

import asyncio
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
from inspector.runtime.engine import Engine, Surroundings
from inspector.storage import mounts
from tests.damaged_rows import BOB, DAMAGE, damage, make_damaged
from tests.ui.conftest import Until
from tests.ui.real_files import (
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
    return {problem.where for problem in real.furniture.workspace.problems} if listed(real) else set()


async def leave(path: Path, surroundings: Surroundings, *edits: Edit) -> None:
    """Leave drafts on a file, each from a program that ended without saving, a minute apart."""
    for edit in edits:
        engine = await Engine.open(path, surroundings)
        await engine.drafts.keep(edit)
        await engine.close()
        surroundings.clock.advance(minutes=1)  # type: ignore[attr-defined]  # the held one


async def left(path: Path, surroundings: Surroundings) -> list[Edit]:
    """What is kept of unsaved work, the newest first."""
    engine = await Engine.open(path, surroundings)
    try:
        stored, _ = await engine.drafts.left()
        return [each.draft.edit for each in stored]
    finally:
        await engine.close()


async def test_that_every_row_that_cannot_be_read_is_listed_in_words(
    qloop: asyncio.AbstractEventLoop,
    real_window: Real,
    until: Until,
    tmp_db_dir: Path,
    surroundings: Surroundings,
) -> None:
    path = await make_damaged(tmp_db_dir / "a.constellation", surroundings)
    await show(real_window, path, until)
    await until(lambda: DAMAGE.keys() <= where(real_window))
    assert [agent.name for agent in real_window.furniture.workspace.agents] == ["Ada"]
    told = listed(real_window)
    assert len([row for row in told if row[2] == f"agent:{BOB}"]) == 1
    assert sum("cannot be read" in row[1] for row in told) == len(DAMAGE)
    assert all(row[0] == "error" for row in told if "cannot be read" in row[1])


async def test_that_a_file_without_any_agent_that_can_be_read_says_why_it_is_empty(
    qloop: asyncio.AbstractEventLoop,
    real_window: Real,
    until: Until,
    tmp_db_dir: Path,
    surroundings: Surroundings,
) -> None:
    path = await make_file(tmp_db_dir / "a.constellation", surroundings)
    damage(path, "UPDATE agents SET config = '{'")
    await show(real_window, path, until)
    await until(lambda: where(real_window) == {"agent:agt_ada"})
    assert real_window.furniture.workspace.agents == ()


async def test_that_a_file_on_a_network_is_told_of_while_it_is_open(
    qloop: asyncio.AbstractEventLoop,
    real_window: Real,
    until: Until,
    tmp_db_dir: Path,
    surroundings: Surroundings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = await make_file(tmp_db_dir / "a.constellation", surroundings)
    elsewhere = await make_file(tmp_db_dir / "b.constellation", surroundings)
    table = tmp_db_dir / "mountinfo"
    table.write_text(f"40 27 0:33 / {tmp_db_dir} rw - fuse.sshfs noor@harbor: rw\n", encoding="utf-8")
    monkeypatch.setattr(mounts, "MOUNT_TABLE", table)
    monkeypatch.setattr("sys.platform", "linux")
    await show(real_window, path, until)
    await until(lambda: any("network" in row[1] and "fuse.sshfs" in row[1] for row in listed(real_window)))
    table.write_text("27 1 254:0 / / rw - ext4 /dev/vda rw\n", encoding="utf-8")
    await show(real_window, elsewhere, until)
    await until(lambda: not any("network" in row[1] for row in listed(real_window)))


async def test_that_a_draft_whose_block_is_gone_is_told_copied_and_discarded(
    qloop: asyncio.AbstractEventLoop,
    real_window: Real,
    until: Until,
    tmp_db_dir: Path,
    surroundings: Surroundings,
) -> None:
    path = await make_file(tmp_db_dir / "a.constellation", surroundings)
    gone = replace(UNFIT, target=replace(NOTES, id="blk_gone"))
    await leave(path, surroundings, gone)
    await show(real_window, path, until)
    await until(lambda: any("blk_gone" in text for text in banner_texts(real_window)))
    assert any("blk_gone" in row[1] for row in listed(real_window))
    assert len(real_window.furniture.workspace.drafts) == 0
    press(real_window.window.banners, "Copy its text")
    assert QGuiApplication.clipboard().text() == "precious\nwords"
    press(real_window.window.banners, "Discard")
    await until(lambda: banner_texts(real_window) == [])
    await calm(real_window, until)
    assert listed(real_window) == []
    assert await left(path, surroundings) == []


async def test_that_a_draft_that_no_longer_fits_outlives_new_work_on_its_block(
    qloop: asyncio.AbstractEventLoop,
    real_window: Real,
    until: Until,
    tmp_db_dir: Path,
    surroundings: Surroundings,
) -> None:
    path = await make_file(tmp_db_dir / "a.constellation", surroundings)
    await leave(path, surroundings, UNFIT)
    await show(real_window, path, until)
    await until(lambda: any("notes" in text for text in banner_texts(real_window)))
    panel = await open_block(real_window, until)
    assert panel.page.editor.text == STORED
    panel.page.editor.select_range(0, 0)
    QTest.keyClicks(panel.page.editor, "new ")
    await calm(real_window, until)
    press(panel, panel.save_button.text())
    await until(lambda: not panel.work.is_dirty and not panel.work.is_saving)
    await calm(real_window, until)
    assert any("notes" in text for text in banner_texts(real_window))
    await real_window.furniture.workspace.close()
    assert banner_texts(real_window) == []
    assert await left(path, surroundings) == [UNFIT]


async def test_that_of_several_drafts_on_a_block_the_newest_that_fits_comes_back_and_the_others_are_told(
    qloop: asyncio.AbstractEventLoop,
    real_window: Real,
    until: Until,
    tmp_db_dir: Path,
    surroundings: Surroundings,
) -> None:
    path = await make_file(tmp_db_dir / "a.constellation", surroundings)
    older = Edit(NOTES, SetText("even earlier"))
    await leave(path, surroundings, older, FITS, FITS, UNFIT)
    await show(real_window, path, until)
    await until(lambda: len([row for row in listed(real_window) if "notes" in row[1]]) == 2)
    work = real_window.furniture.workspace.drafts.get(NOTES.id)
    assert work is not None
    assert work.content == TextContent("from last time")
    (text,) = [text for text in banner_texts(real_window) if "notes" in text]
    assert "no longer fits" in text
    press(real_window.window.banners, "Discard")
    await until(lambda: any("older unsaved work" in text for text in banner_texts(real_window)))
    press(real_window.window.banners, "Copy its text")
    assert QGuiApplication.clipboard().text() == "even earlier"
    press(real_window.window.banners, "Discard")
    await until(lambda: not [row for row in listed(real_window) if "notes" in row[1]])
    await real_window.furniture.workspace.close()
    assert await left(path, surroundings) == [FITS]


async def test_that_a_file_opens_though_the_drafts_of_last_time_are_out_of_reach(
    qloop: asyncio.AbstractEventLoop,
    real_window: Real,
    until: Until,
    tmp_db_dir: Path,
    surroundings: Surroundings,
) -> None:
    path = await make_file(tmp_db_dir / "a.constellation", surroundings)
    state = surroundings.state_folder
    assert state is not None
    (state / "drafts.sqlite").mkdir(parents=True)
    await show(real_window, path, until)
    await until(lambda: listed(real_window))
    assert real_window.furniture.workspace.request is not None


async def test_that_a_draft_that_was_saved_before_the_program_was_killed_is_not_taken_for_new_work(
    qloop: asyncio.AbstractEventLoop,
    real_window: Real,
    until: Until,
    tmp_db_dir: Path,
    surroundings: Surroundings,
) -> None:
    path = await make_file(tmp_db_dir / "a.constellation", surroundings)
    engine = await Engine.open(path, surroundings)
    state = await engine.memory.get(NOTES.id)
    assert state is not None
    edit = Edit(NOTES, SpliceText((Splice(0, 0, "Now: "),)), state.version)
    await engine.drafts.keep(edit)
    await engine.apply([Intent(edit, engine.actor)])
    await engine.close()
    assert await left(path, surroundings) == [edit]
    await show(real_window, path, until)
    await open_block(real_window, until)
    assert real_window.furniture.workspace.drafts.get(NOTES.id) is None
    assert await left(path, surroundings) == []
    stored = real_window.furniture.workspace.block(NOTES.id)
    assert stored is not None
    assert stored.content == TextContent(f"Now: {STORED}")
