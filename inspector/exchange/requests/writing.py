"""The table of formats that a Request can be exported in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InputError
from inspector.domain.exchange import RequestExport, RequestFormat, WrittenRequest
from inspector.domain.requests import Request
from inspector.domain.wire.values import WireRequest
from inspector.exchange.requests.commands import to_curl, to_powershell
from inspector.exchange.requests.reports import to_csv, to_markdown, to_page
from inspector.exchange.requests.request_account import Redactor, RequestAccount, Word


@dataclass(frozen=True)
class ExportSource:
    """What is written: a Request, its neutral JSON, and a provider's form of it if one is asked for."""

    request: Request
    neutral: Mapping[str, Any]
    wire: WireRequest | None
    word: Word


def written(source: ExportSource, wish: RequestExport) -> WrittenRequest:
    """The Request as it is wished.

    Raises:
        InputError: a command was asked for without a provider's form, or with an address that is none.
    """
    return _WRITERS[wish.form](source, wish)


def _text(source: ExportSource, wish: RequestExport) -> WrittenRequest:
    return WrittenRequest(source.request.text)


def _json(source: ExportSource, wish: RequestExport) -> WrittenRequest:
    value = source.neutral if source.wire is None else source.wire.body
    return WrittenRequest(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def _markdown(source: ExportSource, wish: RequestExport) -> WrittenRequest:
    return WrittenRequest(to_markdown(RequestAccount(source.request, source.word)))


def _csv(source: ExportSource, wish: RequestExport) -> WrittenRequest:
    return WrittenRequest(to_csv(RequestAccount(source.request, source.word), raw=wish.raw_cells))


def _curl(source: ExportSource, wish: RequestExport) -> WrittenRequest:
    return WrittenRequest(to_curl(_wire(source, wish), wish.base))


def _powershell(source: ExportSource, wish: RequestExport) -> WrittenRequest:
    return WrittenRequest(to_powershell(_wire(source, wish), wish.base))


def _redactor(source: ExportSource) -> Redactor:
    return Redactor(run.text for run in source.request.runs())


def _report(source: ExportSource, wish: RequestExport) -> WrittenRequest:
    redactor = _redactor(source)
    account = RequestAccount(source.request, source.word, redactor.clean)
    page = to_page(account, source.word("told.report_redacted", {}))
    return WrittenRequest(page, redactor.count)


def _report_markdown(source: ExportSource, wish: RequestExport) -> WrittenRequest:
    redactor = _redactor(source)
    text = to_markdown(RequestAccount(source.request, source.word, redactor.clean))
    return WrittenRequest(text, redactor.count)


def _wire(source: ExportSource, wish: RequestExport) -> WireRequest:
    if source.wire is None:
        raise InputError("export.needs_provider", format=wish.form.value)
    return source.wire


_WRITERS: Mapping[RequestFormat, Callable[[ExportSource, RequestExport], WrittenRequest]] = {
    RequestFormat.TEXT: _text,
    RequestFormat.JSON: _json,
    RequestFormat.MARKDOWN: _markdown,
    RequestFormat.CSV: _csv,
    RequestFormat.CURL: _curl,
    RequestFormat.POWERSHELL: _powershell,
    RequestFormat.REPORT: _report,
    RequestFormat.REPORT_MARKDOWN: _report_markdown,
}
