"""Decides which stored documents may be parsed in this process.

Known good is what this process wrote itself, and what the airlock has let pass since the file was opened; both by
the SHA-256 of the bytes, and per block. Nothing that the file says of itself counts, and nothing is remembered
beyond the process: a new worker takes some ten milliseconds, so a list of trusted files would save nothing that is
worth trusting a list. What another process writes into the open file takes the same way in; the worker keeps the
documents that passed last, so a further update of one is looked at by itself.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from inspector.documents.airlock.gate import NO_ANSWER, Airlock, VettingResult
from inspector.domain.changes import Health
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import DocumentError, FileError, Parameters, Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.storage import blocks
from inspector.storage.connection import Connection
from inspector.storage.database import Database
from inspector.storage.feed import ChangeFeed
from inspector.storage.updates import Checkpoint, Delta, hash_of, newest_checkpoint, since

T = TypeVar("T")
VETTED_BLOCKS = 1024
_NOT_FETCHED = ("",)
"""Stands for the hashes of bytes that could not be had."""


@dataclass(frozen=True, slots=True)
class _Copy:
    """The worker's document of a block: its token, and the last delta that is in it."""

    token: int
    seq: int


@dataclass(frozen=True, slots=True)
class _Refused:
    """What was refused, by its hashes, and why; it is not looked at again."""

    hashes: tuple[str, ...]
    code: str
    parameters: Parameters


class DocumentVetting:
    """Lets documents through to this process, or raises what is wrong with them."""

    def __init__(self, feed: ChangeFeed, airlock: Airlock) -> None:
        self._feed = feed
        self._airlock = airlock
        # The airlock blocks while it waits, and documents of other blocks need not wait with it.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="airlock")
        self._checked: OrderedDict[str, set[str]] = OrderedDict()
        self._copies: dict[str, _Copy] = {}
        self._refused: dict[str, _Refused] = {}

    def made(self, block_id: str, blob: bytes) -> None:
        self._know(block_id, (hash_of(blob),))

    def problem(self, block_id: str, label: str) -> Problem | None:
        """What is wrong with a block's document, as far as anybody has looked."""
        found = self._refused.get(block_id)
        if found is None:
            return None
        where = str(Ref(RefKind.BLOCK, block_id))
        return Problem(found.code, Severity.ERROR, where, {"label": label, **found.parameters})

    async def stored(
        self, connection: Connection, block_id: str
    ) -> tuple[Checkpoint | None, tuple[Delta, ...]]:
        """A block's whole document as it lies in the file: its newest checkpoint, and what came after.

        Raises:
            DocumentError: ``document.not_fetched``: too long a value, or a damaged page of the file.
            FileError: the file as a whole cannot be read now.
        """
        try:
            checkpoint = await newest_checkpoint(connection, block_id)
            deltas = await since(connection, block_id, 0 if checkpoint is None else checkpoint.upto_seq)
        except FileError as error:
            if error.code not in ("file.too_big", "file.damaged"):
                raise
            parameters = {"why": error.parameters.get("why")}
            raise self._refuse(
                block_id, _NOT_FETCHED, VettingResult("document.not_fetched", parameters)
            ) from error
        return checkpoint, deltas

    async def admit(self, block_id: str, checkpoint: Checkpoint | None, deltas: Sequence[Delta]) -> None:
        """Return if a whole document may be parsed here.

        Raises:
            DocumentError: ``document.damaged`` (bytes are not what was written), ``document.too_deep``,
                ``document.too_large``, ``document.too_slow``, ``document.lethal``, ``document.unreadable`` and
                others of the airlock's.
        """
        blobs, first = _blobs(deltas), None if checkpoint is None else checkpoint.snapshot
        hashes = _found(checkpoint, blobs)
        refused = self._refused.get(block_id)
        if refused is not None and refused.hashes == hashes:
            raise DocumentError(refused.code, **dict(refused.parameters))
        if hashes != _expected(checkpoint, deltas):
            raise self._refuse(block_id, hashes, VettingResult("document.damaged"))
        if self._knows(block_id, hashes):
            self._accept(block_id)
            return
        verdict = await self._run(lambda: self._airlock.look(first, blobs))
        if not verdict.passed:
            raise self._refuse(block_id, hashes, verdict)
        self._pass(block_id, hashes, _Copy(verdict.token, _last(checkpoint, deltas)))

    async def examine(self, checkpoint: Checkpoint) -> None:
        """Return if a snapshot that was set aside may be parsed here.

        Raises:
            DocumentError: as `admit`.
        """
        if hash_of(checkpoint.snapshot) != checkpoint.content_hash:
            raise DocumentError("document.damaged")
        verdict = await self._run(lambda: self._airlock.look(checkpoint.snapshot, ()))
        if not verdict.passed:
            raise DocumentError(verdict.code, **dict(verdict.parameters))

    async def admit_further(self, connection: Connection, block_id: str, deltas: Sequence[Delta]) -> None:
        """Return if deltas may be merged into the document that is held here.

        Raises:
            DocumentError: as `admit`.
        """
        # The bytes count, not the hash that stands beside them.
        hashes = _found(None, _blobs(deltas))
        if self._knows(block_id, hashes):
            return
        copy = self._copies.pop(block_id, None)
        if copy is not None:
            await self._look_further(connection, block_id, copy)
            if self._knows(block_id, hashes):
                return
        await self.admit(block_id, *await self.stored(connection, block_id))

    async def look_over(self, database: Database) -> None:
        """Look at every document of a file that nobody has looked at, one after the other.

        What is found is told to the feed and by `problem`. The file is only held while a document is fetched.

        Raises:
            FileError: the file cannot be read.
        """
        async with database.read() as connection:
            block_ids = await blocks.ids(connection)
        for block_id in block_ids:
            with contextlib.suppress(DocumentError):
                await self._look_at(database, block_id)

    async def close(self) -> None:
        # Whoever waits for it hears that it is gone.
        await asyncio.to_thread(self._airlock.close)
        self._thread.shutdown(wait=False)

    async def _look_at(self, database: Database, block_id: str) -> None:
        async with database.read() as connection:
            checkpoint, deltas = await self.stored(connection, block_id)
        await self.admit(block_id, checkpoint, deltas)

    async def _look_further(self, connection: Connection, block_id: str, copy: _Copy) -> None:
        """Let the worker's copy take what came since; where it does not, the whole has to be looked at."""
        missing = await since(connection, block_id, copy.seq)
        blobs = [delta.blob for delta in missing if delta.blob is not None]
        hashes = _found(None, blobs)
        if not missing or hashes != _expected(None, missing):
            return
        verdict = await self._run(lambda: self._airlock.look_further(copy.token, blobs))
        if verdict is not None and verdict.passed:
            self._pass(block_id, hashes, _Copy(verdict.token, missing[-1].seq))

    def _pass(self, block_id: str, hashes: Sequence[str], copy: _Copy) -> None:
        self._know(block_id, hashes)
        self._copies[block_id] = copy
        self._accept(block_id)

    def _accept(self, block_id: str) -> None:
        refused = self._refused.pop(block_id, None)
        if refused is not None:
            self._publish(block_id, refused, resolved=True)

    def _refuse(self, block_id: str, hashes: tuple[str, ...], verdict: VettingResult) -> DocumentError:
        before = self._refused.get(block_id)
        now = _Refused(hashes, verdict.code, verdict.parameters)
        if verdict.code != NO_ANSWER:
            self._refused[block_id] = now
            if before is None or before.code != now.code:
                if before is not None:
                    self._publish(block_id, before, resolved=True)
                self._publish(block_id, now)
        return DocumentError(verdict.code, **dict(verdict.parameters))

    def _publish(self, block_id: str, refused: _Refused, *, resolved: bool = False) -> None:
        reported = tuple((name, str(value)) for name, value in refused.parameters.items())
        ref = Ref(RefKind.BLOCK, block_id)
        self._feed.publish(Health(refused.code, ref, reported, Severity.ERROR, resolved=resolved))

    def _knows(self, block_id: str, hashes: Sequence[str]) -> bool:
        return self._checked.get(block_id, set()).issuperset(hashes)

    def _know(self, block_id: str, hashes: Sequence[str]) -> None:
        self._checked.setdefault(block_id, set()).update(hashes)
        self._checked.move_to_end(block_id)
        while len(self._checked) > VETTED_BLOCKS:
            forgotten, _ = self._checked.popitem(last=False)
            self._copies.pop(forgotten, None)

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


def _blobs(deltas: Sequence[Delta]) -> list[bytes]:
    found: list[bytes] = []
    for delta in deltas:
        if delta.blob is None:
            raise DocumentError("document.folded_away", seq=delta.seq)
        found.append(delta.blob)
    return found


def _found(checkpoint: Checkpoint | None, blobs: Sequence[bytes]) -> tuple[str, ...]:
    first = () if checkpoint is None else (hash_of(checkpoint.snapshot),)
    return (*first, *map(hash_of, blobs))


def _expected(checkpoint: Checkpoint | None, deltas: Sequence[Delta]) -> tuple[str, ...]:
    first = () if checkpoint is None else (checkpoint.content_hash,)
    return (*first, *(delta.content_hash for delta in deltas))


def _last(checkpoint: Checkpoint | None, deltas: Sequence[Delta]) -> int:
    if deltas:
        return deltas[-1].seq
    return 0 if checkpoint is None else checkpoint.upto_seq
