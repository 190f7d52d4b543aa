from __future__ import annotations

import os
import random
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from inspector.domain.errors import FileError
from inspector.exchange import atomic_write
from inspector.exchange.atomic_write import place_file, place_folder
from tests.exchange.atomic_write_process import file_version, folder_version

ROOT = Path(__file__).resolve().parents[2]
KILLS = 10
ONE = {"a/one.txt": b"1", "top.txt": b"t"}
KNOWN = frozenset({"a", "b", "top.txt"})


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def file_bytes(path: Path) -> Callable[[], None]:
    return lambda: place_file(path, b"new")


def folder_bytes(path: Path) -> Callable[[], None]:
    return lambda: place_folder(path, ONE, own_names=KNOWN)


def version_at(form: str, target: Path) -> int:
    """Which version is there; anything else raises."""
    if form == "file":
        return [file_version(0), file_version(1)].index(target.read_bytes())
    return [folder_version(0), folder_version(1)].index(files_in(target))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["file", "folder"])
def test_that_a_kill_leaves_the_old_one_or_the_new_one(tmp_db_dir: Path, form: str) -> None:
    target = tmp_db_dir / "target"
    delays = random.Random(form)
    seen = set()
    for _ in range(KILLS):
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.exchange.atomic_write_process", form, str(target)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        with process.stdout:
            assert process.stdout.readline() == b"there\n"
            time.sleep(delays.uniform(0, 0.1))
            process.kill()
            process.wait()
        seen.add(version_at(form, target))
    assert seen <= {0, 1}


@pytest.fixture
def umask_of_a_team() -> Iterator[None]:
    before = os.umask(0o027)
    yield
    os.umask(before)


@pytest.mark.usefixtures("umask_of_a_team")
def test_that_an_export_is_as_readable_as_the_umask_says_and_stays_as_it_was(tmp_path: Path) -> None:
    place_file(tmp_path / "new", b"x")
    place_folder(tmp_path / "folder", ONE, own_names=KNOWN)
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in tmp_path.rglob("*")}
    assert modes == {"new": 0o640, "folder": 0o750, "a": 0o750, "one.txt": 0o640, "top.txt": 0o640}
    (tmp_path / "new").chmod(0o600)
    (tmp_path / "folder").chmod(0o700)
    place_file(tmp_path / "new", b"y", replace=True)
    place_folder(tmp_path / "folder", ONE, own_names=KNOWN, replace=True)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "folder").stat().st_mode) == 0o700


def test_that_what_is_there_stays_unless_it_may_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "folder").mkdir()
    for attempt in (file_bytes(tmp_path / "file"), folder_bytes(tmp_path / "folder")):
        with pytest.raises(FileError) as caught:
            attempt()
        assert caught.value.code == "file.exists"
    assert (tmp_path / "file").read_bytes() == b"old"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "folder"]


def test_that_a_database_is_never_replaced_by_an_export(tmp_path: Path) -> None:
    target = tmp_path / "mine.constellation"
    with closing(sqlite3.connect(target)) as connection:
        connection.execute("CREATE TABLE memory (text)")
    before = target.read_bytes()
    with pytest.raises(FileError) as caught:
        place_file(target, b"{}", replace=True)
    assert caught.value.code == "export.is_constellation"
    assert target.read_bytes() == before
    target.write_text("precious")
    with pytest.raises(FileError) as caught:
        place_file(target, b"{}", replace=True, is_ours=lambda start: start.startswith(b"{"))
    assert caught.value.code == "export.not_an_export"
    assert target.read_text() == "precious"


def test_that_a_file_is_not_put_where_a_folder_is_nor_the_other_way_round(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError) as caught:
        place_file(tmp_path / "folder", b"new", replace=True)
    assert caught.value.code == "export.not_a_file"
    with pytest.raises(FileError) as caught:
        place_folder(tmp_path / "file", ONE, own_names=KNOWN, replace=True)
    assert caught.value.code == "export.not_a_folder"


def test_that_a_link_stays_and_what_it_points_at_is_written(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    place_file(tmp_path / "link", b"new", replace=True)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


@pytest.mark.parametrize("name", ["a\x00b", "missing/folder/file", "x" * 300])
def test_that_an_impossible_place_is_an_error_of_ours(tmp_path: Path, name: str) -> None:
    for attempt in (file_bytes(tmp_path / name), folder_bytes(tmp_path / name)):
        with pytest.raises(FileError):
            attempt()
    assert list(tmp_path.iterdir()) == []


def test_that_a_folder_is_replaced_where_the_system_cannot_exchange(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_folder(tmp_path / "folder", ONE, own_names=KNOWN)
    monkeypatch.setattr(atomic_write, "_exchanged", lambda _, __: False)
    place_folder(tmp_path / "folder", {"b/two.txt": b"2"}, own_names=KNOWN, replace=True)
    assert files_in(tmp_path) == {"folder/b/two.txt": b"2"}


def test_that_a_replaced_folder_has_nothing_of_the_old_one(tmp_path: Path) -> None:
    place_folder(tmp_path / "folder", ONE, own_names=KNOWN)
    place_folder(tmp_path / "folder", {"b/two.txt": b"2"}, own_names=KNOWN, replace=True)
    assert files_in(tmp_path) == {"folder/b/two.txt": b"2"}
    (tmp_path / "folder" / "mine.txt").write_bytes(b"!")
    with pytest.raises(FileError) as caught:
        place_folder(tmp_path / "folder", ONE, own_names=KNOWN, replace=True)
    assert caught.value.parameters["names"] == ("mine.txt",)
    assert files_in(tmp_path) == {"folder/b/two.txt": b"2", "folder/mine.txt": b"!"}
