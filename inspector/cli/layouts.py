"""The command that lists, shows, stores, deletes and restores layouts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, cast

import click

from inspector.cli.options import FILE, JSON, REASON, example
from inspector.cli.session import DONE, opened, print_problems, run
from inspector.cli.terminal import format_table, write_json, write_line
from inspector.cli.writing import plain_json, read_text, storable
from inspector.domain.codec import from_plain, to_plain
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import DeleteRow, RestoreRow
from inspector.domain.edits.rows import PutLayout
from inspector.domain.errors import NotFoundError
from inspector.domain.layouts import Layout
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.catalogues import shipped_layouts
from inspector.runtime.wording import word


async def list_layouts(path: Path, *, as_json: bool) -> int:
    """List the shipped layouts and the constellation's own."""
    async with opened(path) as engine:
        own, problems = await engine.layouts.list()
    names = {layout.name for layout in own}
    shipped = [layout for layout in shipped_layouts().values() if layout.name not in names]
    if as_json:
        rows = [_row(layout, own=layout.name in names) for layout in (*own, *shipped)]
        write_json({"layouts": rows, "problems": [problem.where for problem in problems]})
        return DONE
    table = [
        (layout.name, "own" if layout.name in names else "shipped", layout.description)
        for layout in (*own, *shipped)
    ]
    write_line(format_table(("Layout", "", "Origin"), table, frozenset()))
    print_problems(problems)
    return DONE


async def show_layout(path: Path, name: str) -> int:
    """Write one layout as JSON, as it can be put."""
    async with opened(path) as engine:
        own, _ = await engine.layouts.list()
    existing = {**shipped_layouts(), **{layout.name: layout for layout in own}}
    if name not in existing:
        raise NotFoundError("not_found.layout", name=name, candidates=tuple(sorted(existing)))
    write_json(to_plain(existing[name]))
    return DONE


async def put_layout(path: Path, source: str, reason: str, *, as_json: bool) -> int:
    """Keep the layout of a JSON file."""
    layout = cast(Layout, from_plain(Layout, plain_json(read_text(source))))
    message_code = "told.layout_put_before_shipped" if layout.name in shipped_layouts() else "told.layout_put"
    return await _change(path, layout.name, PutLayout(layout), reason, message_code, as_json=as_json)


async def put_away(path: Path, name: str, reason: str, *, away: bool, as_json: bool) -> int:
    """Delete one of the constellation's own layouts, or take it back."""
    operation, message_code = (
        (DeleteRow(), "told.layout_deleted") if away else (RestoreRow(), "told.layout_restored")
    )
    return await _change(path, name, operation, reason, message_code, as_json=as_json)


async def _change(
    path: Path, name: str, operation: Operation, reason: str, message_code: str, *, as_json: bool
) -> int:
    async with opened(path, "refuse") as engine:
        edit = Edit(Ref(RefKind.LAYOUT, name), operation)
        (receipt,) = await engine.apply([Intent(edit, engine.actor, storable(reason))])
    if as_json:
        write_json({"layout": name, "seq": receipt.seq, "changed": receipt.changed})
    else:
        write_line(word(message_code if receipt.changed else "told.layout_unchanged", {"name": name}))
    return DONE


def _row(layout: Layout, *, own: bool) -> dict[str, Any]:
    names = [entry.name for entry in layout.sections]
    return {"name": layout.name, "own": own, "description": layout.description, "sections": names}


@click.command("layouts", epilog=example("layouts my.constellation --show standard"))
@click.argument("file", type=FILE)
@click.option("--show", metavar="NAME", help="Print a layout as JSON.")
@click.option("--put", metavar="PATH|-", help="Save a layout from a JSON file in the constellation.")
@click.option("--delete", metavar="NAME", help="Delete a layout of the constellation.")
@click.option("--restore", metavar="NAME", help="Restore a deleted layout.")
@REASON
@JSON
def layouts_command(  # noqa: PLR0913  one parameter an option
    file: Path,
    show: str | None,
    put: str | None,
    delete: str | None,
    restore: str | None,
    reason: str,
    as_json: bool,
) -> None:
    """List, print or change layouts."""
    if sum(each is not None for each in (show, put, delete, restore)) > 1:
        raise click.UsageError("use only one of --show, --put, --delete, --restore")
    if show is not None:
        sys.exit(run(lambda: show_layout(file, show)))
    if put is not None:
        sys.exit(run(lambda: put_layout(file, put, reason, as_json=as_json)))
    name = delete if delete is not None else restore
    if name is not None:
        away = delete is not None
        sys.exit(run(lambda: put_away(file, name, reason, away=away, as_json=as_json)))
    sys.exit(run(lambda: list_layouts(file, as_json=as_json)))
