"""The licences of what is shipped: the program's own and those of the window's fonts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from inspector.shipped.locate import resource_path, resource_root

_FONTS = {"Inter": "Inter-OFL.txt", "JetBrains Mono": "JetBrainsMono-OFL.txt"}


def licence_texts() -> Mapping[str, str]:
    """The licence texts by the name of what is under them, the program's own first, if it is there.

    Raises:
        NotFoundError: that of a font is not there.
    """
    fonts = [(name, resource_path("fonts", file)) for name, file in _FONTS.items()]
    return {name: path.read_text(encoding="utf-8") for name, path in (*_own(), *fonts)}


def _own() -> list[tuple[str, Path]]:
    # Beside the resources in an installed wheel, above them in a source tree.
    places = (resource_root() / "LICENSE", resource_root().parent / "LICENSE")
    return [("Context Inspector", path) for path in places if path.is_file()][:1]
