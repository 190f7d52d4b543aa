from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.domain.errors import MalformedError
from inspector.exchange.field_reader import ImportLog
from inspector.exchange.json_guard import parse_json
from inspector.exchange.rows.row_json import RowReader, embed, plain_row
from inspector.storage.table_catalogue import AGENTS, CHECKPOINTS, TOOL_RULES, TableRows

TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
RULE: dict[str, Any] = {"id": "rul_1", "agent_id": "agt_1", "tool": "t", "kind": "exit", "is_deleted": 0}


def there_and_back(table: TableRows, row: dict[str, Any]) -> tuple[dict[str, Any], ImportLog]:
    notes = ImportLog()
    file = parse_json(json.dumps(plain_row(table, row)).encode()).value
    return RowReader(notes).row(table, file, "it"), notes


@given(VALUES, st.sampled_from([(",", ":"), (", ", ": "), (",", ": ")]), st.booleans())
def test_that_json_comes_back_letter_for_letter(
    value: Any, separators: tuple[str, str], ascii_: bool
) -> None:
    text = json.dumps(value, separators=separators, ensure_ascii=ascii_)
    row, notes = there_and_back(TOOL_RULES, {**RULE, "detail": text})
    assert row["detail"] == text
    assert not notes.problems


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "null",
            "no JSON",
            "{",
            '{"a": 1}',
            '{"a":1,"a":2}',
            "[1e400]",
            "[NaN]",
            "1" * 30,
            "-0.0",
            "1E5",
        ),
        *('"\\ud800"', '"\\u00e9"', "[" * 300 + "]" * 300, "[" * 240 + "]" * 240, "9223372036854775808"),
    ],
)
def test_that_a_text_that_json_would_change_stands_as_text(text: str) -> None:
    row, _ = there_and_back(TOOL_RULES, {**RULE, "detail": text})
    assert row["detail"] == text


@pytest.mark.parametrize("text", ['{"a":1}', "[]", '{"深":["é",1.5,true,null]}', "9223372036854775807"])
def test_that_ordinary_json_stands_as_json(text: str) -> None:
    assert embed(text) == (True, json.loads(text))


def test_that_bytes_and_numbers_come_back() -> None:
    row: dict[str, Any] = {
        "block_id": "blk_1",
        "upto_seq": -(1 << 63),
        "version": "",
        "content_hash": "x",
        "at": "2026-11-20T12:00:00.000000Z",
        "size": (1 << 63) - 1,
        "snapshot": bytes(range(256)),
    }
    assert there_and_back(CHECKPOINTS, row)[0] == row


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"id": None}, "it.id"),
        ({"id": 5}, "it.id"),
        ({"is_deleted": 1}, "it.is_deleted"),
        ({"detail": ...}, "it.detail"),
        ({"detail_text": 7}, "it.detail_text"),
    ],
)
def test_that_a_cell_of_another_form_is_refused_with_its_place(change: dict[str, Any], where: str) -> None:
    plain = {**plain_row(TOOL_RULES, {**RULE, "detail": "{}"}), **change}
    with pytest.raises(MalformedError) as caught:
        RowReader(ImportLog()).row(TOOL_RULES, {k: v for k, v in plain.items() if v is not ...}, "it")
    assert caught.value.parameters["where"] == where


def test_that_an_unknown_field_is_told_and_a_missing_metadata_is_empty() -> None:
    row: dict[str, Any] = {
        "id": "a",
        "name": "A",
        "persona": "",
        "instructions": "[]",
        "provider": "",
        "model": "",
        "parameters": "{}",
        "config": "{}",
        "tools": "[]",
        "status": "active",
        "metadata": "{}",
        "created_at": "2026-11-20T12:00:00.000000Z",
        "updated_at": "2026-11-20T12:00:00.000000Z",
    }
    plain = {**plain_row(AGENTS, row), "mood": "good", "created_at": "2026-11-20T13:00:00+01:00"}
    del plain["metadata"]
    notes = ImportLog()
    assert RowReader(notes).row(AGENTS, plain, "agents[0]") == row
    assert [(each.code, each.where) for each in notes.problems] == [("import.unknown_field", "agents[].mood")]
