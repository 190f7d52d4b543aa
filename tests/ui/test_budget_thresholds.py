"""The shares from which the budget warns are settings, and what shows them follows at once."""

import asyncio

import pytest
from PySide6.QtWidgets import QPushButton

from inspector.runtime.settings import Settings
from inspector.ui.panel import Marks, marks_of
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import open_file, show_request


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
    settings = studio.opener.settings
    await open_file(studio, until)
    show_request(studio, values.request())
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
    await open_file(studio, until)
    studio.opener.settings.set("time.zone", "Europe/Berlin")
    workspace = studio.contents.workspace
    await until(lambda: workspace.file.request is not None and workspace.file.request.zone == "Europe/Berlin")
