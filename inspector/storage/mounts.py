"""Finds the kind of file system that a file lies on.

On a network, locks may hold for one computer only, or for none; SQLite then cannot keep two writers apart
(https://sqlite.org/lockingv3.html, https://sqlite.org/howtocorrupt.html section 2.1).
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from inspector.domain.errors import Problem, Severity

MOUNT_TABLE = Path("/proc/self/mountinfo")
NETWORK_KINDS = frozenset(
    {
        "9p",
        "acfs",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "davfs",
        "glusterfs",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "prl_fs",
        "rclone",
        "s3fs",
        "smb",
        "smb2",
        "smb3",
        "smbfs",
        "sshfs",
        "vboxsf",
        "virtiofs",
        "vmhgfs",
        "vmhgfs-fuse",
    }
)
"""File systems of other computers, and folders that a virtual machine shares with its host."""

_OCTAL = re.compile(r"\\([0-7]{3})")


def network_problem(path: Path) -> Problem | None:
    """What a person should know of a file that is not on this computer's own disk; None when there is nothing."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        table = MOUNT_TABLE.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None
    kind = kind_of(Path(os.path.realpath(path)), table)
    if kind is None or not is_network(kind):
        return None
    return Problem("file.network", Severity.WARNING, str(path), {"kind": kind})


def is_network(kind: str) -> bool:
    """Whether a kind of file system lies beyond this computer; ``fuse.`` before a name says how it is attached."""
    return kind.removeprefix("fuse.").removeprefix("fuseblk.") in NETWORK_KINDS


def kind_of(path: Path, table: str) -> str | None:
    """The kind of the file system that holds an absolute path, by a table in the form of ``mountinfo``.

    The innermost mount counts, and of several at one place the last, which lies over the others.
    """
    found: tuple[int, str] | None = None
    for place, kind in _mounts(table):
        depth = len(place.parts)
        if (found is None or depth >= found[0]) and PurePosixPath(path).is_relative_to(place):
            found = (depth, kind)
    return None if found is None else found[1]


def _mounts(table: str) -> Iterator[tuple[PurePosixPath, str]]:
    # 36 35 98:0 /root /mount/point options [optional fields …] - kind source options
    for line in table.splitlines():
        before, dash, after = line.partition(" - ")
        fields, kinds = before.split(" "), after.split(" ")
        if dash and len(fields) > 4 and kinds[0]:
            yield PurePosixPath(_OCTAL.sub(lambda match: chr(int(match[1], 8)), fields[4])), kinds[0]
