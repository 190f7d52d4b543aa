"""The shipped resources that a window needs before there is an engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

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
    "theme_mapping",
]


def theme_mapping(name: str) -> Mapping[str, Any]:
    """A theme as plain data: ``name``, ``palette`` and ``sections`` (colours by name), ``code`` (styles by token).

    Raises:
        NotFoundError: there is no such theme.
    """
    plain: dict[str, Any] = msgspec.to_builtins(load_theme(name))
    return plain


def help_page(name: str) -> str:
    """A page of the in-app help: lines that begin with ``#``, ``##`` or ``-``, and paragraphs of one line.

    Raises:
        NotFoundError: there is no such page.
    """
    return resource_path("help", f"{name}.md").read_text(encoding="utf-8")
