"""The shipped themes and icons of the window: colours by purpose, drawings in ``currentColor``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from inspector.shipped.locate import malformed, resource_path

THEME_NAMES = ("dark", "light")


def load_theme(name: str) -> Mapping[str, Any]:
    """A theme as plain data: ``name``, ``palette`` and ``sections`` (colours by name), ``code`` (styles by token).

    Raises:
        NotFoundError: there is no such theme.
        MalformedError: the file is no JSON. Whoever makes a theme of it looks at the rest.
    """
    path = resource_path("themes", f"{name}.json")
    try:
        theme: dict[str, Any] = json.loads(path.read_bytes())
    except ValueError as problem:
        raise malformed(path, problem) from problem
    return theme


APP_ICON = "app"


@cache
def icon_names() -> tuple[str, ...]:
    """The names of all icons of the family, sorted; the application's own is not one of them."""
    names = (path.stem for path in resource_path("icons").glob("*.svg"))
    return tuple(sorted(name for name in names if name != APP_ICON))


@cache
def load_icon(name: str) -> bytes:
    """The SVG of that name, as UTF-8 bytes.

    Raises:
        NotFoundError: there is no such icon.
    """
    return resource_path("icons", f"{name}.svg").read_bytes()
