"""The command that writes a constellation out: export."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import click

from inspector.cli.choices import choose_agent
from inspector.cli.options import FILE, JSON
from inspector.cli.reading import every_agent, plain_problem, print_problems
from inspector.cli.session import DONE, opened, run
from inspector.cli.terminal import write_json, write_line
from inspector.domain.exports import Exported, ExportFormat, ExportWish
from inspector.runtime.wording import word


@dataclass(frozen=True, slots=True)
class ExportAsked:
    """What `export` was given besides the file."""

    out: Path
    form: ExportFormat
    history: bool = False
    agent: str | None = None
    force: bool = False


async def export(path: Path, asked: ExportAsked, *, as_json: bool) -> int:
    """Write a constellation, or one agent of it, as a file or folder. The constellation is only read."""
    async with opened(path) as engine:
        agent_id = None
        if asked.agent is not None:
            agent_id = choose_agent(await every_agent(engine), asked.agent).id
        wish = ExportWish(asked.form, asked.history, agent_id, asked.force)
        exported = await engine.exchange.export(asked.out, wish)
    if as_json:
        write_json(_plain(asked, exported))
        return DONE
    print_problems(exported.problems)
    told: dict[str, str | int] = {"path": str(asked.out), "agents": exported.agents, "size": exported.size}
    write_line(word("told.exported", told))
    return DONE


def _plain(asked: ExportAsked, exported: Exported) -> dict[str, object]:
    return {
        "path": str(asked.out),
        "format": exported.form.value,
        "history": asked.history,
        "agents": exported.agents,
        "files": exported.files,
        "bytes": exported.size,
        "problems": [plain_problem(problem) for problem in exported.problems],
    }


@click.command("export")
@click.argument("file", type=FILE)
@click.option(
    "--out", required=True, type=FILE, help="The file or folder to write; its name tells the format."
)
@click.option(
    "--format",
    "form",
    type=click.Choice([form.value for form in ExportFormat]),
    help="Otherwise: a name with .af is an Agent File, one without a suffix a folder, any other JSON.",
)
@click.option("--history", is_flag=True, help="With every version of every block, and all changes.")
@click.option("--agent", metavar="ID|NAME", help="One agent's part; otherwise the whole constellation.")
@click.option("--force", is_flag=True, help="Replace an older export that is there.")
@JSON
def export_command(  # noqa: PLR0913  one parameter an option
    file: Path, out: Path, form: str | None, history: bool, agent: str | None, force: bool, as_json: bool
) -> None:
    """Write everything to JSON, to a folder that can be compared, or to an Agent File."""
    chosen = ExportFormat.of_suffix(out.suffix) if form is None else ExportFormat(form)
    if history and chosen is ExportFormat.LETTA:
        raise click.UsageError("an Agent File has no place for history")
    asked = ExportAsked(out, chosen, history, agent, force)
    sys.exit(run(lambda: export(file, asked, as_json=as_json)))
