"""The icons: one family of SVGs, tinted by whoever draws them (their strokes are ``currentColor``)."""

from __future__ import annotations

from functools import cache

from inspector.shipped.locate import resource_path

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
