"""The shipped themes and icons of the window: colours by purpose, drawings in ``currentColor``."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from inspector.shipped.checked import ShippedRecord, read_json
from inspector.shipped.locate import malformed, resource_path

Colour = Annotated[str, Meta(pattern="^#[0-9A-F]{6}$")]

THEME_NAMES = ("dark", "light")


class ThemeColours(ShippedRecord, frozen=True):
    """Every colour that is not a section's."""

    background: Colour
    surface: Colour
    raised: Colour
    border: Colour
    text: Colour
    muted: Colour
    accent: Colour
    on_accent: Colour
    selection: Colour
    ok: Colour
    warning: Colour
    error: Colour
    info: Colour


class SectionColours(ShippedRecord, frozen=True):
    """A colour for each section of a Request; a custom section takes `custom`."""

    instructions: Colour
    core: Colour
    working: Colour
    log: Colour
    shared: Colour
    hints: Colour
    summary: Colour
    activity: Colour
    tools: Colour
    messages: Colour
    scratchpad: Colour
    retrieved: Colour
    additional: Colour
    reply: Colour
    custom: Colour


class CodeToken(ShippedRecord, frozen=True):
    """How a kind of token in highlighted code looks: a palette key, and whether bold or italic."""

    colour: str
    bold: bool = False
    italic: bool = False


class ThemeFile(ShippedRecord, frozen=True):
    """One theme as its file says.

    `code` goes by Pygments token names without ``Token.``; a token that is not listed takes its nearest
    ancestor's entry, in the end that of ``Text``.
    """

    name: str
    palette: ThemeColours
    sections: SectionColours
    code: dict[str, CodeToken]


@cache
def load_theme(name: str) -> ThemeFile:
    """The theme of that name.

    Raises:
        NotFoundError: there is no such theme.
        MalformedError: a colour is missing, unknown or not ``#RRGGBB``, or code names an unknown colour.
    """
    return read_theme(resource_path("themes", f"{name}.json"))


def read_theme(path: Path) -> ThemeFile:
    """A theme from any file; `load_theme` for the shipped ones."""
    theme = read_json(path, ThemeFile)
    if theme.name != path.stem:
        raise malformed(path, f"named {theme.name!r} - at `$.name`")
    if "Text" not in theme.code:
        raise malformed(path, "`Text` is missing - at `$.code`")
    for token, style in theme.code.items():
        if style.colour not in ThemeColours.__struct_fields__:
            raise malformed(path, f"no colour {style.colour!r} in the palette - at `$.code.{token}.colour`")
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
