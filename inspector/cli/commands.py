"""The commands and their options. What they do stands in `reading` and `writing`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from inspector import __version__
from inspector.cli import reading, writing
from inspector.cli.aiming import Pointed
from inspector.cli.choices import Named
from inspector.cli.conversation import CONVERSATION_COMMANDS
from inspector.cli.exporting import export_command
from inspector.cli.keeping import KEEPING_COMMANDS
from inspector.cli.layouts import layouts_command
from inspector.cli.looking import LOOKING_COMMANDS
from inspector.cli.memory import MEMORY_COMMANDS, show
from inspector.cli.options import (
    AGENT,
    AS_AGENT,
    BLOCK,
    CACHE_MARKS,
    FILE,
    JSON,
    OWNER,
    REASON,
    UNLOCK,
    WIRE_FORMS,
    Size,
    Target,
    asking,
)
from inspector.cli.past import PAST_COMMANDS
from inspector.cli.requests import export_request_command
from inspector.cli.session import run
from inspector.cli.summarising import summarise_command
from inspector.cli.undoing import UNDO_COMMANDS
from inspector.domain.ref import Ref
from inspector.domain.wire.values import WireForm


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

    own = (
        _agents,
        _report,
        _build,
        _show,
        _check,
        _edit,
        _import,
        export_command,
        layouts_command,
        _sample,
        export_request_command,
    )
    for command in (
        *own,
        *MEMORY_COMMANDS,
        *PAST_COMMANDS,
        *UNDO_COMMANDS,
        *KEEPING_COMMANDS,
        *CONVERSATION_COMMANDS,
        summarise_command,
        *LOOKING_COMMANDS,
    ):
        inspector.add_command(command)

    @inspector.command("open")
    @click.argument("file", type=FILE, required=False)
    @click.option(
        "--sample", is_flag=True, help="Open the sample constellation, made where it is not there yet."
    )
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


@click.command("agents")
@click.argument("file", type=FILE)
@JSON
def _agents(file: Path, as_json: bool) -> None:
    """List the agents of a constellation."""
    sys.exit(run(lambda: reading.list_agents(file, as_json=as_json)))


@click.command("report")
@click.argument("file", type=FILE)
@asking
@click.option("--as", "form", type=click.Choice(WIRE_FORMS), help="With what this provider's form changes.")
@click.option("--all", "every", is_flag=True, help="A row for each thing left out; JSON always has them all.")
@JSON
def _report(file: Path, form: str | None, every: bool, as_json: bool, **asked: Any) -> None:
    """Account for every character and token of an agent's Request."""
    wire = None if form is None else WireForm(form)
    sys.exit(run(lambda: reading.report(file, reading.Asked(**asked), wire, every=every, as_json=as_json)))


@click.command("build")
@click.argument("file", type=FILE)
@asking
@click.option(
    "--as",
    "form",
    type=click.Choice(["text", "json", *WIRE_FORMS]),
    default="text",
    show_default=True,
    help="The text form, neutral JSON, or the JSON that a provider is sent.",
)
@CACHE_MARKS
def _build(file: Path, form: str, cached: bool, **asked: Any) -> None:
    """Write an agent's Request to standard output; what a provider's form changes is told on standard error."""
    if cached and form not in WIRE_FORMS:
        raise click.UsageError("--cache-marks stand in a provider's form: name one by --as")
    sys.exit(run(lambda: reading.build(file, reading.Asked(**asked), form=form, cached=cached)))


@click.command("show")
@click.argument("file", type=FILE)
@AGENT
@BLOCK
@OWNER
@JSON
def _show(file: Path, agent: str | None, block: str, owner: str | None, as_json: bool) -> None:
    """Write a block's rendered text and nothing else; with --json, all that is known of it."""
    sys.exit(run(lambda: show(file, Named(agent, block, owner), as_json=as_json)))


@click.command("check")
@click.argument("file", type=FILE)
@JSON
def _check(file: Path, as_json: bool) -> None:
    """Look for damage in a constellation file.

    Hashes tell a single changed byte in blocks, their documents and versions, how they are shared, messages,
    summaries, archival entries, agents' texts, sent Requests and the journal; what is derived from those is made
    again and compared. Tools, rules, activity, consent, flags and the queue have no hash: of those it sees only what
    cannot be read.
    """
    sys.exit(run(lambda: reading.check(file, as_json=as_json)))


@click.command("edit")
@click.argument("file", type=FILE)
@AGENT
@click.option("--block", metavar="ID|LABEL", help="The block; for create_block the new one's label.")
@OWNER
@click.option("--target", type=Target(), help="What an operation is for that is not for a block.")
@click.option(
    "--append",
    metavar="TEXT",
    help="Add a text at the end as it is: for a line of its own, begin it with a line break.",
)
@click.option("--set", "set_", metavar="TEXT", help="Make this the whole text.")
@click.option("--append-file", metavar="PATH|-", help="Add a file's text at the end, as it is.")
@click.option("--set-file", metavar="PATH|-", help="Make a file's text the whole text.")
@click.option(
    "--operation", metavar="JSON", help='Any operation, such as \'{"op": "clear_field", "field": "due"}\'.'
)
@REASON
@UNLOCK
@AS_AGENT
@JSON
def _edit(  # noqa: PLR0913  one parameter an option
    file: Path,
    agent: str | None,
    block: str | None,
    owner: str | None,
    target: Ref | None,
    append: str | None,
    set_: str | None,
    append_file: str | None,
    set_file: str | None,
    operation: str | None,
    reason: str,
    unlock: bool,
    as_agent: bool,
    as_json: bool,
) -> None:
    """Edit a block: its text, or by any operation. Other things are edited by an operation too."""
    given = {"append": append, "set": set_, "append_file": append_file, "set_file": set_file}
    given["operation"] = operation
    if sum(value is not None for value in given.values()) != 1:
        raise click.UsageError("give exactly one of --append, --set, --append-file, --set-file, --operation")

    async def work() -> int:
        pointed = Pointed(agent, block, owner, target, as_agent)
        asked = writing.EditAsked(pointed, writing.operation(given), writing.storable(reason), unlock)
        return await writing.edit(file, asked, as_json=as_json)

    sys.exit(run(work))


@click.command("import")
@click.argument("source", type=FILE)
@click.argument("target", type=FILE, required=False)
@click.option("--into", type=FILE, help="The constellation to add to, or to make.")
@click.option("--dry-run", is_flag=True, help="Only say what would be imported.")
@JSON
def _import(source: Path, target: Path | None, into: Path | None, dry_run: bool, as_json: bool) -> None:
    """Import an agent file, an export or a recorded request; without a target, beside it with ``.constellation``."""
    if target is not None and into is not None:
        raise click.UsageError("name the constellation once")
    place = into or target or source.with_suffix(".constellation")
    sys.exit(run(lambda: writing.import_file(source, place, dry_run=dry_run, as_json=as_json)))


@click.command("sample")
@click.argument("target", type=FILE)
def _sample(target: Path) -> None:
    """Make the sample constellation."""
    sys.exit(run(lambda: writing.sample(target)))
