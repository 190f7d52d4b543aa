"""The shares from which the budget warns are settings, and what shows them follows at once."""

import asyncio
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton

from inspector.runtime.settings import Settings
from inspector.ui.panel import Marks, marks_of
from tests.ui.conftest import Studio, Until


@pytest.mark.parametrize(
    ("tokens", "usable", "tone"),
    [(0, 100, ""), (80, 100, ""), (81, 100, "warning"), (100, 100, "warning"), (101, 100, "error")],
)
def test_that_a_figure_warns_past_its_marks(tokens: int, usable: int, tone: str) -> None:
    assert marks_of(Settings()).tone(tokens, usable) == tone


def test_that_with_nothing_usable_any_token_is_too_much() -> None:
    assert Marks(0.8, 1.0).tone(1, 0) == "error"
    assert Marks(0.8, 1.0).tone(0, 0) == ""


async def test_that_the_status_line_follows_the_setting(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    workspace, settings = studio.contents.workspace, studio.opener.settings
    workspace.open(Path("harbor.constellation"))
    await until(lambda: workspace.file.request)
    buttons = studio.window.status_line.findChildren(QPushButton)
    await until(lambda: any("13,300" in each.text() for each in buttons))
    (button,) = (each for each in buttons if "13,300" in each.text())
    assert button.property("tone") == ""
    settings.set("budget.warning_share", 0.5)
    await until(lambda: button.property("tone") == "warning")
    settings.set("budget.error_share", 0.6)
    await until(lambda: button.property("tone") == "error")
    settings.reset("budget.error_share")
    settings.reset("budget.warning_share")
    await until(lambda: button.property("tone") == "")


async def test_that_another_time_zone_builds_the_request_again(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    studio.contents.workspace.open(Path("harbor.constellation"))
    await until(lambda: studio.contents.workspace.file.request)
    studio.opener.settings.set("time.zone", "Europe/Berlin")
    await until(lambda: studio.opener.doors.builds[-1][1].zone == "Europe/Berlin")
