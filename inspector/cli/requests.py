"""The command that writes one Request for people and other programs: export-request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from inspector.cli.options import CACHE_MARKS, FILE, JSON, WIRE_FORMS, asking, example
from inspector.cli.past_requests import tell_past
from inspector.cli.reading import BuiltRequest, ReadOptions, built_as
from inspector.cli.session import asynchronous, opened, plain_problem, problem_line
from inspector.cli.terminal import write_error, write_exactly, write_json, write_line
from inspector.domain.errors import Parameters
from inspector.domain.exchange import RequestExport, RequestFormat, WrittenRequest
from inspector.domain.wire.values import WireForm, WireRequest
from inspector.runtime.engine import Engine
from inspector.runtime.wording import word

_SENDING = frozenset({RequestFormat.CURL, RequestFormat.POWERSHELL})


def _wire(
    engine: Engine, built: BuiltRequest, form: WireForm | None, written: RequestFormat, *, cached: bool
) -> WireRequest | None:
    """The provider's form, where one is named; what is sent needs one, and the model's own provider will do."""
    if form is None and written in _SENDING:
        form = engine.wire.usual_form(built.request)
    if form is None:
        return None
    return engine.wire.request(built.request, built.snapshot, form, cached=cached)


def _plain(
    out: Path | None, made: WrittenRequest, wire: WireRequest | None, written: RequestFormat
) -> dict[str, Any]:
    return {
        "path": None if out is None else str(out),
        "format": written.value,
        "provider": None if wire is None else wire.form.value,
        "bytes": len(made.text.encode()),
        "redacted": made.redacted,
        "text": made.text if out is None else None,
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
@asynchronous
async def export_request_command(
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
    named = None if wire is None else WireForm(wire)
    async with opened(file) as engine:
        built = await built_as(engine, ReadOptions(**asked))
        if built.past is not None:
            tell_past(built.past)
        provided = _wire(engine, built, named, chosen, cached=cached)
        made = engine.wire.export(built.request, built.snapshot, wish, provided)
        if out is not None:
            await engine.exchange.place_text(out, made.text, replace=force)
    adaptations = () if provided is None else provided.adaptations
    for problem in () if as_json else adaptations:
        write_error(f"{problem.severity.value}: {problem_line(problem)}")
    if as_json:
        write_json(_plain(out, made, provided, chosen))
    elif out is None:
        write_exactly(made.text)
    else:
        facts: Parameters = {
            "path": str(out),
            "size": len(made.text.encode()),
            "redacted": made.redacted,
        }
        is_report = chosen in (RequestFormat.REPORT, RequestFormat.REPORT_MARKDOWN)
        write_line(word("told.report_written" if is_report else "told.request_written", facts))
