"""What tests of the panels stand on."""

from typing import Any

import pytest

from inspector.domain.edits.base import Edit
from inspector.domain.ref import Ref
from inspector.ui.panels.agent import AgentPanel
from inspector.ui.panels.block import BlockPanel
from tests.ui.conftest import Studio, Until
from tests.ui.editors.structured_blocks import Made
from tests.ui.open_window import calm, open_file
from tests.ui.panels import settings_tab
from tests.ui.panels.agent_tab import AgentTab, OpenSettings
from tests.ui.panels.block_tab import BlockTab, OpenTab
from tests.ui.panels.messages_tab import MessagesTab, OpenMessages, open_messages
from tests.ui.panels.structured_tab import StructuredTab
from tests.ui.world import ADA, QUESTIONS


@pytest.fixture
def open_tab(studio: Studio, until: Until) -> OpenTab:
    """``await open_tab()``: a window with the block open, on the world's file with these edits and drafts in it."""

    async def opened(*edits: Edit, drafts: tuple[Edit, ...] = (), block: Ref = QUESTIONS) -> BlockTab:
        if edits or drafts:
            await studio.opener.change_file(*edits, drafts=drafts)
        await open_file(studio, until)
        studio.contents.services.selection.open(block)
        panel = studio.window.centre.currentWidget()
        assert isinstance(panel, BlockPanel)
        panel.first_focus().setFocus()
        made = BlockTab(studio, until, panel)
        await made.calm()
        return made

    return opened


@pytest.fixture
def settings(studio: Studio, until: Until) -> OpenSettings:
    """``await settings()``: a window with an agent's settings open, on the world's file with these edits and drafts."""

    async def opened(*edits: Edit, drafts: tuple[Edit, ...] = (), agent: Ref = ADA) -> AgentTab:
        if edits or drafts:
            await studio.opener.change_file(*edits, drafts=drafts)
        await open_file(studio, until)
        studio.contents.services.selection.open(agent)
        panel = studio.window.centre.currentWidget()
        assert isinstance(panel, AgentPanel)
        made = AgentTab(studio, until, panel, agent)
        await made.calm()
        return made

    return opened


@pytest.fixture
def open_settings(studio: Studio, until: Until) -> settings_tab.OpenSettings:
    """``await open_settings(ref, *edits)``: a window with the settings of a block in front."""

    async def made(ref: Ref = QUESTIONS, *edits: Edit) -> settings_tab.SettingsTab:
        return await settings_tab.opened(studio, until, ref, *edits)

    return made


@pytest.fixture
def messages(studio: Studio, until: Until) -> OpenMessages:
    """``await messages()``: the world's file with these edits in it, and Ada's messages in front."""

    async def opened(*edits: Edit) -> MessagesTab:
        return await open_messages(studio, until, *edits)

    return opened


@pytest.fixture
def open_block(studio: Studio, until: Until) -> Any:
    """``await open_block(TASKS)``: a window with that block open, on the world's file."""

    async def opened(made: Made, *, drafts: tuple[Edit, ...] = (), create: bool = True) -> StructuredTab:
        if create or drafts:
            await studio.opener.change_file(*((made.edit,) if create else ()), drafts=drafts)
        await open_file(studio, until)
        studio.contents.services.selection.open(made.ref)
        panel = studio.window.centre.currentWidget()
        assert isinstance(panel, BlockPanel)
        # Shortcuts belong to the active window.
        panel.window().activateWindow()
        panel.first_focus().setFocus()
        await calm(studio, until)
        return StructuredTab(studio, until, panel, made)

    return opened
