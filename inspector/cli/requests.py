"""The command that writes one Request for people and other programs: export-request."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from inspector.cli.options import CACHE_MARKS, FILE, JSON, WIRE_FORMS, asking, example
from inspector.cli.past_requests import tell_past
from inspector.cli.reading import BuiltRequest, ReadOptions, built_as
from inspector.cli.session import DONE, opened, plain_problem, problem_line, run
from inspector.cli.terminal import write_error, write_exactly, write_json, write_line
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Parameters
from inspector.domain.exchange import RequestExport, RequestFormat, WrittenRequest
from inspector.domain.wire.values import WireForm, WireRequest
from inspector.runtime.engine import Engine
from inspector.runtime.wording import word

_SENDING = frozenset({RequestFormat.CURL, RequestFormat.POWERSHELL})


@dataclass(frozen=True, slots=True)
class RequestExportOptions:
    """What `export-request` was given besides the file and the Request."""

    wish: RequestExport
    out: Path | None
    wire: WireForm | None
    cached: bool = False
    force: bool = False


async def export_request(
    path: Path, asked: ReadOptions, wanted: RequestExportOptions, *, as_json: bool
) -> int:
    """Write a Request to a file or to standard output. Nothing is sent, and the constellation is only read."""
    async with opened(path) as engine:
        built = await built_as(engine, asked)
        if built.past is not None:
            tell_past(built.past)
        wire = _wire(engine, built, wanted)
        made = engine.wire.export(built.request, built.snapshot, wanted.wish, wire)
        if wanted.out is not None:
            await engine.exchange.place_text(wanted.out, made.text, replace=wanted.force)
    adaptations = () if wire is None else wire.adaptations
    for problem in () if as_json else adaptations:
        write_error(f"{problem.severity.value}: {problem_line(problem)}")
    if as_json:
        write_json(_plain(wanted, made, wire))
    elif wanted.out is None:
        write_exactly(made.text)
    else:
        facts: Parameters = {
            "path": str(wanted.out),
            "size": len(made.text.encode()),
            "redacted": made.redacted,
        }
        is_report = wanted.wish.form in (RequestFormat.REPORT, RequestFormat.REPORT_MARKDOWN)
        write_line(word("told.report_written" if is_report else "told.request_written", facts))
    return DONE


def _wire(engine: Engine, built: BuiltRequest, wanted: RequestExportOptions) -> WireRequest | None:
    """The provider's form, where one is named; what is sent needs one, and the model's own provider will do."""
    form = wanted.wire
    if form is None and wanted.wish.form in _SENDING:
        form = engine.wire.usual_form(built.request)
    return (
        None
        if form is None
        else engine.wire.request(built.request, built.snapshot, form, cached=wanted.cached)
    )


def _plain(wanted: RequestExportOptions, made: WrittenRequest, wire: WireRequest | None) -> dict[str, Any]:
    return {
        "path": None if wanted.out is None else str(wanted.out),
        "format": wanted.wish.form.value,
        "provider": None if wire is None else wire.form.value,
        "bytes": len(made.text.encode()),
        "redacted": made.redacted,
        "text": made.text if wanted.out is None else None,
        "adaptations": [] if wire is None else [plain_problem(problem) for problem in wire.adaptations],
    }


@click.command(
    "export-request",
    epilog=example("export-request my.constellation --agent Ada --format curl --out request.sh"),
)
@click.argument("file", type=FILE)
@asking
@click.option(
    "--out", type=FILE, help="Write to this file. Its name sets the format. Default: standard output."
)
@click.option(
    "--format",
    "form",
    type=click.Choice([form.value for form in RequestFormat]),
    help="Choose the format. Default: by suffix .md .json .csv .sh .ps1 .html, else text.",
)
@click.option("--as", "wire", type=click.Choice(WIRE_FORMS), help="Use the JSON of this provider.")
@CACHE_MARKS
@click.option(
    "--url", "base", metavar="URL", help="Send a command to this address instead of the provider's."
)
@click.option("--raw-cells", is_flag=True, help="Keep CSV cells that a spreadsheet would run as formulas.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@JSON
def export_request_command(  # noqa: PLR0913  one parameter an option
    file: Path,
    out: Path | None,
    form: str | None,
    wire: str | None,
    cached: bool,
    base: str | None,
    raw_cells: bool,
    force: bool,
    as_json: bool,
    **asked: Any,
) -> None:
    """Export a Request for people or other programs.

    Formats: text, Markdown, JSON, CSV, a curl or PowerShell command, and a report without secrets.
    """
    chosen = (
        RequestFormat.of_suffix("" if out is None else out.suffix) if form is None else RequestFormat(form)
    )
    if base is not None and chosen not in _SENDING:
        raise click.UsageError("--url needs --format curl or powershell")
    if cached and wire is None and chosen not in _SENDING:
        raise click.UsageError("--cache-marks needs a provider: name one with --as")
    wish = RequestExport(chosen, base, raw_cells)
    wanted = RequestExportOptions(wish, out, None if wire is None else WireForm(wire), cached, force)
    sys.exit(run(lambda: export_request(file, ReadOptions(**asked), wanted, as_json=as_json)))
