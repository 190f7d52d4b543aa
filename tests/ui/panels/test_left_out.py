"""The budget panel's list of what is left out: fixes of several settings, and lists by keyboard and by ear."""

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.domain.agents import ContextConfig
from inspector.domain.counts import Method
from inspector.domain.limits import Truncate
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix, FixStep, LeftOut, Source, SourceKind
from inspector.ui.panels.budget import BudgetPanel
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import open_file, press_toast, said, show_request
from tests.ui.values import made_request

AGENT = Ref(RefKind.AGENT, values.ADA)
STEPS = (FixStep("raise_keep_recent", 120), FixStep("raise_history_tokens", 27_000))
BOTH = Fix("raise_history", AGENT, None, {"messages": 120, "tokens": 27_000}, STEPS)
OLD = LeftOut(
    Source(SourceKind.MESSAGE, "bat_1", None, values.ADA, batch=True),
    "messages",
    "history_full",
    800,
    Method.EXACT,
    BOTH,
    {"needed": 800, "reach": 27_000},
)
KEY = "message:bat_1:history_full"


async def panel_with(studio: Studio, until: Until, *left_out: LeftOut) -> BudgetPanel:
    """The panel with a Request of which that is left out."""
    await open_file(studio, until)
    show_request(studio, replace(made_request({"core": ["text\n"]}), left_out=left_out))
    panel = studio.window.panel("budget")
    assert isinstance(panel, BudgetPanel)
    return panel


def config_of(studio: Studio) -> ContextConfig | None:
    """How the shown agent's Request is built, as it is stored."""
    agent = studio.contents.workspace.file.agent
    return agent.config if agent else None


async def test_that_what_several_limits_keep_out_comes_in_with_one_button(
    studio: Studio, until: Until
) -> None:
    panel = await panel_with(studio, until, OLD)
    do = panel.left_out.button(KEY)
    assert do is not None
    assert do.text() == "Raise history limits"
    assert do.accessibleName() == "Raise the history limits to 120 messages and 27,000 tokens."
    agent = studio.contents.workspace.file.agent
    assert agent is not None
    QTest.mouseClick(do, Qt.MouseButton.LeftButton)
    await said(studio, until, "History limits of Ada raised to 120 messages and 27,000 tokens.")
    config = replace(
        agent.config,
        limits=replace(agent.config.limits, history_tokens=27_000),
        strategy=Truncate(120),
    )
    await until(lambda: config_of(studio) == config)
    press_toast(studio, "Undo")
    await until(lambda: config_of(studio) == agent.config)


async def test_that_a_fix_of_no_steps_is_told_in_words(studio: Studio, until: Until) -> None:
    panel = await panel_with(studio, until, replace(OLD, fix=replace(BOTH, steps=())))
    row = panel.left_out.row(KEY)
    assert row is not None
    assert panel.left_out.button(KEY) is None
    assert "Raise the history limits to 120 messages and 27,000 tokens." in row.accessibleName()


async def test_that_another_layout_is_tried_before_it_is_used(studio: Studio, until: Until) -> None:
    fix = Fix("set_layout", AGENT, "standard", {"value": "standard"})
    out = replace(OLD, fix=fix, rule="not_in_layout", parameters={})
    panel = await panel_with(studio, until, out)
    do = panel.left_out.button("message:bat_1:not_in_layout")
    assert do is not None
    assert do.text() == "Try layout standard"
    agent = studio.contents.workspace.file.agent
    assert agent is not None
    QTest.mouseClick(do, Qt.MouseButton.LeftButton)
    await until(lambda: studio.contents.workspace.file.what_if.layout == "standard")
    assert config_of(studio) == agent.config
