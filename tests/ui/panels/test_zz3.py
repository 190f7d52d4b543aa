import asyncio
from typing import Any
import pytest
from tests.ui.conftest import Studio, Until
from inspector.domain.edits import rows, block_rows
from tests.ui.open_window import calm, open_file, said, texts, press_toast, toast_text
from tests.ui.panels.agent_tab import MEMORY, HISTORY, OpenSettings
from tests.ui.test_drafts import Drafts
from tests.ui.world import ADA, GRACE, QUESTIONS, NOTES, ONCALL, STORED, Spy
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

async def test_c_shared_block_detached_while_draft(open_tab: Any, until: Until) -> None:
    tab = await open_tab(block=ONCALL)
    tab.type("mine ", 0)
    await tab.calm()
    print("EFF before", tab.panel.effects.isVisible(), repr(texts(tab.panel.effects)))
    await tab.world.write(ONCALL, block_rows.DetachBlock(ADA.id))
    for i in range(8):
        await asyncio.sleep(.25)
        print("EFF", tab.panel.effects.isVisible(), repr(texts(tab.panel.effects)), tab.studio.bridge.running)

async def test_d_agent_deleted(settings: OpenSettings, until: Until) -> None:
    tab = await settings(agent=GRACE)
    tab.type("provider", "azure")
    await tab.calm()
    await tab.world.write(GRACE, block_rows.DeleteRow())
    await asyncio.sleep(.1)
    await tab.calm()
    one = Drafts(tab.studio, until)
    await one.open(1)
    one.dialog.save_checked()
    await calm(tab.studio, until)
    print("toast", toast_text(tab.studio), "ban", texts(tab.studio.window.banners), tab.workspace.file.settings_drafts.keys(), tab.workspace.file.saved, one.dialog.isVisible(), one.lines())

async def test_e_other(settings: OpenSettings, until: Until) -> None:
    tab = await settings()
    tab.type(MEMORY, "2,500")
    await tab.calm()
    other = tab.world.copy("other.constellation")
    await asyncio.sleep(.3)
    tab.workspace.open(other)
    await until(lambda: tab.workspace.file.path == other)
    await calm(tab.studio, until)
    print("KEYS", tab.workspace.file.settings_drafts.keys(), [d for d in await tab.world.engine.drafts.own()])

async def test_e_other_block(open_tab: Any, until: Until) -> None:
    tab = await open_tab()
    tab.type("mine ", 0)
    await tab.calm()
    other = tab.world.copy("other.constellation")
    await asyncio.sleep(.3)
    tab.workspace.open(other)
    await until(lambda: tab.workspace.file.path == other)
    await calm(tab.studio, until)
    print("KEYS", tab.workspace.file.drafts.keys(), [d for d in await tab.world.engine.drafts.own()])
