"""A table that no spreadsheet takes for formulas."""

from __future__ import annotations

import csv
import io

import pytest

from inspector.exchange.requests.reports import to_csv
from inspector.exchange.requests.request_account import PIECE_COLUMNS, RequestAccount
from tests.exchange.requests.builders import request, word

PAYLOADS = (
    "=1+1",
    "+1",
    "-1+cmd|' /C calc'!A0",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "\u22121",
    "\uff1d1",
    "\uff0b1",
    "\uff0d1",
    "\uff20x",
)
TRIGGERS = tuple("=+-@\t\r\n\u2212\uff1d\uff0b\uff0d\uff20")


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("payload", PAYLOADS)
def test_that_no_cell_begins_like_a_formula(payload: str) -> None:
    head, *body = rows(to_csv(RequestAccount(request(["text", payload], [payload, "x", payload]), word)))
    assert tuple(head) == PIECE_COLUMNS
    cells = [cell for row in body for cell in row]
    assert not [cell for cell in cells if cell.startswith(TRIGGERS)]
    assert cells.count(f"'{payload}") >= 3


@pytest.mark.parametrize("payload", PAYLOADS)
def test_that_raw_cells_are_as_they_are(payload: str) -> None:
    _, *body = rows(to_csv(RequestAccount(request(["text"], [payload]), word), raw=True))
    assert body[0][PIECE_COLUMNS.index("label")] == payload


def test_that_the_rows_are_the_pieces_figures() -> None:
    _, *body = rows(to_csv(RequestAccount(request(["abc", "de"]), word)))
    figures = [row[PIECE_COLUMNS.index("tokens") :] for row in body]
    assert figures == [["3", "estimate", "0", "3"], ["2", "estimate", "3", "5"]]
