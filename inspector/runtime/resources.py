"""The shipped resources that a window needs before there is an engine."""

from __future__ import annotations

from inspector.shipped.font_files import FIXED_FONT, INTERFACE_FONT, font_files
from inspector.shipped.licences import licence_texts
from inspector.shipped.locate import resource_path
from inspector.shipped.theme_files import THEME_NAMES, icon_names, load_icon, load_theme

__all__ = [
    "FIXED_FONT",
    "INTERFACE_FONT",
    "THEME_NAMES",
    "font_files",
    "help_page",
    "icon_names",
    "licence_texts",
    "load_icon",
    "load_theme",
]


def help_page(name: str) -> str:
    """A page of the in-app help: lines that begin with ``#``, ``##`` or ``-``, and paragraphs of one line.

    Raises:
        NotFoundError: there is no such page.
    """
    return resource_path("help", f"{name}.md").read_text(encoding="utf-8")
