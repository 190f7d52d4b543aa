"""The command that lists, shows, stores, deletes and restores layouts."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import click

from inspector.cli.options import FILE, JSON, REASON, example
from inspector.cli.session import asynchronous, opened, print_problems
from inspector.cli.terminal import format_table, write_json, write_line
from inspector.cli.writing import read_text, storable
from inspector.domain.codec import from_plain, to_plain
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import DeleteRow, RestoreRow
from inspector.domain.edits.rows import PutLayout
from inspector.domain.errors import NotFoundError
from inspector.domain.layouts import Layout
from inspector.domain.ref import Ref, RefKind
from inspector.domain.strict_json import read_strictly
from inspector.runtime.catalogues import shipped_layouts
from inspector.runtime.wording import word


async def _list_layouts(path: Path, *, as_json: bool) -> None:
    async with opened(path) as engine:
        own, problems = await engine.layouts.list()
    names = {layout.name for layout in own}
    shipped = [layout for layout in shipped_layouts().values() if layout.name not in names]
    if as_json:
        rows = [_row(layout, own=layout.name in names) for layout in (*own, *shipped)]
        write_json({"layouts": rows, "problems": [problem.where for problem in problems]})
        return
    table = [
        (layout.name, "own" if layout.name in names else "shipped", layout.description)
        for layout in (*own, *shipped)
    ]
    write_line(format_table(("Layout", "", "Origin"), table, frozenset()))
    print_problems(problems)


async def _show_layout(path: Path, name: str) -> None:
    async with opened(path) as engine:
        own, _ = await engine.layouts.list()
    existing = {**shipped_layouts(), **{layout.name: layout for layout in own}}
    if name not in existing:
        raise NotFoundError("not_found.layout", name=name, candidates=tuple(sorted(existing)))
    write_json(to_plain(existing[name]))


async def _change(
    path: Path, name: str, operation: Operation, reason: str, message_code: str, *, as_json: bool
) -> None:
    async with opened(path, "refuse") as engine:
        edit = Edit(Ref(RefKind.LAYOUT, name), operation)
        (receipt,) = await engine.apply([Intent(edit, engine.actor, storable(reason))])
    if as_json:
        write_json({"layout": name, "seq": receipt.seq, "changed": receipt.changed})
    else:
        write_line(word(message_code if receipt.changed else "told.layout_unchanged", {"name": name}))


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
@asynchronous
async def layouts_command(
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
        await _show_layout(file, show)
    elif put is not None:
        layout = cast(Layout, from_plain(Layout, read_strictly(read_text(put))))
        code = "told.layout_put_before_shipped" if layout.name in shipped_layouts() else "told.layout_put"
        await _change(file, layout.name, PutLayout(layout), reason, code, as_json=as_json)
    elif delete is not None:
        await _change(file, delete, DeleteRow(), reason, "told.layout_deleted", as_json=as_json)
    elif restore is not None:
        await _change(file, restore, RestoreRow(), reason, "told.layout_restored", as_json=as_json)
    else:
        await _list_layouts(file, as_json=as_json)
