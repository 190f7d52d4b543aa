#!/usr/bin/env python3
"""Build what users install, with Python's standard library and tools from the package registries.

    python3 packaging/build.py wheel          the wheel and the source distribution
    python3 packaging/build.py linux          those, and a .tar.gz, .deb, .rpm and Arch package for this architecture
    python3 packaging/build.py bundle         only the folder that a .dmg, a Windows installer, an AppImage or a
                                              Flatpak is made of, for the system that this runs on

    --out FOLDER     where the results go (dist)
    --work FOLDER    where everything else goes (build); what is in it is used again

Two builds of one commit give the same bytes: SOURCE_DATE_EPOCH is the time of the last commit, unless it is set.
`linux` needs a C compiler, npm and dpkg's or any other `strip`, and what dev.py installs for Qt.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "packaging"))

from installers import bundle, distributions, linux_packages, workshop  # noqa: E402


def main(arguments: list[str]) -> int:
    """Build what the command line asks for; gives the exit code."""
    parser = argparse.ArgumentParser(
        prog="build.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("wheel", "bundle", "linux"))
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--work", type=Path, default=ROOT / "build")
    given = parser.parse_args(arguments)
    try:
        shop = workshop.Workshop(ROOT, given.work.resolve(), given.out.resolve())
        build(given.what, shop)
    except workshop.BuildError as error:
        print(f"build.py: {error}", file=sys.stderr)
        return 1
    return 0


def build(what: str, shop: workshop.Workshop) -> None:
    """Build, each step from the results of the one before.

    Raises:
        BuildError: a step failed, or made something that it should not have.
    """
    wheel = distributions.build(shop)
    if what == "wheel":
        return
    folder = bundle.build(shop, wheel)
    if what == "linux":
        linux_packages.build(shop, folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
