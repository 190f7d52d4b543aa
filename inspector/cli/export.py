"""The command that exports a constellation."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from inspector.cli.agents import every_agent
from inspector.cli.lookup import choose_agent
from inspector.cli.options import FILE, JSON, example
from inspector.cli.session import DONE, opened, plain_problem, print_problems, run
from inspector.cli.terminal import write_json, write_line
from inspector.domain.dataclass import dataclass
from inspector.domain.exchange import Exported, ExportFormat, ExportOptions
from inspector.runtime.wording import word


@dataclass(frozen=True, slots=True)
class ExportArguments:
    """What `export` was given besides the file."""

    out: Path
    form: ExportFormat
    history: bool = False
    agent: str | None = None
    force: bool = False


async def export(path: Path, asked: ExportArguments, *, as_json: bool) -> int:
    """Write a constellation, or one agent of it, as a file or folder. The constellation is only read."""
    async with opened(path) as engine:
        agent_id = None
        if asked.agent is not None:
            agent_id = choose_agent(await every_agent(engine), asked.agent).id
        wish = ExportOptions(asked.form, asked.history, agent_id, asked.force)
        exported = await engine.exchange.export(asked.out, wish)
    if as_json:
        write_json(_plain(asked, exported))
        return DONE
    print_problems(exported.problems)
    parameters: dict[str, str | int] = {
        "path": str(asked.out),
        "agents": exported.agents,
        "size": exported.size,
    }
    write_line(word("told.exported", parameters))
    return DONE


def _plain(asked: ExportArguments, exported: Exported) -> dict[str, object]:
    return {
        "path": str(asked.out),
        "format": exported.form.value,
        "history": asked.history,
        "agents": exported.agents,
        "files": exported.files,
        "bytes": exported.size,
        "problems": [plain_problem(problem) for problem in exported.problems],
    }


@click.command("export", epilog=example("export my.constellation --out folder --history"))
@click.argument("file", type=FILE)
@click.option(
    "--out", required=True, type=FILE, help="Write to this file or folder. Its name sets the format."
)
@click.option(
    "--format",
    "form",
    type=click.Choice([form.value for form in ExportFormat]),
    help="Choose the format. Default: .af is an Agent File, no suffix a folder, the rest JSON.",
)
@click.option("--history", is_flag=True, help="Include every version of every block and all changes.")
@click.option("--agent", metavar="ID|NAME", help="Export only this agent.")
@click.option("--force", is_flag=True, help="Replace an earlier export.")
@JSON
def export_command(  # noqa: PLR0913  one parameter an option
    file: Path, out: Path, form: str | None, history: bool, agent: str | None, force: bool, as_json: bool
) -> None:
    """Export to JSON, to a folder you can diff, or to an Agent File."""
    chosen = ExportFormat.of_suffix(out.suffix) if form is None else ExportFormat(form)
    if history and chosen is ExportFormat.LETTA:
        raise click.UsageError("an Agent File can't hold history")
    asked = ExportArguments(out, chosen, history, agent, force)
    sys.exit(run(lambda: export(file, asked, as_json=as_json)))
