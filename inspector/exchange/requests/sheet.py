"""A Request's figures as CSV. A cell that a spreadsheet would take for a formula is marked as text."""

from __future__ import annotations

import csv
import io

from inspector.exchange.requests.account import PIECE_COLUMNS, Account

_TRIGGERS = ("=", "+", "-", "@", "\t", "\r", "\n", "\u2212", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Spreadsheets run what begins so; the last five are the minus sign and the wide forms that some take for them."""


def to_csv(account: Account, *, raw: bool = False) -> str:
    """One row a piece.

    Args:
        account: Whose.
        raw: Leave cells as they are.
    """
    written = io.StringIO()
    # With both signs in its line end, the writer quotes cells that hold either.
    table = csv.writer(written, lineterminator="\r\n")
    table.writerow(PIECE_COLUMNS)
    for placed in account.request.placed():
        row = account.piece_row(placed)
        table.writerow(row if raw else map(safe_cell, row))
    return written.getvalue()


def safe_cell(text: str) -> str:
    """The cell with an apostrophe before it where it begins like a formula."""
    return f"'{text}" if text.startswith(_TRIGGERS) else text
