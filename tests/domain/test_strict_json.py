"""What a person wrote as JSON is read as JSON has it, or refused with what is wrong and where."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.domain.errors import MalformedError
from inspector.domain.strict_json import read_strictly
from inspector.runtime.wording import catalogue, word_error


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("", "value_missing", 1, 1),
        ('{\n "a": }', "value_missing", 2, 7),
        ("{a: 1}", "key_missing", 1, 2),
        ('{"a" 1}', "colon_missing", 1, 6),
        ('{"a": 1 "b": 2}', "comma_missing", 1, 9),
        ('["a', "text_not_closed", 1, 2),
        ('["a\nb"]', "control_character", 1, 4),
        ('["\\q"]', "escape", 1, 3),
        ('["\\u12"]', "escape", 1, 4),
        ("1\n2", "text_behind", 2, 1),
        ("[1,\n -Infinity]", "unfit_number", 2, 2),
        ('{"a": 1e999}', "unfit_number", 1, 7),
        ("[\n NaNx]", "unfit_number", 2, 2),
        ("[" + "1" * 5_000 + "]", "unfit_number", 1, 2),
        ("[" * 100_000, "too_deep", 1, 1),
        ('{"a": {"b": 1},\n "a": 2}', "key_twice", 2, 2),
        ('["\\ud83d\\ude00", "\\ud800"]', "half_character", 1, 18),
    ],
)
def test_that_what_is_no_json_is_refused_with_its_place(text: str, code: str, line: int, column: int) -> None:
    with pytest.raises(MalformedError) as caught:
        read_strictly(text)
    error = caught.value
    assert (error.code, error.parameters["line"], error.parameters["column"]) == (
        f"json.{code}",
        line,
        column,
    )
    assert error.code in catalogue()
    assert word_error(error).endswith(f"(line {line}, column {column}).")


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ),
    st.sampled_from([None, 2]),
    st.booleans(),
)
def test_that_json_is_read_as_it_was_written(value: object, indent: int | None, is_ascii: bool) -> None:
    assert read_strictly(json.dumps(value, indent=indent, ensure_ascii=is_ascii)) == value


@given(st.text(alphabet='{}[]:,"\\u0d81eE+-.nulrtfasNI \n'))
def test_that_any_text_is_read_or_refused_with_a_sentence(text: str) -> None:
    assert _refused(text) in {None, *catalogue()}


def _refused(text: str) -> str | None:
    try:
        read_strictly(text)
    except MalformedError as error:
        return error.code
    return None
