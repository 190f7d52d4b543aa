"""Real error bodies are of the kind they are, and messages about something else are of none."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.replies import FailureKind
from inspector.providers.failures import classify

CORPUS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("error_bodies.json").read_text("utf-8"))
SUBJECTS = (
    *(
        "The prompt",
        "Your input",
        "A tool result",
        "This message",
        "The thinking block",
        "The context window",
    ),
    *("A function call", "The API key field", "The rate of requests", "The quota of points"),
)
SAYINGS = (
    *(
        "is shown in the panel.",
        "was written by an agent.",
        "has 12 tokens.",
        "may be too long to read aloud.",
    ),
    *("is described in the manual.", "stands before the reply.", "must be a string.", "isn't needed here."),
    *("was left empty by the user.", "exceeds expectations by 300 points."),
)
UNRELATED = [f"{subject} {saying}" for subject, saying in product(SUBJECTS, SAYINGS)]


def answer_of(row: dict[str, Any]) -> Any:
    body = row["body"]
    if row["status"] is None:
        return body
    return body.encode() if isinstance(body, str) else json.dumps(body).encode()


def test_that_real_errors_are_classified() -> None:
    assert len(CORPUS) >= 60
    wrong = []
    for row in CORPUS:
        found = classify(row["status"], answer_of(row), row.get("headers"))
        got = (found.kind.value, found.retry_after, found.overflow)
        overflow = tuple(row["overflow"]) if "overflow" in row else None
        if got != (row["kind"], row.get("retry_after"), overflow):
            wrong.append((got, row))
    assert wrong == []


@pytest.mark.parametrize(
    ("status", "kind"), [(None, FailureKind.UNKNOWN), (400, FailureKind.INVALID_REQUEST)]
)
def test_that_messages_about_something_else_are_no_such_error(status: int | None, kind: FailureKind) -> None:
    said = [{"error": {"message": text}} for text in UNRELATED] + [{"message": text} for text in UNRELATED]
    assert len(said) == 200
    answers = said if status is None else [json.dumps(each).encode() for each in said]
    assert {classify(status, each).kind for each in answers} == {kind}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "Tue, 24 Nov 2026 00:00:30 GMT", "date": "Tue, 24 Nov 2026 00:00:00 GMT"}, 30),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "999999999"}, 86_400),
        ({"retry-after": "-5"}, None),
    ],
)
def test_that_the_wait_is_the_servers(headers: dict[str, str], seconds: float | None) -> None:
    assert classify(429, b"{}", headers).retry_after == seconds


@pytest.mark.parametrize("body", [b"", b"[]", b"[1]", b"\xff\xfe", b"null", b"[" * 9_999, b'{"error": []}'])
def test_that_no_answer_is_too_odd(body: bytes) -> None:
    assert classify(418, body).kind is FailureKind.INVALID_REQUEST
