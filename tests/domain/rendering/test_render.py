"""Contents as the model reads them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.domain.blocks import (
    OBSERVATION_LOG,
    PARTNER_PROFILE,
    TASK_LIST,
    CompositeSchema,
    EntrySchema,
    FieldDef,
    FieldType,
    ListSchema,
    LogSchema,
    MapSchema,
    Schema,
    SectionDef,
    TextSchema,
    TreeSchema,
    Viewport,
)
from inspector.domain.content import (
    CompositeContent,
    Content,
    FieldEntry,
    ListContent,
    ListItem,
    LogContent,
    LogEntry,
    MapContent,
    TextContent,
    TreeContent,
    TreeNode,
    line_end,
    text_lines,
)
from inspector.domain.errors import MalformedError
from inspector.domain.rendering.render import limit_length, render

PROFILE = MapSchema(
    (
        FieldDef("name", required=True),
        FieldDef("current_focus"),
        FieldDef("preferences", FieldType.LIST),
        FieldDef("energy_level", FieldType.COUNTER, read_only=True),
        FieldDef("met", FieldType.BOOLEAN),
    )
)
PROFILE_CONTENT = MapContent(
    {
        "energy_level": 3,
        "name": "Noor",
        "preferences": (FieldEntry("p1", "short answers, links to the run"), FieldEntry("p2", 2.0)),
        "current_focus": "cutting 4.2 before the freeze",
        "met": True,
    }
)
TASKS = ListContent(
    (
        ListItem("t1", {"title": "changelog frozen", "done": True}),
        ListItem("t2", {"title": "sign", "done": False, "priority": 1, "due": "2026-11-23 12:00"}),
        ListItem("t3", {"title": "🙂"}),
    )
)
SEEN = LogContent(
    (
        LogEntry("e1", "2026-11-20T09:30:00.000000Z", "Ada", {"observation": "rain"}),
        LogEntry("e2", "2026-11-20T09:31:00.250000Z", "Grace", {"observation": "sun", "context": "walk"}),
    )
)
OUTLINE = TreeContent(
    (
        TreeNode(
            "a", "release", (TreeNode("b", "two\nlines", (TreeNode("c", "leaf"),)), TreeNode("d", "next"))
        ),
        TreeNode("e", "after"),
    )
)
SECTIONS = CompositeSchema(
    (
        SectionDef("notes", TextSchema(Viewport(2, 1))),
        SectionDef("empty", TextSchema()),
        SectionDef("tasks", TASK_LIST, read_only=True),
    )
)
SECTIONS_CONTENT = CompositeContent(
    {"tasks": TASKS, "notes": TextContent("one\ntwo\nthree"), "empty": TextContent("")}
)
ALL: list[tuple[Schema, Content, str]] = [
    (TextSchema(), TextContent("as it is\r\n\n"), "as it is\r\n\n"),
    (
        PROFILE,
        PROFILE_CONTENT,
        "name: Noor\ncurrent_focus: cutting 4.2 before the freeze\n"
        "preferences:\n- short answers, links to the run\n- 2\n"
        "energy_level [read-only]: 3\nmet: true",
    ),
    (
        TASK_LIST,
        TASKS,
        "1. [x] changelog frozen\n2. [ ] sign (priority: 1, due: 2026-11-23 12:00)\n3. [ ] 🙂",
    ),
    (ListSchema(), ListContent((ListItem("a", "one"), ListItem("b", "two"))), "1. one\n2. two"),
    (
        OBSERVATION_LOG,
        SEEN,
        "[2026-11-20T09:31:00Z] (Grace) sun (context: walk)\n[2026-11-20T09:30:00Z] (Ada) rain",
    ),
    (TreeSchema(), OUTLINE, "- release\n  - two\n    lines\n    - leaf\n  - next\n- after"),
    (
        SECTIONS,
        SECTIONS_CONTENT,
        "=== notes ===\n[Showing lines 2-2 of 3]\ntwo\n=== tasks ===\n1. [x] changelog frozen\n"
        "2. [ ] sign (priority: 1, due: 2026-11-23 12:00)\n3. [ ] 🙂",
    ),
]


@pytest.mark.parametrize(("schema", "content", "text"), ALL)
def test_that_each_schema_has_its_form(schema: Schema, content: Content, text: str) -> None:
    assert render(schema, content).text == text


def test_that_marks_name_the_parts_and_hold_them() -> None:
    expected: dict[Schema, dict[tuple[str, str], str]] = {
        PROFILE: {
            ("field", "name"): "name: Noor",
            ("field", "preferences"): "preferences:\n- short answers, links to the run\n- 2",
            ("item", "p2"): "- 2",
            ("field", "energy_level"): "energy_level [read-only]: 3",
        },
        TASK_LIST: {("item", "t1"): "1. [x] changelog frozen", ("item", "t3"): "3. [ ] 🙂"},
        OBSERVATION_LOG: {("entry", "e1"): "[2026-11-20T09:30:00Z] (Ada) rain"},
        TreeSchema(): {("node", "b"): "  - two\n    lines", ("node", "e"): "- after"},
        SECTIONS: {
            ("section", "notes"): "=== notes ===\n[Showing lines 2-2 of 3]\ntwo",
            ("item", "t1"): "1. [x] changelog frozen",
        },
    }
    contents = {schema: content for schema, content, _ in ALL}
    for schema, parts in expected.items():
        rendered = render(schema, contents[schema])
        found = {(mark.kind, mark.name): rendered.text[mark.start : mark.end] for mark in rendered.marks}
        assert parts.items() <= found.items()
        assert ("section", "empty") not in found


@pytest.mark.parametrize(
    ("schema", "content"),
    [
        (TextSchema(), TextContent()),
        (TextSchema(Viewport(3, 4)), TextContent()),
        (PARTNER_PROFILE, MapContent()),
        (PARTNER_PROFILE, MapContent({"name": "", "preferences": (), "current_focus": None})),
        (TASK_LIST, ListContent()),
        (OBSERVATION_LOG, LogContent()),
        (LogSchema(0), SEEN),
        (TreeSchema(), TreeContent()),
        (SECTIONS, CompositeContent()),
        (SECTIONS, CompositeContent({"notes": TextContent(), "tasks": ListContent()})),
    ],
)
def test_that_empty_content_renders_to_nothing(schema: Schema, content: Content) -> None:
    rendered = render(schema, content)
    assert (rendered.text, rendered.marks) == ("", ())
    assert limit_length(schema, content) == 0


@pytest.mark.parametrize(
    ("viewport", "text"),
    [
        (Viewport(1, 2), "[Showing lines 1-2 of 4]\none\ntwo"),
        (Viewport(2, 2), "[Showing lines 2-3 of 4]\ntwo\r\nthree"),
        (Viewport(3, 9), "[Showing lines 3-4 of 4]\nthree\nfour"),
        (Viewport(1, 40), "[Showing lines 1-4 of 4]\none\ntwo\r\nthree\nfour"),
        (Viewport(9, 2), "[Showing lines 3-4 of 4]\nthree\nfour"),
        (Viewport(0, 0), "[Showing lines 1-1 of 4]\none"),
    ],
)
def test_that_a_viewport_tells_where_it_stands(viewport: Viewport, text: str) -> None:
    assert render(TextSchema(viewport), TextContent("one\ntwo\r\nthree\nfour")).text == text


def test_that_zero_and_no_are_shown_and_nothing_is_not() -> None:
    schema = MapSchema(
        (
            FieldDef("n", FieldType.NUMBER),
            FieldDef("b", FieldType.BOOLEAN),
            FieldDef("t"),
            FieldDef("f", FieldType.NUMBER),
        )
    )
    content = MapContent({"n": 0, "b": False, "t": None, "f": 2.5, "unknown": "x"})
    assert render(schema, content).text == "n: 0\nb: false\nf: 2.5"


def test_that_an_object_without_a_title_shows_its_other_fields() -> None:
    schema = ListSchema((FieldDef("n", FieldType.NUMBER), FieldDef("tags", FieldType.LIST)))
    content = ListContent((ListItem("i", {"n": 1, "tags": (FieldEntry("a", "x"), FieldEntry("b", "y"))}),))
    assert render(schema, content).text == "1. (n: 1, tags: x; y)"


def test_that_a_log_shows_the_newest_and_the_limit_counts_only_those() -> None:
    schema = LogSchema(1, EntrySchema(False, False, (FieldDef("what"),)))
    content = LogContent(tuple(LogEntry(str(each), None, None, {"what": f"w{each}"}) for each in range(5)))
    assert render(schema, content).text == "w4"
    assert limit_length(schema, content) == 2


def test_that_a_text_counts_whole_whatever_its_viewport_shows() -> None:
    assert limit_length(TextSchema(Viewport(1, 1)), TextContent("one\n漢🙂")) == 6
    whole = CompositeSchema((SectionDef("notes", TextSchema()), *SECTIONS.sections[1:]))
    assert limit_length(SECTIONS, SECTIONS_CONTENT) == len(render(whole, SECTIONS_CONTENT).text)


@pytest.mark.parametrize(
    ("schema", "content"),
    [(TextSchema(), ListContent()), (SECTIONS, TextContent()), (TASK_LIST, CompositeContent())],
)
def test_that_content_of_another_kind_is_refused(schema: Schema, content: Content) -> None:
    with pytest.raises(MalformedError):
        render(schema, content)


def test_that_a_deep_outline_is_rendered() -> None:
    node = TreeNode("0", "leaf")
    for depth in range(1, 5000):
        node = TreeNode(str(depth), "x", (node,))
    assert render(TreeSchema(), TreeContent((node,))).text.endswith("  - leaf")


@settings(deadline=None)
@given(st.text("a\r\n\u2028🙂", max_size=30))
def test_that_lines_put_together_are_the_text(text: str) -> None:
    lines = text_lines(text)
    assert "".join(lines) == text
    assert all(line_end(line) for line in lines[:-1])
    assert all("\n" not in line.removesuffix(line_end(line)) for line in lines)


@settings(deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=8), max_size=6))
def test_that_marks_lie_inside_the_text_in_order(texts: list[str]) -> None:
    content = CompositeContent(
        {"l": ListContent(tuple(ListItem(str(at), each) for at, each in enumerate(texts)))}
    )
    rendered = render(CompositeSchema((SectionDef("l", ListSchema()),)), content)
    spans = [(mark.start, mark.end) for mark in rendered.marks]
    assert spans == sorted(spans, key=lambda span: (span[0], -span[1]))
    items = {
        mark.name: rendered.text[mark.start : mark.end] for mark in rendered.marks if mark.kind == "item"
    }
    assert items == {str(at): f"{at + 1}. {each}" for at, each in enumerate(texts)}


def test_that_the_length_of_a_long_content_is_that_of_its_schema_whatever_was_rendered_before() -> None:
    schemas = [LogSchema(display_limit=limit) for limit in (300, 250)]
    contents = [
        LogContent(tuple(LogEntry(f"e{at}", None, None, {"text": "x" * each}) for at in range(400)))
        for each in range(1, 7)
    ]
    for schema in schemas:
        for content in contents:
            for each in (schema, *schemas):
                assert limit_length(each, content) == len(render(replace(each), content).text)
    assert len({limit_length(each, contents[0]) for each in schemas}) == len(schemas)
