"""Numbers that a file goes on counting from must leave it room."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from inspector.domain.errors import MalformedError
from inspector.exchange.constellation.json_file import read_rows
from inspector.exchange.field_reader import ImportLog
from inspector.storage.row_validation import LARGEST_NUMBER

ACTOR = {"actor_kind": "human", "actor_id": "a", "actor_name": "Ada"}
AT = "2026-01-01T00:00:00Z"


def value() -> dict[str, Any]:
    change = {
        "seq": 1,
        "kind": "set_meta",
        "ref_kind": "constellation",
        "ref_id": "",
        **ACTOR,
        "reason": "",
        "at": AT,
        "process": 1,
    }
    process = {"id": 1, "peer": "1", **ACTOR, "program": "tests", "started_at": AT}
    return {
        "format": "context-inspector-constellation",
        "version": "1.0",
        "history": True,
        "processes": [process],
        "changes": [change],
    }


def with_change(number: int) -> dict[str, Any]:
    plain = value()
    plain["changes"][0]["seq"] = number
    return plain


def with_process(number: int) -> dict[str, Any]:
    plain = value()
    plain["processes"][0]["id"] = plain["changes"][0]["process"] = number
    return plain


@pytest.mark.parametrize("make", [with_change, with_process])
@pytest.mark.parametrize("number", [2**63 - 1, LARGEST_NUMBER + 1])
def test_that_a_number_from_which_nothing_follows_is_refused(
    make: Callable[[int], dict[str, Any]], number: int
) -> None:
    with pytest.raises(MalformedError) as caught:
        read_rows(make(number), ImportLog())
    assert caught.value.code == "import.number_out_of_range"
    assert caught.value.parameters["number"] == number


@pytest.mark.parametrize("make", [with_change, with_process])
def test_that_the_largest_number_is_read(make: Callable[[int], dict[str, Any]]) -> None:
    notes = ImportLog()
    rows = read_rows(json.loads(json.dumps(make(LARGEST_NUMBER))), notes)
    assert len(rows.of("changes")) == len(rows.of("processes")) == 1
    assert not notes.problems
