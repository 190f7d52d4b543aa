"""Freezes the wheel into a folder that runs on a system without Python, and looks that it holds what it should."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from installers import materials, sqlite_library
from installers.workshop import BuildError, Workshop, say

PROGRAM = "context-inspector"
# Nobody needs these at run time: the environment has them, or a package whose use the program has none for.
UNUSED = ("setuptools", "requests", "urllib3", "charset-normalizer")
GPL_LIBRARIES = ("libreadline", "libgdbm", "libgtk", "readline.")
_LINUX_TOOLS = ("patchelf",) if sys.platform.startswith("linux") else ()
_START = "from inspector.entry import start\n\nstart()\n"


def build(shop: Workshop, wheel: Path) -> Path:
    """Make the bundle; gives its folder.

    Raises:
        BuildError: a step failed, or the bundle is not what it should be.
    """
    constraints = shop.packaging / "constraints.txt"
    say("Installing the wheel and what it needs ...")
    python = shop.environment("environment", [str(wheel)], constraints)
    shop.run([str(python), "-m", "pip", "uninstall", "--quiet", "--yes", *UNUSED])
    materials.describe(shop, python, parts())
    shop.install(python, ["pyinstaller", *_LINUX_TOOLS], shop.packaging / "build-constraints.txt")
    frozen = shop.fresh("frozen")
    start = frozen / "start.py"
    start.write_text(_START, encoding="utf-8")
    say("Freezing ...")
    paths = ["--distpath", str(frozen / "dist"), "--workpath", str(frozen / "work")]
    more = {"BUILD_STEPS": str(shop.packaging), "BUILD_START": str(start), **_icon(shop, python)}
    pyinstaller = [str(python), "-m", "PyInstaller", "--noconfirm", "--log-level", "ERROR", *paths]
    shop.run([*pyinstaller, str(shop.packaging / "context-inspector.spec")], cwd=frozen, more=more)
    folder = frozen / "dist" / PROGRAM
    if sys.platform.startswith("linux"):
        complete_on_linux(shop, folder)
    else:
        # The interpreter that builds is the one that is frozen.
        sqlite_library.require_fixed(sqlite3.sqlite_version_info)
    require_free_of_gpl(folder)
    say("Letting the frozen program try itself ...")
    selftest(folder)
    return folder


def parts() -> list[Mapping[str, str]]:
    """What is in the bundle and no Python package, but for Python itself. Qt is in its package."""
    version = sqlite_library.VERSION if sys.platform.startswith("linux") else sqlite3.sqlite_version
    return [materials.part("SQLite", version, "blessing", "https://sqlite.org")]


def _icon(shop: Workshop, python: Path) -> dict[str, str]:
    """The icon that macOS and Windows want beside the program."""
    if sys.platform.startswith("linux"):
        return {}
    icons = shop.fresh("icons")
    shop.run([str(python), str(shop.packaging / "installers" / "draw_icons.py"), str(icons)])
    suffix = "icns" if sys.platform == "darwin" else "ico"
    return {"BUILD_ICON": str(icons / f"{PROGRAM}.{suffix}")}


def complete_on_linux(shop: Workshop, folder: Path) -> None:
    """Give the bundle a sound SQLite, and take out symbols that only debuggers read."""
    internal = folder / "_internal"
    shutil.copyfile(sqlite_library.build(shop), internal / sqlite_library.LIBRARY)
    # Qt's and PySide's libraries stay as their makers ship them.
    for path in sorted(internal.rglob("*.so*")):
        if not path.is_symlink() and not {"PySide6", "shiboken6"} & set(path.parts):
            shop.run(["strip", "--strip-unneeded", str(path)])
            forget_place(shop, path)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            path.chmod(0o755 if path.parent == folder else 0o644)


def forget_place(shop: Workshop, library: Path) -> None:
    """Take out folders of the building machine in which a library would look for others."""
    tool = str(shop.work / "environment" / "bin" / "patchelf")
    places = shop.run([tool, "--print-rpath", str(library)]).strip()
    if any(place and not place.startswith("$ORIGIN") for place in places.split(":")):
        shop.run([tool, "--remove-rpath", str(library)])


def require_free_of_gpl(folder: Path) -> None:
    """Refuse libraries under the GPL that Python may bring along.

    Raises:
        BuildError: there is one.
    """
    found = sorted(path.name for path in folder.rglob("*") if path.name.startswith(GPL_LIBRARIES))
    if found:
        raise BuildError(f"these are under the GPL: {', '.join(found)}")


def selftest(folder: Path) -> None:
    """Let the frozen program try itself.

    Raises:
        BuildError: it failed, with what it said.
    """
    program = folder / (f"{PROGRAM}.exe" if os.name == "nt" else PROGRAM)
    done = subprocess.run([program, "--selftest"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(f"the frozen program's self-test failed:\n{done.stdout}{done.stderr}")
