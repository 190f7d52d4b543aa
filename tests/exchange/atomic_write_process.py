"""A process that puts two versions of a file or folder in one place, in turn, until it is killed."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

from inspector.exchange.atomic_write import place_file, place_folder

NAMES = frozenset(f"d{number}" for number in range(6))


def file_version(version: int) -> bytes:
    """A megabyte that tells its version everywhere."""
    return f"version {version}\n".encode() * 100_000


def folder_version(version: int) -> dict[str, bytes]:
    """Sixty files in six folders; the two versions have different ones."""
    return {
        f"d{number % 6}/f{number}-{version}.txt": f"version {version}".encode() * 500 for number in range(60)
    }


def main(form: str, target: Path) -> None:
    """Write for ever; a line on standard output says that the first version is there."""
    for turn in itertools.count():
        if form == "file":
            place_file(target, file_version(turn % 2), replace=True)
        else:
            place_folder(target, folder_version(turn % 2), own_names=NAMES, replace=True)
        if turn == 0:
            sys.stdout.write("there\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
