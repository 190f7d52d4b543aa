"""What the things of a Request are called."""

from dataclasses import replace

from inspector.domain.counts import Method
from inspector.domain.requests import Piece, Source, SourceKind, TextRun
from inspector.ui.presentation.names import name_of, name_of_layout, name_of_source
from tests.ui.values import ADA, agent


def piece(kind: SourceKind, label: str, *runs: tuple[bool, str]) -> Piece:
    made = tuple(TextRun(text, sent, 1, Method.EXACT) for sent, text in runs)
    return Piece(f"{kind}:x", "messages", Source(kind, "x", label), "rule", made)


def test_that_a_message_is_called_by_its_role_and_first_words() -> None:
    runs = ((False, "=== user ===\n"), (True, "Tag rc.3,\nplease."), (False, "\n"))
    assert name_of(piece(SourceKind.MESSAGE, "user", *runs)) == "user: Tag rc.3, please."


def test_that_a_message_that_only_calls_a_tool_names_the_tool() -> None:
    runs = ((False, "=== assistant ===\n"), (False, "=== call run_ci call_a1 ===\n"), (True, '{"ref":"x"}'))
    assert name_of(piece(SourceKind.MESSAGE, "assistant", *runs)) == 'assistant: run_ci {"ref":"x"}'
    said = ((False, "=== assistant ===\n"), (True, "I look."), *runs[1:])
    assert name_of(piece(SourceKind.MESSAGE, "assistant", *said)) == "assistant: I look."


def test_that_of_a_message_that_was_packed_with_its_time_only_the_words_stand() -> None:
    packed = '{"type": "user_message", "message": "Water the beans.", "time": "2026-01-22"}'
    assert name_of(piece(SourceKind.MESSAGE, "user", (True, packed))) == "user: Water the beans."
    for other in ('{"status": "OK"}', '{"message": 3}', '{"message": ""}', '{broken "message": "x"', "[1]"):
        assert name_of(piece(SourceKind.MESSAGE, "tool", (True, other))) == f"tool: {other}"
    # A block says what it says.
    assert name_of(piece(SourceKind.BLOCK, "notes", (True, packed))) == "notes"


def test_that_a_message_that_says_nothing_is_called_by_its_role() -> None:
    assert name_of(piece(SourceKind.MESSAGE, "assistant", (False, "=== assistant ===\n"))) == "assistant"


def test_that_an_event_is_called_by_its_line_and_without_one_by_its_kind_in_words() -> None:
    line = "[17:19] [AGENT:Grace]: Heartbeat\n"
    assert name_of(piece(SourceKind.EVENT, "heartbeat", (True, line))) == "[17:19] [AGENT:Grace]: Heartbeat"
    assert name_of_source(Source(SourceKind.EVENT, "evt_1", "tool_called")) == "tool called"


def test_that_a_block_keeps_its_label() -> None:
    assert name_of(piece(SourceKind.BLOCK, "my_notes", (True, "Text"))) == "my_notes"


def test_that_a_long_text_is_cut_and_what_is_hidden_in_it_is_shown() -> None:
    name = name_of(piece(SourceKind.MESSAGE, "user", (True, "\u202e" + "word " * 50_000)))
    assert len(name) < 120
    assert "\u202e" not in name


def test_that_an_imported_layout_shows_its_agents_name_in_place_of_an_id() -> None:
    agents = (replace(agent(ADA), id="agt_1", name="LettaBot"),)
    assert name_of_layout("letta agt_1", agents) == "letta LettaBot"
    assert name_of_layout("letta agt_2", agents) == "letta agt_2"
    assert name_of_layout("standard", agents) == "standard"
    assert name_of_layout("agt_1", agents) == "agt_1"
    assert name_of_layout("", agents) == ""
