"""The command that exports a constellation."""

from __future__ import annotations

from pathlib import Path

import click

from inspector.cli.agents import every_agent
from inspector.cli.lookup import choose_agent
from inspector.cli.options import FILE, JSON, example
from inspector.cli.session import asynchronous, opened, plain_problem, print_problems
from inspector.cli.terminal import write_json, write_line
from inspector.domain.exchange import Exported, ExportFormat, ExportOptions
from inspector.runtime.wording import word


def _plain(out: Path, exported: Exported, *, history: bool) -> dict[str, object]:
    return {
        "path": str(out),
        "format": exported.form.value,
        "history": history,
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
@asynchronous
async def export_command(
    file: Path, out: Path, form: str | None, history: bool, agent: str | None, force: bool, as_json: bool
) -> None:
    """Export to JSON, to a folder you can diff, or to an Agent File."""
    chosen = ExportFormat.of_suffix(out.suffix) if form is None else ExportFormat(form)
    if history and chosen is ExportFormat.LETTA:
        raise click.UsageError("an Agent File can't hold history")
    async with opened(file) as engine:
        agent_id = None
        if agent is not None:
            agent_id = choose_agent(await every_agent(engine), agent).id
        wish = ExportOptions(chosen, history, agent_id, force)
        exported = await engine.exchange.export(out, wish)
    if as_json:
        write_json(_plain(out, exported, history=history))
        return
    print_problems(exported.problems)
    parameters: dict[str, str | int] = {
        "path": str(out),
        "agents": exported.agents,
        "size": exported.size,
    }
    write_line(word("told.exported", parameters))
