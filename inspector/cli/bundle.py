"""The command that writes a debug bundle of a constellation, without its texts."""

from __future__ import annotations

from pathlib import Path

import click

from inspector.cli.options import FILE, example
from inspector.cli.session import asynchronous, opened
from inspector.cli.terminal import write_line
from inspector.runtime.debug_bundle import write_debug_bundle
from inspector.runtime.wording import word


@click.command("debug-bundle", epilog=example("debug-bundle my.constellation --out bundle.zip"))
@click.argument("file", type=FILE)
@click.option("--out", required=True, type=FILE, help="Write to this ZIP file.")
@asynchronous
async def bundle_command(file: Path, out: Path) -> None:
    """Write a ZIP for a bug report. It has structure, counts, reasons and versions, and no texts or names."""
    async with opened(file) as engine:
        await write_debug_bundle(engine, out)
    write_line(word("told.bundled", {"path": str(out)}))
