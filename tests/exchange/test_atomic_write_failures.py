"""Each call to the disk that an export makes fails once, in turn: what stands there is the old one or the new one."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Any, cast

import pytest

from inspector.domain.errors import FileError
from inspector.exchange import atomic_write
from inspector.exchange.atomic_write import place_file, place_folder

OLD = {"a/one.txt": b"old", "top.txt": b"old"}
NEW = {"a/one.txt": b"new", "b/c/two.txt": b"new" * 5_000, "top.txt": b"new"}
KNOWN = frozenset({"a", "b", "top.txt"})
CALLS = (
    "open",
    "fsync",
    "mkdir",
    "chmod",
    "rename",
    "replace",
    "link",
    "unlink",
    "rmdir",
    "lstat",
    "scandir",
)
MOST_CALLS = 500


class Disk:
    """Counts calls, and lets the N-th fail; with `lasting`, all that come after it too."""

    def __init__(self, fail_at: int, *, lasting: bool) -> None:
        self._fail_at = fail_at
        self._lasting = lasting
        self.calls = 0
        self.failed = ""

    def call(self, name: str) -> None:
        """One call. Raises OSError when it is its turn."""
        self.calls += 1
        if self.calls == self._fail_at or (self._lasting and self.calls > self._fail_at):
            self.failed = self.failed or name
            raise OSError(errno.EIO, os.strerror(errno.EIO))


class Watched:
    """A file whose writing may fail half-way."""

    def __init__(self, file: IO[bytes], disk: Disk) -> None:
        self._file = file
        self._disk = disk

    def __enter__(self) -> Watched:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def write(self, data: bytes) -> None:
        """Half of it arrives when the disk fails."""
        try:
            self._disk.call("write")
        except OSError:
            self._file.write(data[: len(data) // 2])
            raise
        self._file.write(data)

    def flush(self) -> None:
        """As a file does."""
        self._disk.call("flush")
        self._file.flush()

    def fileno(self) -> int:
        """As a file does."""
        return self._file.fileno()


@contextmanager
def failing(fail_at: int, *, lasting: bool) -> Iterator[Disk]:
    """Let the N-th of the calls that change or look at files fail."""
    disk = Disk(fail_at, lasting=lasting)
    fdopen = os.fdopen
    with pytest.MonkeyPatch.context() as patch:
        for name in CALLS:
            patch.setattr(os, name, _watched(name, getattr(os, name), disk))
        patch.setattr(os, "fdopen", lambda handle, mode: Watched(cast(IO[bytes], fdopen(handle, mode)), disk))
        yield disk


def _watched(name: str, real: Callable[..., Any], disk: Disk) -> Callable[..., Any]:
    def call(*given: Any, **named: Any) -> Any:
        disk.call(name)
        return real(*given, **named)

    return call


def lay(form: str, target: Path, version: dict[str, bytes], *, replace: bool = False) -> None:
    """Put a version in its place."""
    if form == "file":
        place_file(target, b"".join(version.values()), replace=replace)
    else:
        place_folder(target, version, own_names=KNOWN, replace=replace)


def found(target: Path) -> dict[str, bytes]:
    """What stands there; nothing when nothing does."""
    if target.is_file():
        return {"": target.read_bytes()}
    return {str(each.relative_to(target)): each.read_bytes() for each in target.rglob("*") if each.is_file()}


def as_found(form: str, version: dict[str, bytes]) -> dict[str, bytes]:
    """A version as it stands there."""
    return {"": b"".join(version.values())} if form == "file" else version


@pytest.mark.parametrize("can_exchange", [True, False])
@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("form", ["file", "folder"])
def test_that_an_export_survives_a_failure_of_every_call(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    form: str,
    replace: bool,
    lasting: bool,
    can_exchange: bool,
) -> None:
    if not can_exchange:
        monkeypatch.setattr(atomic_write, "_exchanged", lambda _, __: False)
    seen: set[str] = set()
    for number in range(1, MOST_CALLS):
        place = tmp_path / str(number)
        place.mkdir()
        target = place / "export"
        if replace:
            lay(form, target, OLD)
        old = found(target)
        error: FileError | None = None
        with failing(number, lasting=lasting) as disk:
            try:
                lay(form, target, NEW, replace=replace)
            except FileError as caught:
                error = caught
                assert disk.failed
        seen.add(disk.failed)
        left, where = found(target), f"call {number}: {disk.failed}"
        if error is None:
            # What got the better of the failure is there whole; its other name may have stayed.
            assert left == as_found(form, NEW), where
            assert all(each.name == "export" or each.name[0] == "." for each in place.iterdir()), where
        elif error.code == "export.left_aside":
            assert (lasting, can_exchange) == (True, False)
            assert found(Path(str(error.parameters["aside"]))) == old, where
        else:
            assert left == old, where
            assert lasting or [each.name for each in place.iterdir()] == (["export"] if old else []), where
        if not disk.failed:
            assert {"open", "write", "fsync"} <= seen
            return
    pytest.fail("it never got through")
