"""A day's work in twenty steps on the real window, by keyboard alone: no mouse and no call of any widget."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from inspector.domain.blocks import Permission
from inspector.domain.content import ListContent, LogContent, MapContent, TreeContent
from inspector.domain.ref import Ref
from tests.ui.conftest import Studio, Until
from tests.ui.editors.structured_blocks import DECISIONS, PROFILE, TASKS, WATCH
from tests.ui.keyboard import Keyboard, StrayWindows
from tests.ui.large_file import WORDS, large_edits
from tests.ui.open_window import open_file
from tests.ui.world import ADA, QUESTIONS, STORED


class Story:
    """One window, someone at its keyboard, and the file to look into."""

    def __init__(self, studio: Studio, until: Until) -> None:
        self.keys = Keyboard(studio, until)
        self.world, self.studio, self.until = studio.opener, studio, until

    @property
    def request(self) -> str:
        """The text of the Request that is shown."""
        request = self.studio.contents.workspace.file.request
        return request.text if request else ""

    async def content(self, block: Ref) -> object:
        return await self.world.engine.memory.content(block.id)

    async def text_and_undo(self) -> None:
        """Open a block, edit and save it, and take that back."""
        keys = self.keys
        await keys.go("open_questions")
        await keys.press("Ctrl+Home")
        await keys.type("By keys. ")
        await keys.press("Ctrl+S")
        assert await self.world.text() == f"By keys. {STORED}"
        await keys.press("Ctrl+Z")
        await keys.press("Ctrl+S")
        assert await self.world.text() == STORED

    async def map(self) -> None:
        """A field of a map."""
        keys = self.keys
        await keys.go("profile")
        await keys.tab_to("name")
        await keys.press("Ctrl+A")
        await keys.type("Imke")
        await keys.press("Ctrl+S")
        content = await self.content(PROFILE.ref)
        assert isinstance(content, MapContent)
        assert content.fields["name"] == "Imke"

    async def list(self) -> None:
        """The order of a list."""
        await self.keys.go("tasks")
        await self.keys.press("Ctrl+Home", "Alt+Down", "Ctrl+S")
        content = await self.content(TASKS.ref)
        assert isinstance(content, ListContent)
        assert [each.id for each in content.items] == ["b", "a", "c"]

    async def log(self) -> None:
        """A new entry of a log."""
        await self.keys.go("watch")
        await self.keys.tab_to("observation")
        await self.keys.type("Seen by keys")
        await self.keys.press("Ctrl+S")
        content = await self.content(WATCH.ref)
        assert isinstance(content, LogContent)
        assert [each.fields["observation"] for each in content.entries][-1] == "Seen by keys"

    async def tree(self) -> None:
        """A node below another."""
        await self.keys.go("decisions")
        await self.keys.press("End", "Tab", "Ctrl+S")
        content = await self.content(DECISIONS.ref)
        assert isinstance(content, TreeContent)
        assert [node.value for node in content.roots] == ["One queue per tenant"]

    async def messages(self) -> None:
        """A message edited and another archived."""
        keys = self.keys
        await keys.press("Alt+6")
        await keys.listed()
        await keys.press("End")
        await keys.press("Ctrl+E")
        await keys.press("Ctrl+Home")
        await keys.type("Typed, not clicked. ")
        await keys.press("Ctrl+S")
        await self.until(lambda: "Typed, not clicked. " in self.request)
        await keys.press("Alt+6", "Home", "Down")
        await keys.go("Archive message")
        await keys.said("archived")

    async def share(self) -> None:
        """A block shown to another agent, and then at another level."""
        keys = self.keys
        await keys.go("open_questions")
        await keys.go("Share block")
        await keys.press("Home", "Down", "Return")
        await keys.press("Down", "Return")
        await keys.said("can see open_questions")
        assert len(await self.levels()) == 1
        before = await self.levels()
        await keys.go("Sharing")
        await self.level_in_matrix()
        assert await self.levels() != before

    async def level_in_matrix(self) -> None:
        """Another level in the matrix of all blocks."""
        keys = self.keys
        await keys.press("Ctrl+F")
        await keys.type("open_q")
        await keys.tab_to("Blocks and the agents")
        await keys.listed(rows=1)
        await keys.press("Right", "Return", "Down", "Down", "Return")

    async def levels(self) -> dict[str, Permission]:
        found = await self.world.engine.blocks.attachments(QUESTIONS.id)
        return {each.agent_id: each.permission for each in found}

    async def settings(self) -> None:
        """A draft of the agent's settings."""
        await self.keys.go("Agent settings")
        await self.keys.press("End")
        await self.keys.type(" by keys")

    async def what_if(self) -> None:
        """A message left out, what that saves looked at, and applied."""
        keys = self.keys
        await keys.go("Is step 3 done?")
        await keys.go("Leave out in what-if")
        await self.until(lambda: "Is step 3 done?" not in self.request)
        await keys.rest()
        await keys.go("Apply what-if")
        await keys.said("What-if applied")

    async def drafts(self) -> None:
        """Two drafts saved at once from their list."""
        keys = self.keys
        await keys.go("open_questions")
        await keys.go("Edit the block")
        await keys.press("Ctrl+Home")
        await keys.type("Draft. ")
        await keys.go("Unsaved drafts")
        await keys.press("Ctrl+Return")
        await self.until(lambda: not self.studio.contents.workspace.file.has_drafts)
        assert (await self.world.text()).startswith("Draft. ")
        agent = await self.world.engine.agents.get(ADA.id)
        assert agent is not None
        assert agent.name == "Ada by keys"
        await keys.press("Escape")

    async def history(self) -> None:
        """An older version of a block restored."""
        keys = self.keys
        await keys.go("open_questions")
        await keys.go("block's history")
        await keys.press("Down")
        await keys.go("Restore version")
        await keys.said("estore")
        assert await self.world.text() == STORED

    async def budget(self) -> None:
        """The budget in another order."""
        await self.keys.press("Alt+3")
        await self.keys.go("Sort the budget by tokens")

    async def problem(self) -> None:
        """A finding fixed."""
        await self.keys.press("Alt+5")
        await self.keys.listed()
        await self.keys.press("Down")
        await self.keys.go("Fix the selected finding")
        await self.until(lambda: WORDS not in self.request)

    async def close(self) -> None:
        """The file closed."""
        await self.keys.press("Ctrl+W")
        await self.keys.go("Close file")
        assert self.studio.contents.workspace.file.path is None


@pytest.mark.slow
@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@pytest.mark.timeout(120)
async def test_that_a_days_work_is_done_without_a_mouse(
    qapp: QApplication, studio: Studio, until: Until
) -> None:
    await studio.opener.change_file(
        *(each.edit for each in (TASKS, PROFILE, WATCH, DECISIONS)), *large_edits()
    )
    await open_file(studio, until)
    studio.window.activateWindow()
    await until(studio.window.isActiveWindow)
    one, strays = Story(studio, until), StrayWindows(qapp)
    blocks = (one.text_and_undo, one.map, one.list, one.log, one.tree)
    agents = (one.messages, one.share, one.settings, one.what_if, one.drafts)
    for step in (*blocks, *agents, one.history, one.budget, one.problem, one.close):
        await step()
        assert strays.seen == []
        assert studio.window.isActiveWindow()
    qapp.removeEventFilter(strays)
