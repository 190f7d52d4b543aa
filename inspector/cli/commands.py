"""The commands and their options. What they do stands in `reading` and `writing`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from inspector import __version__
from inspector.cli import reading, writing
from inspector.cli.session import run
from inspector.domain.codec import read_time

FILE = click.Path(path_type=Path)
JSON = click.option("--json", "as_json", is_flag=True, help="One JSON document and nothing else.")
AGENT = click.option("--agent", metavar="ID|NAME", help="Whose Request; not needed when there is one agent.")
_SIZE = re.compile(r"(\d{3,5})x(\d{3,5})")


class Moment(click.ParamType[datetime]):
    """A time in ISO 8601; without a zone it is UTC."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """The moment, or wrong usage."""
        if isinstance(value, datetime):
            return value
        try:
            return read_time(value)
        except ValueError:
            self.fail(f"{value!r} is no ISO 8601 time such as 2026-11-20T09:30:00Z", param, ctx)


class Size(click.ParamType[tuple[int, int]]):
    """Width and height in pixels."""

    name = "WxH"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """The pair, or wrong usage."""
        if isinstance(value, tuple):
            return value
        match = _SIZE.fullmatch(value)
        if match is None:
            self.fail(f"{value!r} is no size such as 1440x900", param, ctx)
        return int(match[1]), int(match[2])


@dataclass(frozen=True, slots=True)
class Windows:
    """What needs a screen, passed in by the entry point: nothing here imports it."""

    open: Callable[[Path | None, bool], int]
    screenshots: Callable[[Path, Path, tuple[str, ...], tuple[int, int]], int]


def command_line(windows: Windows) -> click.Group:
    """All commands as one group."""

    @click.group(context_settings={"help_option_names": ["-h", "--help"]})
    @click.version_option(__version__, prog_name="context-inspector")
    def inspector() -> None:
        """See, account for and edit exactly what an agent's model call would be sent.

        Without a command, or with a file, the window opens.
        """

    for command in (_agents, _report, _build, _show, _check, _edit, _import, _sample):
        inspector.add_command(command)

    @inspector.command("open")
    @click.argument("file", type=FILE, required=False)
    @click.option("--sample", is_flag=True, help="Open a fresh copy of the sample constellation.")
    def _open(file: Path | None, sample: bool) -> None:
        """Open the window."""
        sys.exit(windows.open(file, sample))

    @inspector.command("screenshots")
    @click.argument("file", type=FILE)
    @click.option("--out", required=True, type=FILE, help="The folder for the pictures; made when missing.")
    @click.option("--theme", type=click.Choice(["light", "dark", "both"]), default="both", show_default=True)
    @click.option("--size", type=Size(), default=(1440, 900), show_default="1440x900")
    def _screenshots(file: Path, out: Path, theme: str, size: tuple[int, int]) -> None:
        """Draw every panel to PNG, without a display."""
        themes = ("light", "dark") if theme == "both" else (theme,)
        sys.exit(windows.screenshots(file, out, themes, size))

    return inspector


def _asking(command: Callable[..., None]) -> Callable[..., None]:
    for option in (
        click.option("--layout", help="Another layout than the agent's."),
        click.option("--model", help="Another model than the agent's."),
        click.option("--zone", default="UTC", show_default=True, help="Time zone for times in the Request."),
        click.option("--now", type=Moment(), help="Build as of this moment; the present one otherwise."),
        AGENT,
    ):
        command = option(command)
    return command


@click.command("agents")
@click.argument("file", type=FILE)
@JSON
def _agents(file: Path, as_json: bool) -> None:
    """List the agents of a constellation."""
    sys.exit(run(lambda: reading.list_agents(file, as_json=as_json)))


@click.command("report")
@click.argument("file", type=FILE)
@_asking
@JSON
def _report(file: Path, as_json: bool, **asked: Any) -> None:
    """Account for every character and token of an agent's Request."""
    sys.exit(run(lambda: reading.report(file, reading.Asked(**asked), as_json=as_json)))


@click.command("build")
@click.argument("file", type=FILE)
@_asking
@click.option("--as", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def _build(file: Path, form: str, **asked: Any) -> None:
    """Write an agent's Request to standard output."""
    sys.exit(run(lambda: reading.build(file, reading.Asked(**asked), form=form)))


@click.command("show")
@click.argument("file", type=FILE)
@AGENT
@click.option("--block", required=True, metavar="ID|LABEL")
@click.option("--owner", metavar="ID|NAME", help="Whose block, when several have the label.")
def _show(file: Path, agent: str | None, block: str, owner: str | None) -> None:
    """Write a block's rendered text and nothing else."""
    sys.exit(run(lambda: reading.show(file, agent, block, owner)))


@click.command("check")
@click.argument("file", type=FILE)
@JSON
def _check(file: Path, as_json: bool) -> None:
    """Look for damage in a constellation file."""
    sys.exit(run(lambda: reading.check(file, as_json=as_json)))


@click.command("edit")
@click.argument("file", type=FILE)
@AGENT
@click.option("--block", required=True, metavar="ID|LABEL")
@click.option("--owner", metavar="ID|NAME", help="Whose block, when several have the label.")
@click.option("--append", metavar="TEXT", help="Add a text at the end.")
@click.option("--set", "set_", metavar="TEXT", help="Make this the whole text.")
@click.option("--append-file", metavar="PATH|-", help="Add a file's text at the end.")
@click.option("--set-file", metavar="PATH|-", help="Make a file's text the whole text.")
@click.option("--reason", default="", help="Kept in the block's history.")
@click.option("--unlock", is_flag=True, help="Write a part that is read-only for its agent.")
@click.option("--as-agent", is_flag=True, help="Act as the agent, bound by its permissions.")
@JSON
def _edit(  # noqa: PLR0913  one parameter an option
    file: Path,
    agent: str | None,
    block: str,
    owner: str | None,
    append: str | None,
    set_: str | None,
    append_file: str | None,
    set_file: str | None,
    reason: str,
    unlock: bool,
    as_agent: bool,
    as_json: bool,
) -> None:
    """Edit a text block."""
    given = {"append": append, "set": set_, "append_file": append_file, "set_file": set_file}
    if sum(value is not None for value in given.values()) != 1:
        raise click.UsageError("give exactly one of --append, --set, --append-file, --set-file")

    async def work() -> int:
        asked = writing.EditAsked(
            agent, block, owner, writing.text_operation(given), writing.storable(reason), unlock, as_agent
        )
        return await writing.edit(file, asked, as_json=as_json)

    sys.exit(run(work))


@click.command("import")
@click.argument("source", type=FILE)
@click.argument("target", type=FILE, required=False)
@click.option("--into", type=FILE, help="The constellation to add to, or to make.")
@click.option("--dry-run", is_flag=True, help="Only say what would be imported.")
@JSON
def _import(source: Path, target: Path | None, into: Path | None, dry_run: bool, as_json: bool) -> None:
    """Import an agent file; without a target, beside it under its name with ``.constellation``."""
    if target is not None and into is not None:
        raise click.UsageError("name the constellation once")
    place = into or target or source.with_suffix(".constellation")
    sys.exit(run(lambda: writing.import_file(source, place, dry_run=dry_run, as_json=as_json)))


@click.command("sample")
@click.argument("target", type=FILE)
def _sample(target: Path) -> None:
    """Make the sample constellation."""
    sys.exit(run(lambda: writing.sample(target)))
