"""Foreign YAML: what it holds, and what is refused before it is built."""

import itertools

import pytest

from inspector.domain.errors import MalformedError
from inspector.exchange.json_guard import Json
from inspector.exchange.json_limits import JsonCost, JsonLimits
from inspector.exchange.yaml_guard import parse_yaml


def read(text: str, limits: JsonLimits | None = None) -> Json:
    return parse_yaml(text.encode(), limits or JsonLimits(), JsonCost())[0]


def refused(text: str) -> MalformedError:
    with pytest.raises(MalformedError) as caught:
        read(text)
    assert caught.value.parameters["where"]
    assert caught.value.parameters["why"]
    return caught.value


def test_that_words_become_the_values_that_json_has() -> None:
    text = "a: 1\nb: [x, 1.5, null, true, ~, 2020-01-01, '7', 1e3, 0x10, yes]\nc:\n"
    values = ["x", 1.5, None, True, None, "2020-01-01", "7", 1000.0, "0x10", "yes"]
    assert read(text) == {"a": 1, "b": values, "c": None}
    assert read("a: .inf\nb: 99999999999999999999\n") == {"a": ".inf", "b": "99999999999999999999"}
    assert read("---\na: 1\n---\nb: 2\n") == [{"a": 1}, {"b": 2}]


def test_that_binary_is_a_text_in_base_64_and_no_tag_makes_an_object() -> None:
    assert read("a: !!binary |\n  aGVs\n  bG8=\n") == {"a": "aGVsbG8="}
    assert read("a: !!python/object/apply:os.system [ls]\n") == {"a": ["ls"]}


def test_that_an_alias_stands_for_what_it_names() -> None:
    assert read("a: &x {k: 1}\nb: [*x, *x]\n") == {"a": {"k": 1}, "b": [{"k": 1}, {"k": 1}]}
    assert read("a: &x word\n*x : 1\n") == {"a": "word", "word": 1}
    assert refused("a: &x [*x]").code == "import.malformed_yaml"
    assert refused("a: *nothing").code == "import.malformed_yaml"


def test_that_aliases_cost_what_they_unfold_to() -> None:
    names = "abcdefghijkl"
    lines = [f"{one}: &{one} [{', '.join([f'*{before}'] * 9)}]" for before, one in itertools.pairwise(names)]
    assert refused("\n".join(["a: &a [lol]", *lines])).code in ("import.too_heavy", "import.too_many_values")


def test_that_depth_counts_through_aliases() -> None:
    half = "[" * 130 + "]" * 130
    assert read(f"a: &a {half}\n")
    assert refused(f"a: &a {half}\nb: {'[' * 130}*a{']' * 130}\n").code == "import.too_deep"
    assert refused("[" * 300 + "]" * 300).code == "import.too_deep"


def test_that_limits_hold() -> None:
    for limits, code in (
        (JsonLimits(max_values=10), "import.too_many_values"),
        (JsonLimits(max_memory=1000), "import.too_heavy"),
    ):
        with pytest.raises(MalformedError) as caught:
            read("[" + "word, " * 30 + "]", limits)
        assert caught.value.code == code


@pytest.mark.parametrize("text", ["a: b: c", 'a: "\\ud800"', "? [a]\n: b", "a: [1", "{[a]: 1}"])
def test_that_what_is_no_yaml_of_texts_is_refused_with_its_place(text: str) -> None:
    assert refused(text).code == "import.malformed_yaml"


@pytest.mark.parametrize("text", ["a: \x01", "\x89\x12\x89"])
def test_that_what_is_no_text_at_all_is_not_called_yaml(text: str) -> None:
    assert refused(text).code == "import.not_text"


def test_that_a_key_that_stands_twice_is_told() -> None:
    assert parse_yaml(b"a: 1\nb: 2\na: 3\n", JsonLimits(), JsonCost()) == ({"a": 3, "b": 2}, ("3:1",))
