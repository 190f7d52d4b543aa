"""Declares every command of the command line with its options and its help."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import click

from inspector import __version__
from inspector.cli.options import FILE, SizeParam, example
from inspector.domain.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Windows:
    """What needs a screen, passed in by the entry point: nothing here imports it."""

    open: Callable[[Path | None, bool, bool], int]
    screenshots: Callable[[Path, Path, tuple[str, ...], tuple[int, int], float], int]


def _agents() -> Iterable[click.Command]:
    from inspector.cli.agents import agents_command

    return (agents_command,)


def _reading() -> Iterable[click.Command]:
    from inspector.cli.reading import READING_COMMANDS

    return READING_COMMANDS


def _writing() -> Iterable[click.Command]:
    from inspector.cli.writing import WRITING_COMMANDS

    return WRITING_COMMANDS


def _importing() -> Iterable[click.Command]:
    from inspector.cli.importing import import_command

    return (import_command,)


def _memory() -> Iterable[click.Command]:
    from inspector.cli.memory import MEMORY_COMMANDS

    return MEMORY_COMMANDS


def _past() -> Iterable[click.Command]:
    from inspector.cli.versions import PAST_COMMANDS

    return PAST_COMMANDS


def _undoing() -> Iterable[click.Command]:
    from inspector.cli.undo import UNDO_COMMANDS

    return UNDO_COMMANDS


def _keeping() -> Iterable[click.Command]:
    from inspector.cli.backup import KEEPING_COMMANDS

    return KEEPING_COMMANDS


def _conversation() -> Iterable[click.Command]:
    from inspector.cli.conversation import CONVERSATION_COMMANDS
    from inspector.cli.summarise import summarise_command

    return (*CONVERSATION_COMMANDS, summarise_command)


def _analysis() -> Iterable[click.Command]:
    from inspector.cli.analysis import ANALYSIS_COMMANDS
    from inspector.cli.calibrate import calibrate_command

    return (*ANALYSIS_COMMANDS, calibrate_command)


def _searching() -> Iterable[click.Command]:
    from inspector.cli.search import SEARCH_COMMANDS

    return SEARCH_COMMANDS


def _exporting() -> Iterable[click.Command]:
    from inspector.cli.export import export_command
    from inspector.cli.layouts import layouts_command
    from inspector.cli.requests import export_request_command

    return (export_command, layouts_command, export_request_command)


def _approving() -> Iterable[click.Command]:
    from inspector.cli.approvals import APPROVAL_COMMANDS

    return APPROVAL_COMMANDS


def _bundling() -> Iterable[click.Command]:
    from inspector.cli.bundle import bundle_command

    return (bundle_command,)


def _sending() -> Iterable[click.Command]:
    from inspector.cli.send import send_command

    return (send_command,)


def _keys() -> Iterable[click.Command]:
    from inspector.cli.keys import keys_command

    return (keys_command,)


def _chatting() -> Iterable[click.Command]:
    from inspector.cli.chat import chat_command

    return (chat_command,)


def _running() -> Iterable[click.Command]:
    from inspector.cli.running import run_command

    return (run_command,)


_FAMILIES: Mapping[Callable[[], Iterable[click.Command]], tuple[str, ...]] = {
    _agents: ("agents",),
    _reading: ("report", "build"),
    _writing: ("edit", "sample"),
    _importing: ("import",),
    _memory: ("show", "blocks", "share"),
    _searching: ("search",),
    _past: ("history", "diff", "restore", "redact"),
    _undoing: ("undo", "redo"),
    _keeping: ("check", "backup", "salvage"),
    _approving: ("consent", "queue"),
    _conversation: ("summaries", "activity", "summarise"),
    _analysis: ("simulate", "diff-requests", "lint", "calibrate"),
    _exporting: ("export", "layouts", "export-request"),
    _bundling: ("debug-bundle",),
    _sending: ("send",),
    _chatting: ("chat",),
    _running: ("run",),
    _keys: ("keys",),
}
_FAMILY_OF = {name: family for family, names in _FAMILIES.items() for name in names}


class Commands(click.Group):
    """All commands, of which only the family of the one that runs is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*self.commands, *_FAMILY_OF})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands and cmd_name in _FAMILY_OF:
            for command in _FAMILY_OF[cmd_name]():
                self.add_command(command)
        return self.commands.get(cmd_name)


def _test_itself(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from inspector.cli.self_test import run_self_test

        context.exit(run_self_test())


def command_line(windows: Windows) -> click.Group:
    """All commands as one group."""

    @click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
    @click.version_option(__version__, prog_name="context-inspector")
    @click.option(
        "--selftest",
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=_test_itself,
        help="Try the whole program on a new sample and exit. Your files and settings stay untouched.",
    )
    def inspector() -> None:
        """See, measure and edit exactly what an agent's next model call will send.

        Without a command, or with only a file, the window opens. With --safe-mode it opens with default settings.
        """

    @inspector.command("open", epilog=example("open my.constellation"))
    @click.argument("file", type=FILE, required=False)
    @click.option("--sample", is_flag=True, help="Open the sample constellation, and create it if needed.")
    @click.option("--safe-mode", is_flag=True, help="Use default settings and layout, and open no tabs.")
    def _open(file: Path | None, sample: bool, safe_mode: bool) -> None:
        """Open the window on a file or empty."""
        sys.exit(windows.open(file, sample, safe_mode))

    @inspector.command(
        "screenshots", epilog=example("screenshots my.constellation --out pictures --theme dark")
    )
    @click.argument("file", type=FILE)
    @click.option("--out", required=True, type=FILE, help="Write the pictures to this folder.")
    @click.option(
        "--theme",
        type=click.Choice(["light", "dark", "both"]),
        default="both",
        show_default=True,
        help="Choose the theme.",
    )
    @click.option(
        "--size", type=SizeParam(), default=(1440, 900), show_default="1440x900", help="Set the window size."
    )
    @click.option(
        "--text",
        type=click.IntRange(75, 200),
        default=100,
        show_default=True,
        metavar="PERCENT",
        help="Set the text size.",
    )
    def _screenshots(file: Path, out: Path, theme: str, size: tuple[int, int], text: int) -> None:
        """Draw every panel, and work in a copy of the file, to PNG, without a display."""
        themes = ("light", "dark") if theme == "both" else (theme,)
        sys.exit(windows.screenshots(file, out, themes, size, text / 100))

    return inspector
