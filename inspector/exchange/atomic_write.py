"""Writes an export whole or not at all, and never over a file that is not an export.

A file or folder is made beside its place, brought to disk, and given its name in one step. So whenever the process
or the power ends, what stands there is the old one or the new one. Something that was left half made keeps a name
that begins with a dot and ends in ``.new``.

An export is made to be passed on, so it is as readable for others as the user's umask says of new files; one that
replaces another keeps that one's permissions. (A constellation itself is for its user alone.)
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from inspector.domain.errors import FileError
from inspector.storage.creation import beside, put_in_place, sync_folder
from inspector.storage.open_files import is_open_here

_LONGEST_SHOWN = 100
_DATABASE = b"SQLite format 3\x00"
_LOOKED_AT = 64
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
_RENAME_SWAP = 2


def place_file(
    target: Path, data: bytes, *, replace: bool = False, is_ours: Callable[[bytes], bool] = bool
) -> None:
    """Write a file. With `replace`, over one that is there, if `is_ours` says so of its first bytes or it is empty.

    Raises:
        FileError: ``file.exists``, ``export.not_a_file``, ``file.open_here``, ``export.is_constellation``,
            ``export.not_an_export``, or why
            it cannot be written; nothing was changed.
    """
    target = _real(target)
    if replace:
        _refuse_others_file(target, is_ours)
    mode = _mode_of(target, replace, stat.S_ISREG, "export.not_a_file")
    temporary = beside(target)
    with _explained(target), _removed_on_failure(temporary, _unlink):
        _write(temporary, data, mode)
        if replace:
            temporary.replace(target)
            sync_folder(target.parent)
        else:
            put_in_place(temporary, target)


def place_folder(
    target: Path, files: Mapping[str, bytes], *, own_names: frozenset[str], replace: bool = False
) -> None:
    """Write a folder of files by their paths in it. With `replace`, in place of one that holds nothing else.

    `known` are the names that may stand in a folder that is replaced: anything else there is somebody's, and
    would be lost.

    Raises:
        FileError: ``file.exists``, ``export.not_a_folder``, ``export.folder_has_others``, or why it cannot be
            written; nothing was changed then, unless it is ``export.left_aside``: what was there has another name.
    """
    target = _real(target)
    mode = _mode_of(target, replace, stat.S_ISDIR, "export.not_a_folder")
    with _explained(target):
        _refuse_others(target, own_names)
        temporary = beside(target)
        with _removed_on_failure(temporary, _remove_tree):
            _write_tree(temporary, files)
            if mode is None:
                temporary.rename(target)
            else:
                temporary.chmod(mode)
                _exchange(temporary, target)
            sync_folder(target.parent)
        _remove_tree(temporary)


def _real(target: Path) -> Path:
    """The place itself: a link stays a link, and what it points at is written."""
    try:
        return target.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise FileError("file.cannot_create", path=str(target), why=str(error)) from error


def _mode_of(target: Path, replace: bool, is_right: Callable[[int], bool], wrong: str) -> int | None:
    """The permissions of what is there, None when nothing is."""
    try:
        found = target.lstat()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise FileError("file.cannot_create", path=str(target), why=str(error)) from error
    if not is_right(found.st_mode):
        raise FileError(wrong, path=str(target))
    if not replace:
        raise FileError("file.exists", path=str(target))
    return stat.S_IMODE(found.st_mode)


def _refuse_others(target: Path, own_names: frozenset[str]) -> None:
    if not target.exists():
        return
    others = sorted(each.name for each in target.iterdir() if each.name not in own_names)
    if others:
        shown = tuple(name[:_LONGEST_SHOWN] for name in others[:5])
        raise FileError("export.folder_has_others", path=str(target), names=shown)


def _refuse_others_file(target: Path, is_ours: Callable[[bytes], bool]) -> None:
    """An export takes the place of an older export, never of the memory that exports are made of."""
    if is_open_here(target):
        raise FileError("file.open_here", path=str(target))
    with _explained(target):
        if not target.is_file():
            return
        with target.open("rb") as file:
            start = file.read(_LOOKED_AT)
    if start.startswith(_DATABASE):
        raise FileError("export.is_constellation", path=str(target))
    if start and not is_ours(start):
        raise FileError("export.not_an_export", path=str(target))


def _write(path: Path, data: bytes, mode: int | None = None) -> None:
    handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o666)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if mode is not None:
        path.chmod(mode)


def _write_tree(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.mkdir()
    made = {folder}
    for inside, data in files.items():
        path = folder.joinpath(*inside.split("/"))
        if path.parent not in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            made |= {above for above in path.parents if above.is_relative_to(folder)}
        _write(path, data)
    for each in made:
        sync_folder(each)


def _exchange(one: Path, other: Path) -> None:
    """Let two folders change names, in one step where the system can; the old one is then under the new's name."""
    if not _exchanged(os.fsencode(one), os.fsencode(other)):
        # In two steps: between them the old one stands beside its place, whole, under a name of its own.
        aside = other.with_name(f"{one.name}.old")
        other.rename(aside)
        try:
            one.rename(other)
        except OSError:
            _put_back(aside, other)
            raise
        # The new one is in its place: that the old one keeps its name is no failure.
        with contextlib.suppress(OSError):
            aside.rename(one)


def _put_back(aside: Path, place: Path) -> None:
    try:
        aside.rename(place)
    except OSError as error:
        why = error.strerror or str(error)
        raise FileError("export.left_aside", path=str(place), aside=str(aside), why=why) from error


def _exchanged(one: bytes, other: bytes) -> bool:
    if sys.platform == "win32":
        return False
    library = ctypes.CDLL(None, use_errno=True)
    swap = getattr(library, "renameat2", None)
    if swap is not None:
        return bool(swap(_AT_FDCWD, one, _AT_FDCWD, other, _RENAME_EXCHANGE) == 0)
    swap = getattr(library, "renamex_np", None)
    return swap is not None and bool(swap(one, other, _RENAME_SWAP) == 0)


@contextmanager
def _removed_on_failure(path: Path, remove: Callable[[Path], None]) -> Iterator[None]:
    try:
        yield
    except BaseException:
        remove(path)
        raise


@contextmanager
def _explained(target: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError as error:
        raise FileError("file.exists", path=str(target)) from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FileError("file.cannot_create", path=str(target), why=why) from error


def _unlink(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _remove_tree(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)
