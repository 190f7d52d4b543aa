"""Every command and option says what it does, and every command shows how it is called."""

from __future__ import annotations

import re

import click
import pytest

from inspector.cli.commands import Windows, command_line
from inspector.entry import COMMANDS

GROUP = command_line(Windows(lambda *_: 0, lambda *_: 0))
VERB = re.compile(r"(?:… with|[A-Z][a-z]+,?) ")


def command_of(name: str) -> click.Command:
    command = GROUP.get_command(click.Context(GROUP), name)
    assert command is not None
    return command


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_that_a_command_has_help_and_an_example_that_can_be_parsed(name: str) -> None:
    command = command_of(name)
    assert VERB.match(command.get_short_help_str())
    start, _, example = (command.epilog or "").partition("  context-inspector ")
    assert start == "\b\nExample:\n"
    words = [each.strip('"') for each in re.findall(r'"[^"]*"|\S+', example)]
    assert words[0] == name
    assert command.make_context(name, words[1:]).params


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_that_every_option_says_what_it_does(name: str) -> None:
    options = [each for each in command_of(name).params if isinstance(each, click.Option)]
    assert [each.name for each in options if not VERB.match(each.help or "")] == []
