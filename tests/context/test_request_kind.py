import json

import pytest

from inspector.context.request_kind import kinds_of_parts, request_kind
from inspector.domain.counts import Method, RequestKind
from inspector.domain.requests import Mark, Piece, Section, Source, SourceKind, TextRun
from inspector.domain.rules import InRule


def piece(rule: InRule = InRule.HISTORY_RECENT, kind: str = "text", text: str = "hi") -> Piece:
    run = TextRun(text, False, 3, Method.ESTIMATE)
    return Piece("p", "messages", Source(SourceKind.MESSAGE), rule, (run,), (Mark(kind, "0", 0, 2),))


def kind_of(
    *pieces: Piece, body: object = None, section: str = "messages", thinking: object = None
) -> RequestKind:
    parameters = json.dumps({"thinking": thinking, "extra_body": {"openai": body or {}}})
    sections = (Section(section, section, pieces),)
    return request_kind(sections, kinds_of_parts(pieces), parameters)


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        ("text", RequestKind.TEXT),
        ("thinking", RequestKind.THINKING),
        ("tool_result", RequestKind.TOOLS),
        ("document", RequestKind.MEDIA),
        ("provider_part", RequestKind.OPEN),
    ],
)
def test_that_a_part_makes_the_kind(part: str, kind: RequestKind) -> None:
    assert kind_of(piece(kind=part)) is kind


def test_that_an_image_of_unknown_size_leaves_the_figure_open() -> None:
    assert kind_of(piece(kind="image", text="=== image image/png 640x480 ===\n")) is RequestKind.MEDIA
    assert kind_of(piece(kind="image", text="=== image image/png 0x0 ===\n")) is RequestKind.OPEN


@pytest.mark.parametrize(
    "body", [{"previous_response_id": "r"}, {"tools": []}, {"web_search_options": {"x": 1}}]
)
def test_that_what_only_the_provider_has_leaves_the_figure_open(body: object) -> None:
    assert kind_of(piece(), body=body) is RequestKind.OPEN
    assert kind_of(piece(InRule.PROVIDER_TOOL), section="tools") is RequestKind.OPEN


def test_that_tools_and_schemas_count_by_their_own_pieces() -> None:
    assert kind_of(piece(InRule.TOOL), section="tools") is RequestKind.TOOLS
    assert kind_of(piece(InRule.OUTPUT_SCHEMA), section="reply") is RequestKind.SCHEMA
    assert kind_of(piece(), thinking={"type": "adaptive"}) is RequestKind.THINKING


def test_that_only_exact_sections_make_an_exact_figure() -> None:
    exact = Piece(
        "p", "reply", Source(SourceKind.LITERAL), InRule.REPLY, (TextRun("x", False, 3, Method.EXACT),)
    )
    assert kind_of(exact) is RequestKind.EXACT
    assert kind_of(exact, piece()) is RequestKind.TEXT
