"""The import command: foreign files as agents of a constellation, recorded requests by rows to pick."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from inspector.cli.options import FILE, JSON, example
from inspector.cli.session import asynchronous, plain_problem, print_problems
from inspector.cli.terminal import format_table, write_json, write_line
from inspector.domain.exchange import ImportPlan, ImportRow, ImportSource
from inspector.runtime.clock_and_ids import sortable_ids
from inspector.runtime.files import import_into, previewed, read_foreign
from inspector.runtime.wording import word

_ALL = 0
"""Stands for every row."""


class PickParam(click.ParamType[int]):
    """The number of a row, or ``all``."""

    name = "N|all"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        text = str(value)
        if text == "all":
            return _ALL
        if not (text.isascii() and text.isdigit() and int(text) > _ALL):
            self.fail(f"{text!r} isn't the number of a row, nor all", param, ctx)
        return int(text)


@click.command("import", epilog=example("import agent.af --into my.constellation"))
@click.argument("source", type=FILE)
@click.argument("target", type=FILE, required=False)
@click.option("--into", type=FILE, help="Import into this constellation, and create it if needed.")
@click.option(
    "--pick",
    "picks",
    type=PickParam(),
    multiple=True,
    help="Choose a row of a file that holds several requests. Can be repeated.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be imported. Write nothing.")
@JSON
@asynchronous
async def import_command(
    source: Path, target: Path | None, into: Path | None, picks: tuple[int, ...], dry_run: bool, as_json: bool
) -> None:
    """Import an agent file, an export or recorded requests.

    Without a target, the constellation is created beside the source. If a file holds several requests, they are
    listed first: choose with --pick.
    """
    if target is not None and into is not None:
        raise click.UsageError("name the target only once")
    place = into or target or source.with_suffix(".constellation")
    found = read_foreign(source)
    if found.must_pick and not picks:
        _list_rows(source, found, as_json=as_json)
        return
    chosen = () if _ALL in picks else picks
    plan = found.plan(sortable_ids(), chosen)
    plan = previewed(place, plan) if dry_run else await import_into(place, plan)
    if as_json:
        write_json(_plain_plan(plan))
        return
    _print_agents(plan)
    print_problems(plan.problems)
    if plan.kept_in_metadata:
        write_line(word("told.kept_in_metadata", {"names": plan.kept_in_metadata}))
    write_line(word("told.import_previewed" if dry_run else "told.imported", {"path": str(place)}))


def _print_agents(plan: ImportPlan) -> None:
    head = ("Agent", "Model", "Blocks", "Shared", "Messages", "In context", "Tools")
    rows = [
        (
            agent.name,
            agent.model,
            f"{agent.blocks:,}",
            f"{agent.shared_blocks:,}",
            f"{agent.messages:,}",
            f"{agent.messages_in_context:,}",
            f"{agent.tools:,}",
        )
        for agent in plan.agents
    ]
    write_line(format_table(head, rows, frozenset({2, 3, 4, 5, 6})))


def _list_rows(source: Path, found: ImportSource, *, as_json: bool) -> None:
    """Print what there is to pick."""
    if as_json:
        write_json({"rows": [_plain_row(row) for row in found.rows], **_plain_plan(ImportPlan("", (), ()))})
        return
    head = ("Row", "Format", "Model", "First words", "Messages", "Tokens in", "Tokens out")
    shown = [
        (
            str(row.number),
            word(f"form.{row.source_format}"),
            row.model,
            f"{row.title}: {row.first_words}" if row.title else row.first_words,
            f"{row.messages:,}",
            _tokens(row.input_tokens),
            _tokens(row.output_tokens),
        )
        for row in found.rows
    ]
    write_line(format_table(head, shown, frozenset({0, 4, 5, 6})))
    write_line(word("told.rows_to_pick", {"path": str(source), "count": len(found.rows)}))
    if found.others:
        write_line(word("import.other_entries", {"count": found.others}))


def _tokens(count: int | None) -> str:
    return "" if count is None else f"{count:,}"


def _plain_row(row: ImportRow) -> dict[str, object]:
    return {
        "row": row.number,
        "title": row.title,
        "format": row.source_format,
        "model": row.model,
        "first_words": row.first_words,
        "messages": row.messages,
        "input_tokens": row.input_tokens,
        "output_tokens": row.output_tokens,
    }


def _plain_plan(plan: ImportPlan) -> dict[str, object]:
    return {
        "agents": [
            {
                "id": agent.id,
                "name": agent.name,
                "model": agent.model,
                "blocks": agent.blocks,
                "shared_blocks": agent.shared_blocks,
                "messages": agent.messages,
                "messages_in_context": agent.messages_in_context,
                "tools": agent.tools,
            }
            for agent in plan.agents
        ],
        "problems": [plain_problem(problem) for problem in plan.problems],
        "kept_in_metadata": list(plan.kept_in_metadata),
    }
