"""The rules that providers' adapters share: names, objects, images, parameters."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.domain.messages import ImagePart
from inspector.domain.wire.images import image_as_it_came, picture
from inspector.domain.wire.naming import NameRule, UniqueNames
from inspector.domain.wire.objects import arguments_of, object_schema
from inspector.domain.wire.values import Adaptations

RULE = NameRule(re.compile(r"[^a-z_0-9]"), 8, first=re.compile(r"[a-z_]"), fallback="x")


@given(st.lists(st.text(alphabet="abé 9_-", max_size=12), unique=True, max_size=30))
def test_that_names_are_legal_told_apart_and_lasting(owns: list[str]) -> None:
    book = UniqueNames(RULE)
    for own in owns:
        book.reserve(own)
    given_names = [book.name(own) for own in owns]
    assert len(set(given_names)) == len(owns)
    assert all(re.fullmatch(r"[a-z_][a-z_0-9]{0,7}", name) for name in given_names)
    assert [book.name(own) for own in owns] == given_names
    for own, name in zip(owns, given_names, strict=True):
        # Who is legal keeps the name, whatever the others are called.
        if re.fullmatch(r"[a-z_][a-z_0-9]{0,7}", own):
            assert name == own
    assert book.renamed == {name: own for own, name in zip(owns, given_names, strict=True) if name != own}


def test_that_a_change_is_told_once() -> None:
    notes = Adaptations()
    for _ in range(3):
        notes.changed("merged", "message:1", role="user")
    notes.lost("merged", "message:2", role="user")
    assert [(each.code, each.where, each.severity.value) for each in notes.problems] == [
        ("wire.merged", "message:1", "info"),
        ("wire.merged", "message:2", "warning"),
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", {}),
        (" \n", {}),
        ('{"a": 1}', {"a": 1}),
        ("[1]", None),
        ("null", None),
        ("{", None),
        ('{"a": NaN}', None),
        ('{"a": 1e999}', None),
        ('{"a": "\\ud800"}', None),
        ('{"\\udfff": 1}', None),
        ("[" * 100_000, None),
        ('{"a":' * 300 + "1" + "}" * 300, None),
    ],
)
def test_that_arguments_are_an_object_that_can_be_sent_or_none(text: str, value: object) -> None:
    assert arguments_of(text) == value


@given(
    st.dictionaries(
        st.sampled_from(["type", "properties", "oneOf", "anyOf", "enum", "required", "not", "$defs"]),
        st.one_of(
            st.none(),
            st.text(max_size=3),
            st.lists(st.integers()),
            st.dictionaries(st.text(max_size=2), st.none()),
        ),
    )
)
def test_that_a_schema_is_an_object_at_the_top(schema: dict[str, object]) -> None:
    before = json.dumps(schema)
    made, changed = object_schema(schema)
    assert made["type"] == "object"
    assert isinstance(made["properties"], dict)
    assert not {"oneOf", "anyOf", "allOf", "not", "enum", "const"} & made.keys()
    assert json.dumps(schema) == before
    again, nothing = object_schema(made)
    assert again == made
    assert nothing == ()
    assert set(schema) - set(made) <= set(changed)


@pytest.mark.parametrize(
    ("data", "address", "media_type"),
    [
        ("aGk=", "", "image/png"),
        ("data:image/gif;base64,aGk=", "", "image/gif"),
        ("data:;base64,aGk=", "", "image/png"),
        ("https://example.org/x.png", "https://example.org/x.png", "image/png"),
        ("gs://bucket/x", "gs://bucket/x", "image/png"),
    ],
)
def test_that_an_image_is_data_or_an_address(data: str, address: str, media_type: str) -> None:
    found = image_as_it_came(ImagePart("image/png", 1, 1, data))
    assert (found.address, found.media_type) == (address, media_type)
    assert found.data == ("" if address else "aGk=")


@pytest.mark.parametrize(
    "data", ["", "not base 64!", "file:///etc/passwd", "https://a b", "javascript:x", "aGk"]
)
def test_that_anything_else_is_no_image(data: str) -> None:
    part = ImagePart("image/png", 1, 1, data)
    assert picture(part) is None
    assert image_as_it_came(part).address == data
