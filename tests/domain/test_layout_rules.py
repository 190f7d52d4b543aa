"""Layouts that cannot be used are refused: what is wrong, where, and what must be there instead."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from inspector.domain.codec import from_plain, to_plain
from inspector.domain.errors import MalformedError
from inspector.domain.layout_rules import BLOCK_SECTIONS, BUILT_IN, FIXED, MESSAGES, RESERVED, check_layout
from inspector.domain.layouts import Layout, SectionLayout, Wrapper

CORE = SectionLayout("core")
OWN = Layout("mine", "", "\n\n", Wrapper.ELEMENT, (CORE,))


def refusal(layout: Layout) -> tuple[str, str]:
    with pytest.raises(MalformedError) as caught:
        check_layout(layout)
    assert caught.value.code == "malformed.layout"
    where, why = caught.value.parameters["where"], caught.value.parameters["why"]
    assert isinstance(where, str)
    assert isinstance(why, str)
    return where, why


def with_sections(*sections: SectionLayout) -> Layout:
    return replace(OWN, sections=sections)


@pytest.mark.parametrize("name", ["", " ", "a\nb", "\x00", "x" * 201, "a\u2028b", "\ud800", "\u202egnp.exe"])
def test_that_a_layout_has_a_name_that_can_be_read(name: str) -> None:
    where, why = refusal(replace(OWN, name=name))
    assert where.endswith(": name")
    assert "one visible line" in why
    where, why = refusal(with_sections(CORE, SectionLayout(name, text="x")))
    assert where == "mine: section 2"
    assert "one visible line" in why


def test_that_a_section_that_is_off_is_stored_only_where_there_is_one_and_keeps_the_rules() -> None:
    assert "off" not in to_plain(OWN)
    own = SectionLayout("rules", text="Never deploy on Fridays.")
    kept = replace(OWN, off=(own, SectionLayout("persona", heading="# You")))
    check_layout(kept)
    assert from_plain(Layout, to_plain(kept)) == kept
    assert refusal(replace(OWN, off=(CORE,))) == ("mine: core", "its name is used twice")
    assert "at most" in refusal(replace(OWN, off=(replace(own, priority=10**10),)))[1]
    assert refusal(replace(kept, sections=()))[1].startswith("it has 0,")
    assert refusal(replace(OWN, off=tuple(replace(own, name=f"{n}") for n in range(200))))[1].startswith(
        "it has 201"
    )


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "a/b", "C:\\x", "</core>", "'; DROP TABLE layouts; --", "漢字"]
)
def test_that_any_other_name_is_only_a_name(name: str) -> None:
    check_layout(replace(OWN, name=name, sections=(CORE, SectionLayout(name, text="x"))))


@pytest.mark.parametrize(
    ("changes", "place", "why"),
    [
        ({"block": "<a>\n</a>"}, "block", "one line {value}"),
        ({"block": "<a>\n{value}\n{value}\n</a>"}, "block", "one line {value}"),
        ({"block": "{value}\n</a>"}, "block", "first or last line"),
        ({"block": "<a>\n{value}"}, "block", "first or last line"),
        ({"block": " <a>\n{value}\n</a>"}, "block", "visible character"),
        ({"block": "<a>\n{value}\n</a>\n"}, "block", "visible character"),
        ({"block": "x" * 2001 + "\n{value}\nx"}, "block", "limit 2,000"),
        ({"line": "{number} {line}"}, "line", "goes with a template"),
        ({"block": "<a>\n{value}\n</a>", "line": "{number}"}, "line", "{line} in it"),
        ({"gap": ""}, "gap", "newlines only"),
        ({"gap": "\n-\n"}, "gap", "newlines only"),
    ],
)
def test_that_a_template_that_counts_would_not_add_up_by_is_refused(
    changes: dict[str, str], place: str, why: str
) -> None:
    where, reason = refusal(replace(OWN, **changes))  # type: ignore[arg-type]
    assert where == f"mine: {place}"
    assert why in reason


@pytest.mark.parametrize(
    ("join", "why"),
    [
        ("", "start and end with a newline"),
        ("---", "start and end with a newline"),
        ("\n---", "start and end with a newline"),
        ("\n /x\n", "can't start with white space or a slash"),
        ("\n/\n", "can't start with white space or a slash"),
        ("\n" + "-" * 2000 + "\n", "limit 2,000"),
        ("\n\udfff\n", "half a character"),
    ],
)
def test_that_a_join_parts_what_it_stands_between(join: str, why: str) -> None:
    where, told = refusal(replace(OWN, join=join))
    assert where == "mine: join"
    assert why in told


def test_that_there_are_some_sections_and_not_too_many() -> None:
    assert refusal(with_sections()) == ("mine: sections", "it has 0, allowed are 1 to 200")
    many = [SectionLayout(f"s{number}", text="x") for number in range(201)]
    assert refusal(with_sections(*many)) == ("mine: sections", "it has 201, allowed are 1 to 200")
    check_layout(with_sections(*many[:200]))


def test_that_a_strategy_that_is_not_known_is_refused_with_those_that_are() -> None:
    where, why = refusal(replace(OWN, strategy="guess"))
    assert where == "mine: strategy"
    assert "'guess'" in why
    assert "hysteresis" in why


@pytest.mark.parametrize(
    ("sections", "where", "why"),
    [
        ((CORE, CORE), "core", "used twice"),
        *(((CORE, SectionLayout(name)), name, "remove it") for name in FIXED),
        (
            (SectionLayout("persona"), CORE, SectionLayout("instructions")),
            "persona",
            "persona must stand next to instructions, move core below them",
        ),
        (
            (SectionLayout("instructions"), SectionLayout(""), SectionLayout("persona")),
            "section 2",
            "one visible line",
        ),
        (
            (SectionLayout("persona"), SectionLayout(""), SectionLayout("instructions")),
            "persona",
            "move the new section below them",
        ),
        (
            (SectionLayout("persona"), CORE, CORE, SectionLayout("instructions")),
            "persona",
            "move the 2 sections between below them",
        ),
        (
            (CORE, SectionLayout("memory")),
            "memory",
            "needs a text or block labels (built in are persona",
        ),
        ((CORE, SectionLayout("mine", text=" \n ")), "mine", "needs a text or block labels"),
        ((CORE, SectionLayout("mine", text="x", blocks=("a",))), "mine", "not both"),
        ((CORE, SectionLayout("mine", blocks=("a", ""))), "mine", "can't be empty"),
        ((SectionLayout("a", blocks=("x",)), SectionLayout("b", blocks=("x",))), "b", "is already in 'a'"),
        ((SectionLayout("a", blocks=("x", "x")),), "a", "is already in 'a'"),
        ((SectionLayout("a", text="x" * 1_000_001),), "a", "limit 1,000,000"),
    ],
)
def test_that_sections_that_clash_or_hold_nothing_are_refused(
    sections: tuple[SectionLayout, ...], where: str, why: str
) -> None:
    found, told = refusal(with_sections(*sections))
    assert found == f"mine: {where}"
    assert why in told


@pytest.mark.parametrize("name", sorted(RESERVED - set(FIXED)))
def test_that_a_built_in_section_has_no_other_content(name: str) -> None:
    entries = [SectionLayout(name, text="x")]
    if name not in BLOCK_SECTIONS:
        entries.append(SectionLayout(name, blocks=("a",)))
    for entry in entries:
        where, why = refusal(with_sections(entry))
        assert where == f"mine: {name}"
        assert "choose another name" in why


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"minimum": -1}, "its minimum must be 0 or more"),
        ({"maximum": -5}, "its maximum must be 0 or more"),
        ({"minimum": 5, "maximum": 4}, "its minimum can't be larger than its maximum"),
        ({"maximum": -1}, "its maximum must be 0 or more"),
        ({"minimum": 10**12}, "at most 1,000,000,000"),
        ({"maximum": 10**12}, "at most 1,000,000,000"),
        ({"priority": -(10**12)}, "at most 1,000,000,000"),
        ({"share": 0.0}, "larger than 0"),
        ({"share": -1.0}, "larger than 0"),
        ({"share": math.inf}, "larger than 0"),
        ({"share": math.nan}, "larger than 0"),
        ({"heading": " x"}, "must start with a visible character"),
        ({"heading": "/x"}, "must start with a visible character"),
        ({"heading": "x\n"}, "end without a newline"),
        ({"group": "\tx"}, "must start with a visible character"),
        ({"heading": "x" * 2001}, "limit 2,000"),
        ({"heading": "x\ud800"}, "half a character"),
        ({"element": "a b"}, "can't be an element"),
        ({"element": "block"}, "can't be an element"),
        ({"element": "xml"}, "can't be an element"),
        ({"element": "a:b"}, "can't be an element"),
        ({"element": "a>"}, "can't be an element"),
        ({"element": "</core>"}, "can't be an element"),
        ({"element": "e" * 201}, "can't be an element"),
    ],
)
def test_that_bounds_and_dress_that_cannot_hold_are_refused(changes: dict[str, object], why: str) -> None:
    where, told = refusal(with_sections(replace(CORE, **changes)))  # type: ignore[arg-type]
    assert where == "mine: core"
    assert why in told


@pytest.mark.parametrize(
    ("plain", "where"),
    [
        ([], "$"),
        ({}, "$"),
        ({"name": 1}, "$.name"),
        ({"name": None}, "$.name"),
        ({"colour": 1}, "$"),
        ({"wrapper": "paper"}, "$.wrapper"),
        ({"wrapper": ["element"]}, "$.wrapper"),
        ({"memory": 5}, "$.memory"),
        ({"sections": {}}, "$.sections"),
        ({"sections": [[]]}, "$.sections[0]"),
        ({"sections": [{}]}, "$.sections[0]"),
        ({"sections": [{"name": "core"}, {"name": "log", "minimum": "1"}]}, "$.sections[1].minimum"),
        ({"sections": [{"name": "core", "minimum": True}]}, "$.sections[0].minimum"),
        ({"sections": [{"name": "core", "minimum": 1.5}]}, "$.sections[0].minimum"),
        ({"sections": [{"name": "core", "minimum": 10**30}]}, "$.sections[0].minimum"),
        ({"sections": [{"name": "core", "share": "1"}]}, "$.sections[0].share"),
        ({"sections": [{"name": "core", "grow": 1}]}, "$.sections[0].grow"),
        ({"sections": [{"name": "core", "blocks": "persona"}]}, "$.sections[0].blocks"),
        ({"sections": [{"name": "core", "blocks": [{}]}]}, "$.sections[0].blocks[0]"),
        ({"sections": [{"name": "core", "color": 1}]}, "$.sections[0]"),
    ],
)
def test_that_a_file_of_another_shape_is_refused_with_the_place_in_it(plain: object, where: str) -> None:
    usual = {
        "name": "mine",
        "description": "",
        "join": "\n\n",
        "wrapper": "element",
        "sections": [{"name": "core"}],
    }
    given = {**usual, **plain} if isinstance(plain, dict) and plain else plain
    with pytest.raises(MalformedError) as caught:
        from_plain(Layout, given)
    assert caught.value.parameters["where"] == where
    assert caught.value.parameters["why"]


def test_that_all_built_in_sections_together_are_a_layout() -> None:
    check_layout(with_sections(*(SectionLayout(name) for name in (*BUILT_IN, MESSAGES))))
