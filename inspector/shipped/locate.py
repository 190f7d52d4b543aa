"""Finds the `resources` of the engine in a bundle, an installed wheel or a source tree."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from inspector.domain.errors import MalformedError, NotFoundError

_PACKAGE = Path(__file__).resolve().parents[1]


def resource_path(*parts: str) -> Path:
    """The path of a shipped file or folder.

    Args:
        *parts: The names below `resources`, for example ``"themes", "dark.json"``.

    Raises:
        NotFoundError: there is no such file, or a part would lead out of `resources`.
    """
    if any(part in {"", ".", ".."} or "/" in part or "\\" in part or ":" in part for part in parts):
        raise NotFoundError("not_found.resource", name="/".join(parts))
    found = resource_root().joinpath(*parts)
    if not found.exists():
        raise NotFoundError("not_found.resource", name="/".join(parts))
    return found


@cache
def resource_root() -> Path:
    """The folder of all shipped files.

    Raises:
        NotFoundError: the installation is incomplete.
    """
    return find_root(_PACKAGE, getattr(sys, "_MEIPASS", None))


def find_root(package: Path, bundle: str | None) -> Path:
    """The first of the three places that is there.

    Args:
        package: The folder of the package `inspector`.
        bundle: Where a frozen bundle was unpacked, or None outside of one.
    """
    candidates = [package / "_resources", package.parent / "resources"]
    if bundle is not None:
        candidates.insert(0, Path(bundle) / "resources")
    for candidate in candidates:
        if candidate.is_dir():
            return candidate
    raise NotFoundError("not_found.resource", name="resources")


def malformed(path: Path, problem: Exception | str) -> MalformedError:
    """The error for a file that cannot be used: folder, name and place in it, and why.

    A problem's own words hold the place after ``at``, as in ``Expected `int`, got `str` - at `$.models[3].id```.
    """
    why, separator, place = str(problem).partition(" - at ")
    name = f"{path.parent.name}/{path.name}"
    where = f"{name} {place.strip('`')}" if separator else name
    return MalformedError("malformed.resource", where=where, why=why)
