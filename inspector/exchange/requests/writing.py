"""The formats that a Request can be written in, as a table. A new one is a module and a row here."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from inspector.domain.errors import InputError
from inspector.domain.exports import RequestFormat, RequestWish, WrittenRequest
from inspector.domain.requests import Request
from inspector.domain.wire.values import WireRequest
from inspector.exchange.requests.account import Account, Word
from inspector.exchange.requests.commands import to_curl, to_powershell
from inspector.exchange.requests.markdown import to_markdown
from inspector.exchange.requests.page import to_page
from inspector.exchange.requests.redacting import Redactor
from inspector.exchange.requests.sheet import to_csv


@dataclass(frozen=True)
class Source:
    """What is written: a Request, its neutral JSON, and a provider's form of it if one is asked for."""

    request: Request
    neutral: Mapping[str, Any]
    wire: WireRequest | None
    word: Word


def written(source: Source, wish: RequestWish) -> WrittenRequest:
    """The Request as it is wished.

    Raises:
        InputError: a command was asked for without a provider's form, or with an address that is none.
    """
    return _WRITERS[wish.form](source, wish)


def _text(source: Source, wish: RequestWish) -> WrittenRequest:
    return WrittenRequest(source.request.text)


def _json(source: Source, wish: RequestWish) -> WrittenRequest:
    value = source.neutral if source.wire is None else source.wire.body
    return WrittenRequest(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def _markdown(source: Source, wish: RequestWish) -> WrittenRequest:
    return WrittenRequest(to_markdown(Account(source.request, source.word)))


def _csv(source: Source, wish: RequestWish) -> WrittenRequest:
    return WrittenRequest(to_csv(Account(source.request, source.word), raw=wish.raw_cells))


def _curl(source: Source, wish: RequestWish) -> WrittenRequest:
    return WrittenRequest(to_curl(_wire(source, wish), wish.base))


def _powershell(source: Source, wish: RequestWish) -> WrittenRequest:
    return WrittenRequest(to_powershell(_wire(source, wish), wish.base))


def _report(source: Source, wish: RequestWish) -> WrittenRequest:
    redactor = Redactor()
    account = Account(source.request, source.word, redactor.clean)
    page = to_page(account, source.word("told.report_redacted", {}))
    return WrittenRequest(page, redactor.count)


def _report_markdown(source: Source, wish: RequestWish) -> WrittenRequest:
    redactor = Redactor()
    text = to_markdown(Account(source.request, source.word, redactor.clean))
    return WrittenRequest(text, redactor.count)


def _wire(source: Source, wish: RequestWish) -> WireRequest:
    if source.wire is None:
        raise InputError("export.needs_provider", format=wish.form.value)
    return source.wire


_WRITERS: Mapping[RequestFormat, Callable[[Source, RequestWish], WrittenRequest]] = {
    RequestFormat.TEXT: _text,
    RequestFormat.JSON: _json,
    RequestFormat.MARKDOWN: _markdown,
    RequestFormat.CSV: _csv,
    RequestFormat.CURL: _curl,
    RequestFormat.POWERSHELL: _powershell,
    RequestFormat.REPORT: _report,
    RequestFormat.REPORT_MARKDOWN: _report_markdown,
}
