import asyncio
from typing import Any
import pytest
from PySide6.QtCore import Qt, QCoreApplication, QEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from inspector.domain.edits.base import Edit
from inspector.domain.edits.rows import ConfigureAgent, EditMessage
from inspector.domain.edits.block_rows import *
from inspector.domain.edits import rows, block_rows
from inspector.domain.ref import Ref, RefKind
from inspector.domain.what_if import WhatIf
from inspector.domain.messages import TextPart
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file, said, texts, press_toast, toast_text
from tests.ui.panels.agent_tab import MEMORY, HISTORY, OpenSettings
from tests.ui.test_drafts import Drafts
from tests.ui.world import ADA, GRACE, QUESTIONS, NOTES, ONCALL, STORED, Spy
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

async def test_a_undo_redo_after_list(settings: OpenSettings, until: Until) -> None:
    tab = await settings()
    tab.type(MEMORY, "2,500")
    one = Drafts(tab.studio, until)
    await tab.calm()
    await one.open(1)
    one.dialog.save_checked()
    await until(lambda: tab.workspace.file.saved is not None)
    await tab.calm()
    print("toast", toast_text(tab.studio))
    tab.type(HISTORY, "4,100")
    tab.workspace.undo()
    await tab.calm()
    await asyncio.sleep(.2)
    await tab.calm()
    print("after undo", (await tab.stored()).config.limits, tab.line(MEMORY).text(), tab.line(HISTORY).text(), tab.panel.work.clashing, toast_text(tab.studio))
    tab.workspace.redo()
    await tab.calm()
    print("after redo", (await tab.stored()).config.limits, tab.line(MEMORY).text(), tab.line(HISTORY).text(), tab.panel.work.clashing, toast_text(tab.studio))

async def test_b_block_deleted_with_settings_draft(open_settings: Any, until: Until) -> None:
    tab = await open_settings(NOTES)
    tab.write(tab.page.form.description, "mine")
    await tab.world.write(NOTES, DeleteBlock())
    await calm(tab.studio, until)
    await asyncio.sleep(.1)
    one = Drafts(tab.studio, until)
    print("closed?", tab.page.not_savable, "discardable:", tab.page.not_discardable, tab.page.discard_button.isEnabled())
    await one.open(1)
    print(one.lines())
    one.dialog.save_checked()
    await calm(tab.studio, until)
    print(one.why(one.lines()[0]))
    one.dialog.discard_checked()
    await calm(tab.studio, until)
    print(tab.workspace.file.records, tab.page.is_dirty)

async def test_c_shared_block_detached_while_draft(open_tab: Any, until: Until) -> None:
    tab = await open_tab(block=ONCALL)
    tab.type("mine ", 0)
    await tab.calm()
    det = next(getattr(block_rows, n) for n in dir(block_rows) if n.startswith("Detach"))
    await tab.world.write(ONCALL, det(ADA.id))
    await tab.calm()
    await asyncio.sleep(.1)
    await tab.calm()
    print("heading", tab.panel.heading, "save", tab.panel.save_button.isEnabled(), texts(tab.panel.banners), texts(tab.panel.effects))
    one = Drafts(tab.studio, until)
    await one.open(1)
    print(one.lines(), one.lines(2), one.lines(3))
    one.dialog.save_checked()
    await calm(tab.studio, until)
    print(toast_text(tab.studio), (await tab.world.text(ONCALL))[:20], tab.panel.work.is_dirty)

async def test_d_agent_deleted(settings: OpenSettings, until: Until) -> None:
    tab = await settings(agent=GRACE)
    tab.type("provider", "azure")
    await tab.calm()
    cls = next((getattr(rows, n) for n in dir(rows) if n.startswith("DeleteAgent")), None) or block_rows.DeleteRow
    print(cls)
    try:
        await tab.world.write(GRACE, cls())
    except Exception as e:
        print("refused", repr(e)); return
    await asyncio.sleep(.1)
    await tab.calm()
    one = Drafts(tab.studio, until)
    print(tab.studio.window.status_line.drafts_button.text(), [a.name for a in tab.workspace.file.agents], texts(tab.panel))
    await one.open(1)
    print(one.lines(), one.lines(2))
    one.dialog.save_checked()
    await calm(tab.studio, until)
    print(one.why(one.lines()[0]))
    one.dialog.discard_checked()
    await calm(tab.studio, until)
    print(tab.workspace.file.settings_drafts)

async def test_e_switch_file_midsave(settings: OpenSettings, until: Until) -> None:
    tab = await settings()
    tab.type(MEMORY, "2,500")
    await tab.calm()
    other = tab.world.copy("other.constellation")
    one = Drafts(tab.studio, until)
    await one.open(1)
    spy = Spy(tab.world.engine, "apply")
    spy.gate.clear()
    one.dialog.save_checked()
    await until(lambda: spy.calls)
    tab.workspace.open(other)
    await asyncio.sleep(.2)
    spy.gate.set()
    await until(lambda: tab.workspace.file.path == other)
    await calm(tab.studio, until)
    print(tab.workspace.file.settings_drafts, tab.workspace.file.saved, toast_text(tab.studio), one.dialog.isVisible(), one.lines())

async def test_f_close_window_midsave(settings: OpenSettings, until: Until) -> None:
    tab = await settings()
    tab.type(MEMORY, "2,500")
    tab.workspace.try_out(WhatIf(model="gpt-4o"))
    await asyncio.sleep(0)
    spy = Spy(tab.world.engine, "apply")
    spy.gate.clear()
    tab.panel._save()
    await until(lambda: spy.calls)
    task = asyncio.ensure_future(tab.workspace.close())
    await asyncio.sleep(.05)
    spy.gate.set()
    await task
    print("closed")

async def test_g_conflict_in_save_all_then_review_and_deleted(open_tab: Any, until: Until) -> None:
    tab = await open_tab()
    tab.type("mine ", 0)
    await tab.world.insert(0, "theirs ")
    await tab.calm()
    one = Drafts(tab.studio, until)
    await one.open(1)
    one.dialog.save_checked()
    await until(lambda: one.why("open_questions"))
    print(one.why("open_questions"))
    await tab.click("Review")
    await until(lambda: tab.panel.review.is_open)
    await tab.world.write(QUESTIONS, DeleteBlock())
    await asyncio.sleep(.2)
    await tab.calm()
    print("review open", tab.panel.review.is_open, tab.panel.save_button.isVisible(), tab.panel.save_button.isEnabled(), tab.panel.discard_button.isEnabled(), texts(tab.panel)[:600])
    one.dialog.save_checked()
    await calm(tab.studio, until)
    print(one.lines(), [one.why(x) for x in one.lines()])
    tab.workspace.undo()

async def test_h_readonly(settings: OpenSettings, until: Until, monkeypatch) -> None:
    from dataclasses import replace
    from inspector.ui.file_state import What
    from inspector.domain.errors import Problem, Severity
    tab = await settings()
    tab.type(MEMORY, "2,500")
    await tab.calm()
    w = tab.workspace
    w.live.put(replace(w.file, read_only=Problem("file.read_only", Severity.WARNING, "", {})), What.EVERYTHING & ~What.FILE)
    await tab.calm()
    one = Drafts(tab.studio, until)
    await one.open(1)
    print(one.dialog.save_button.isEnabled(), one.dialog.discard_button.isEnabled(), texts(one.dialog))
    print(tab.panel.discard_button.isEnabled())
    b = tab.studio.window.panel("budget")
    print([x.text() for x in b.left_out.findChildren(QPushButton) if x.isVisible()])
