"""Doing something in a transaction to see whether it can be done, and taking it back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from inspector.storage.database import Transaction


@asynccontextmanager
async def rehearsal(transaction: Transaction) -> AsyncIterator[None]:
    """Take back all that is written inside, whatever happens; the transaction goes on as it was before."""
    # The transaction remembers this row, so it must not be among what is taken back.
    await transaction.process_id()
    await transaction.execute("SAVEPOINT rehearsal")
    try:
        yield
    finally:
        await transaction.execute("ROLLBACK TO rehearsal")
        await transaction.execute("RELEASE rehearsal")


@asynccontextmanager
async def attempt(transaction: Transaction) -> AsyncIterator[None]:
    """Take back what is written inside if it fails; the transaction can go on as it was before."""
    await transaction.process_id()
    await transaction.execute("SAVEPOINT attempt")
    try:
        yield
    except BaseException:
        await transaction.execute("ROLLBACK TO attempt")
        await transaction.execute("RELEASE attempt")
        raise
    await transaction.execute("RELEASE attempt")
