"""Builds the source distribution and, from it, the wheel, and looks that nothing is missing in either."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

from installers.workshop import BuildError, Workshop, say

RESOURCES = "inspector/_resources"


def build(shop: Workshop) -> Path:
    """Put both into the results; gives the wheel.

    Raises:
        BuildError: a file of the package or of its resources is in neither or only one of them.
    """
    say("Building the wheel and the source distribution ...")
    constraints = shop.packaging / "build-constraints.txt"
    python = shop.environment("builder", ["build", "hatchling"], constraints)
    made = shop.fresh("distributions")
    # Not isolated: the back end is the one of the constraints.
    shop.run([str(python), "-m", "build", "--no-isolation", "--outdir", str(made), str(shop.root)])
    wheel, source = next(made.glob("*.whl")), next(made.glob("*.tar.gz"))
    missing = sorted(wanted(shop.root) - in_wheel(wheel))
    if missing:
        raise BuildError(f"the wheel lacks {', '.join(missing[:5])}")
    lacking = sorted({name.removeprefix("/") for name in sources(shop.root)} - in_source(source))
    if lacking:
        raise BuildError(f"the source distribution lacks {', '.join(lacking[:5])}")
    for file in (wheel, source):
        (shop.out / file.name).write_bytes(file.read_bytes())
    return shop.out / wheel.name


def sources(root: Path) -> set[str]:
    """Every file of the program and its resources, relative to the tree."""
    found = [path for top in ("inspector", "resources") for path in (root / top).rglob("*")]
    return {
        path.relative_to(root).as_posix()
        for path in found
        if path.is_file() and "__pycache__" not in path.parts
    }


def wanted(root: Path) -> set[str]:
    """What a wheel has to hold: the same, with the resources where an installed program finds them."""
    moved = {
        f"{RESOURCES}{name.removeprefix('resources')}" for name in sources(root) if name.startswith("res")
    }
    return (
        {name for name in sources(root) if name.startswith("inspector/")} | moved | {f"{RESOURCES}/LICENSE"}
    )


def in_wheel(wheel: Path) -> set[str]:
    """The names in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def in_source(source: Path) -> set[str]:
    """The names in a source distribution, without its top folder."""
    with tarfile.open(source) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}
