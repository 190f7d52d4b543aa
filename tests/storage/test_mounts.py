"""Whether a file lies on a network, by tables of mounts that are made up."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from inspector.domain.errors import Severity
from inspector.memory.checking import check
from inspector.storage import mounts
from inspector.storage.mounts import is_network, kind_of
from tests.storage.builders import new_file, opened, set_fact

LOCAL = "27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard\n"


def mount(place: str, kind: str, fields: str = "shared:7 master:1") -> str:
    """One line of a table."""
    return f"40 27 0:33 / {place} rw,relatime {fields} - {kind} server:/export rw,vers=4.2\n"


TABLE = (
    LOCAL
    + mount("/home", "nfs4")
    + mount("/home/noor/local", "xfs", "")
    + mount(r"/mnt/a\040b\134c", "cifs")
    + mount("/mnt/over", "ext4")
    + mount("/mnt/over", "fuse.sshfs")
)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/tmp/a.constellation", "ext4"),
        ("/home/noor/a.constellation", "nfs4"),
        ("/home/noor/local/a.constellation", "xfs"),
        ("/homes/a.constellation", "ext4"),
        ("/mnt/a b\\c/a.constellation", "cifs"),
        ("/mnt/over/a.constellation", "fuse.sshfs"),
    ],
)
def test_that_the_innermost_and_uppermost_mount_counts(path: str, kind: str) -> None:
    assert kind_of(Path(path), TABLE) == kind


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "sshfs", "fuse.sshfs"])
def test_that_network_file_systems_are_known(kind: str) -> None:
    assert is_network(kind)


@pytest.mark.parametrize("kind", ["ext4", "btrfs", "xfs", "zfs", "tmpfs", "overlay", "fuseblk", "fuse.gvfsd"])
def test_that_local_file_systems_are_none(kind: str) -> None:
    assert not is_network(kind)


@pytest.mark.parametrize("table", ["", "nonsense", "1 2 3 - ", "1 2 3 4 / - \n - ext4", "\x00" * 50])
def test_that_a_table_that_cannot_be_read_says_nothing(table: str) -> None:
    assert kind_of(Path("/a"), table) is None


async def test_that_a_file_on_a_network_is_told_of_when_opened_and_when_checked(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await new_file(tmp_db_dir)
    table = tmp_db_dir / "mountinfo"
    table.write_text(LOCAL + mount(str(tmp_db_dir), "nfs4"), encoding="utf-8")
    monkeypatch.setattr(mounts, "MOUNT_TABLE", table)
    monkeypatch.setattr("sys.platform", "linux")
    async with opened(path) as database:
        (problem,) = database.problems
        assert database.read_only is None
        async with database.write() as tx:
            await set_fact(tx, "second")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    assert (problem.code, problem.severity) == ("file.network", Severity.WARNING)
    assert problem.parameters == {"kind": "nfs4"}
    assert [each.code for each in await check(path)] == ["file.network"]


async def test_that_a_local_file_and_a_system_without_a_table_have_nothing_to_tell(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await new_file(tmp_db_dir)
    for table in (tmp_db_dir / "local", tmp_db_dir / "missing"):
        if table.name == "local":
            table.write_text(LOCAL, encoding="utf-8")
        monkeypatch.setattr(mounts, "MOUNT_TABLE", table)
        async with opened(path) as database:
            assert database.problems == ()
