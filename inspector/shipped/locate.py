"""Where `resources` lies: in a frozen bundle, in an installed wheel, or in a source tree."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from inspector.domain.errors import NotFoundError

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
