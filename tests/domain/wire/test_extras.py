import json

import pytest

from inspector.domain.wire.extras import (
    asks_to_think,
    has_unknown_fields,
    must_call_tool,
    output_schema,
    recorded_form,
    system_messages,
)


def parameters(form: str, **body: object) -> str:
    return json.dumps({"extra_body": {form: body}})


@pytest.mark.parametrize(
    ("body", "unknown"),
    [
        ({"stream": True, "n": 1, "reasoning": {"effort": "high"}}, False),
        ({"tools": None}, False),
        ({"tools": []}, True),
        ({"web_search_options": {}}, True),
        ({"previous_response_id": "resp_1"}, True),
        ({"something_new": 1}, True),
    ],
)
def test_that_a_field_that_may_be_charged_is_unknown(body: dict[str, object], unknown: bool) -> None:
    assert has_unknown_fields(parameters("openai-responses", **body)) is unknown


def test_that_an_agent_from_elsewhere_has_no_form_and_no_unknown_fields() -> None:
    assert (recorded_form("{}"), has_unknown_fields("{}")) == ("", False)
    assert recorded_form(parameters("openai")) == "openai"


@pytest.mark.parametrize("kind", ["text", "json_object"])
def test_that_a_format_without_a_schema_is_none(kind: str) -> None:
    assert output_schema(parameters("openai", response_format={"type": kind})) is None
    assert output_schema(parameters("openai-responses", text={"format": {"type": kind}})) is None


def test_that_thinking_is_asked_for_by_the_agent_or_by_the_body_it_came_with() -> None:
    wish = {"type": "enabled", "budget_tokens": 9}
    assert asks_to_think(json.dumps({"thinking": wish}))
    assert asks_to_think(parameters("openai", thinking=wish))
    assert not asks_to_think(parameters("openai", thinking={"type": "adaptive"}))
    assert asks_to_think(parameters("openai", thinking={"type": "adaptive"}), ("adaptive",))


def test_that_system_texts_are_as_many_messages_as_they_came_in_while_none_was_added_or_removed() -> None:
    texts = [{"fields": {}, "blocks": None}, {"fields": {}, "blocks": [{}, {}]}]
    stored = json.dumps({"as_recorded": {"openai": {"system": texts}}})
    assert [system_messages(stored, count) for count in (2, 3, 4)] == [1, 2, 1]
    for other in (
        "{}",
        "[]",
        '{"as_recorded": {"openai": []}}',
        '{"as_recorded": {"openai": {"system": [3]}}}',
    ):
        assert system_messages(other, 1) == 1


def test_that_fields_of_other_types_are_read_without_a_fault() -> None:
    """A schema may have several types; anything may stand where a name is expected."""
    schema = {"type": ["object", "null"], "properties": {}}
    wanted = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    assert output_schema(parameters("openai", response_format=wanted)) == schema
    odds: tuple[object, ...] = ([], {}, ["any"], 5)
    for odd in odds:
        assert output_schema(parameters("openai", response_format={"type": odd})) is None
        assert not must_call_tool(parameters("openai", tool_choice={"type": odd}))
