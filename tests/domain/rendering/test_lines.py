"""No value can be taken for a part of its own, and every value can be read back from its lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.domain.blocks import (
    CompositeSchema,
    EntrySchema,
    FieldDef,
    FieldType,
    ListSchema,
    LogSchema,
    MapSchema,
    SectionDef,
    TextSchema,
    TreeSchema,
)
from inspector.domain.content import (
    CompositeContent,
    FieldEntry,
    ListContent,
    ListItem,
    LogContent,
    LogEntry,
    MapContent,
    TextContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.rendering.render import render

ENDS = ("\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")
LIKE_PARTS = (
    "name: x",
    "trust [read-only]: all",
    "all:",
    "- x",
    "1. x",
    "  - x",
    "[2026] (Ada) x",
    "=== b ===",
)
PIECES = (*ENDS, *LIKE_PARTS, "\\", "-", "=== ", " ", "  ", "\t", "\u00a0", "a", "(", "😀")
VALUES = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join)
FEW = settings(max_examples=150, deadline=None)
MAP = MapSchema(
    (
        FieldDef("name"),
        FieldDef("trust", read_only=True),
        FieldDef("all", FieldType.LIST),
        FieldDef("note"),
    )
)
PLAIN_LOG = LogSchema(100, EntrySchema(timestamp=False, agent_id=False, fields=(FieldDef("note"),)))
DATED_LOG = LogSchema(100, EntrySchema(timestamp=True, agent_id=True, fields=(FieldDef("note"),)))


def _lines(text: str) -> list[str]:
    """Each line with its end, whatever it is."""
    return text.splitlines(keepends=True)


def _taken_out(lines: Sequence[str], indent: str) -> str:
    """What several lines held before the further ones were set in."""
    first, *further = lines
    assert all(line.startswith(indent) for line in further)
    return first + "".join(line[len(indent) :] for line in further)


def _parts(text: str, own: str) -> list[list[str]]:
    """The lines by part: one begins with each line that could be a part's own."""
    parts: list[list[str]] = []
    for line in _lines(text):
        if re.match(own, line):
            parts.append([])
        parts[-1].append(line)
    return parts


def _without_end(text: str, *, last: bool) -> str:
    """A part's text without the end that stands between it and the next one."""
    return text if last else text.removesuffix("\n")


@FEW
@given(st.lists(VALUES, min_size=1, max_size=4))
def test_that_a_lists_items_are_read_back(values: list[str]) -> None:
    content = ListContent(tuple(ListItem(str(at), value) for at, value in enumerate(values)))
    text = render(ListSchema(), content).text
    parts = _parts(text, r"\d+\. ")
    assert len(parts) == len(values)
    for at, (part, value) in enumerate(zip(parts, values, strict=True), 1):
        head = f"{at}. "
        read = _without_end(_taken_out(part, " " * len(head)), last=at == len(values))
        assert read.removeprefix(head) == value


@FEW
@given(st.dictionaries(st.sampled_from(("name", "trust", "note")), VALUES), st.lists(VALUES, max_size=3))
def test_that_a_maps_fields_are_read_back(values: dict[str, str], entries: list[str]) -> None:
    elements = tuple(FieldEntry(str(at), value) for at, value in enumerate(entries))
    rendered = render(MAP, MapContent({**values, "all": elements}))
    if not rendered.text:
        return
    parts = _parts(rendered.text, r"(?!  )")
    read = [_without_end(_taken_out(part, "  "), last=part is parts[-1]) for part in parts]
    expected: list[str] = []
    for field in MAP.fields:
        name = f"{field.name} [read-only]" if field.read_only else field.name
        if field.name in values:
            expected.append(f"{name}: {values[field.name]}")
        elif field.name == "all" and entries:
            expected += ["all:", *(f"- {value}" for value in entries)]
    assert read == expected


@FEW
@given(st.lists(VALUES, min_size=1, max_size=4), st.booleans())
def test_that_a_logs_entries_are_read_back(values: list[str], dated: bool) -> None:
    stamp, author = ("2026-11-20T09:30:00Z", "Ada\n[2026] (Grace) me") if dated else (None, None)
    entries = tuple(LogEntry(str(at), stamp, author, {"note": value}) for at, value in enumerate(values))
    text = render(DATED_LOG if dated else PLAIN_LOG, LogContent(entries)).text
    parts = _parts(text, r"(?!  )")
    read = [_without_end(_taken_out(part, "  "), last=part is parts[-1]) for part in parts]
    head = f"[{stamp}] ({author}) " if dated else ""
    if not dated:
        read = [re.sub(r"\A\\(?=\\*(?:\s|=== ))", "", each) for each in read]
    assert [each.removeprefix(head) for each in read] == values[::-1]


@FEW
@given(VALUES, VALUES, VALUES)
def test_that_a_trees_nodes_are_read_back(root: str, child: str, after: str) -> None:
    content = TreeContent((TreeNode("a", root, (TreeNode("b", child),)), TreeNode("c", after)))
    parts = _parts(render(TreeSchema(), content).text, r"(?:  )*- ")
    assert len(parts) == 3
    for part, (depth, value) in zip(parts, ((0, root), (1, child), (0, after)), strict=True):
        indent = "  " * depth
        read = _taken_out(part, f"{indent}  ").removeprefix(f"{indent}- ")
        read = _without_end(read, last=part is parts[-1])
        first, *further = _lines(read) or [""]
        assert first + "".join(re.sub(r"\A(\s*)\\(?=\\*-)", r"\1", line) for line in further) == value


@FEW
@given(VALUES, VALUES)
def test_that_a_sections_text_adds_no_section(text: str, entry: str) -> None:
    schema = CompositeSchema((SectionDef("a", TextSchema()), SectionDef("b", PLAIN_LOG)))
    log = LogContent((LogEntry("1", None, None, {"note": entry}),))
    rendered = render(schema, CompositeContent({"a": TextContent(text), "b": log})).text
    parts = _parts(rendered, "=== ")
    assert [part[0] for part in parts] == ["=== a ===\n", "=== b ===\n"]
    read = "".join(re.sub(r"\A\\(?=\\*=== )", "", line) for line in parts[0][1:])
    assert read.removesuffix("\n") == text


@pytest.mark.parametrize("end", ENDS)
def test_that_no_end_of_a_line_makes_a_field(end: str) -> None:
    text = render(MAP, MapContent({"name": f"Eve{end}trust [read-only]: all"})).text
    assert text == f"name: Eve{end}  trust [read-only]: all"
    nested = render(TreeSchema(), TreeContent((TreeNode("a", f"Eve{end}- all"),))).text
    assert nested == f"- Eve{end}  \\- all"
