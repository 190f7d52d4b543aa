"""The way in: which words are commands."""

from __future__ import annotations

from inspector.cli.commands import Windows, command_line
from inspector.entry import COMMANDS


def test_that_the_way_in_knows_every_command_and_no_other() -> None:
    group = command_line(Windows(lambda *_: 0, lambda *_: 0))
    assert set(group.commands) == COMMANDS
