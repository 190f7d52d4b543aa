"""The shipped layouts, one file each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from types import MappingProxyType

from inspector.domain.layouts import Layout, SectionLayout
from inspector.shipped.checked import read_json
from inspector.shipped.locate import malformed, resource_path

_LAYOUT_FIELDS = frozenset(field.name for field in fields(Layout))
_SECTION_FIELDS = frozenset(field.name for field in fields(SectionLayout))


@cache
def load_layouts() -> Mapping[str, Layout]:
    """All shipped layouts by name, sorted.

    Raises:
        MalformedError: a file has another shape.
    """
    paths = sorted(resource_path("layouts").glob("*.json"))
    return MappingProxyType({path.stem: read_layout(path) for path in paths})


def layout_names() -> tuple[str, ...]:
    """The names of the shipped layouts, sorted."""
    return tuple(sorted(path.stem for path in resource_path("layouts").glob("*.json")))


def read_layout(path: Path) -> Layout:
    """A layout from any file of the shape; `load_layouts` for the shipped ones.

    Raises:
        NotFoundError: there is no such file.
        MalformedError: a field is missing, unknown or of another type, two sections have one name, or the
            layout is not named as its file is.
    """
    layout = read_json(path, Layout)
    _check_fields(path)
    if layout.name != path.stem:
        raise malformed(path, f"named {layout.name!r} - at `$.name`")
    seen: set[str] = set()
    for at, section in enumerate(layout.sections):
        if section.name in seen:
            raise malformed(path, f"{section.name!r} appears twice - at `$.sections[{at}].name`")
        seen.add(section.name)
    return layout


def _check_fields(path: Path) -> None:
    """Refuse fields that a layout does not have: a dataclass's decoder passes over them."""
    stored = read_json(path, dict[str, object])
    _refuse(path, stored.keys() - _LAYOUT_FIELDS, "$")
    sections = stored.get("sections")
    if isinstance(sections, list):
        for at, section in enumerate(sections):
            _refuse(path, section.keys() - _SECTION_FIELDS, f"$.sections[{at}]")


def _refuse(path: Path, unknown: set[str], place: str) -> None:
    if unknown:
        raise malformed(path, f"Object contains unknown field `{min(unknown)}` - at `{place}`")
