"""Finds what a bundle needs of the system that it runs on, by reading its own libraries."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from installers.workshop import BuildError, Workshop

_NEEDED = re.compile(r"^\s+NEEDED\s+(\S+)$", re.MULTILINE)
_GLIBC = re.compile(r"\bGLIBC_(\d+)\.(\d+)\b")


@dataclass(frozen=True)
class Needs:
    """Shared libraries by name, and the lowest glibc that the bundle runs with."""

    libraries: tuple[str, ...]
    glibc: str


def needs_of(shop: Workshop, folder: Path) -> Needs:
    """What is needed of the system by any program or library below a folder."""
    files = [path for path in sorted(folder.rglob("*")) if is_elf(path)]
    inside = {path.name for path in folder.rglob("*.so*")}
    wanted: set[str] = set()
    glibc = (2, 0)
    for path in files:
        said = shop.run(["objdump", "-p", str(path)])
        wanted.update(_NEEDED.findall(said))
        versions = [(int(major), int(minor)) for major, minor in _GLIBC.findall(said)]
        glibc = max(glibc, *versions) if versions else glibc
    return Needs(tuple(sorted(wanted - inside)), f"{glibc[0]}.{glibc[1]}")


def is_elf(path: Path) -> bool:
    """Whether a path is a program or library of Linux, and no link to one."""
    if not path.is_file() or path.is_symlink():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def table(file: Path) -> Mapping[str, Mapping[str, object]]:
    """The packages of libraries, as ``linux/libraries.toml`` has them."""
    rows: Mapping[str, Mapping[str, object]] = tomllib.loads(file.read_text(encoding="utf-8"))["libraries"]
    return rows


def packages(
    rows: Mapping[str, Mapping[str, object]], libraries: Iterable[str], system: str, *, optional: bool
) -> list[str]:
    """The packages of one system that hold libraries, sorted.

    Args:
        rows: The table.
        libraries: Their names.
        system: ``deb``, ``arch`` or ``rpm``, for which a library stands for itself.
        optional: Those that the program does without on some desktops, or those that it always needs.

    Raises:
        BuildError: a library is in no row.
    """
    unknown = [name for name in libraries if name not in rows]
    if unknown:
        raise BuildError(f"packaging/linux/libraries.toml has no row for {', '.join(unknown)}")
    chosen = [name for name in libraries if bool(rows[name].get("optional")) is optional]
    if system == "rpm":
        return sorted(f"{name}()(64bit)" for name in chosen)
    return sorted({str(rows[name][system]) for name in chosen})
