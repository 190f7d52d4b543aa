"""What ships beside the code, for screens and for the wiring of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from inspector.domain.layouts import Layout
from inspector.shipped.icon_files import icon_names, load_icon
from inspector.shipped.layout_files import load_layouts
from inspector.shipped.locate import resource_path
from inspector.shipped.models import ModelTable, load_model_table
from inspector.shipped.theme_files import THEME_NAMES, load_theme

__all__ = [
    "THEME_NAMES",
    "help_file",
    "icon_names",
    "load_icon",
    "shipped_layouts",
    "shipped_models",
    "theme_mapping",
]


def theme_mapping(name: str) -> Mapping[str, Any]:
    """A theme as plain data: ``name``, ``palette`` and ``sections`` (colours by name), ``code`` (styles by token).

    Raises:
        NotFoundError: there is no such theme.
    """
    theme = load_theme(name)
    code = {
        token: {"colour": style.colour, "bold": style.bold, "italic": style.italic}
        for token, style in theme.code.items()
    }
    return {
        "name": theme.name,
        "palette": theme.colours(),
        "sections": theme.section_colours(),
        "code": code,
    }


@cache
def shipped_models() -> ModelTable:
    """The dated table of model facts."""
    return load_model_table()


@cache
def shipped_layouts() -> Mapping[str, Layout]:
    """The shipped layouts by name."""
    return load_layouts()


def help_file(name: str) -> Path:
    """A page of the in-app help.

    Raises:
        NotFoundError: there is no such page.
    """
    return resource_path("help", f"{name}.md")
