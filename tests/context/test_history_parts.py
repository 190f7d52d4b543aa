"""Single rules of a history: elision, shortening inside a batch, gaps, folding, and what the ledger says of each."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.context.history.importance import importance, message_score
from inspector.context.history.shortening import cut_text, units_of
from inspector.domain.limits import (
    ElidedResult,
    HistoryState,
    Hysteresis,
    ImportanceBased,
    RecursiveSummarization,
    Strategy,
    TimeDecay,
    Truncate,
    WindowStrategy,
)
from inspector.domain.messages import Batch, Role, TextPart, ThinkingPart, ToolCallPart, ToolResultPart
from inspector.domain.requests import Request, sent_content
from inspector.domain.rules import InRule, OutRule
from inspector.domain.snapshot import Snapshot
from tests.context.builders import (
    NOW,
    a_message,
    a_snapshot,
    a_summary,
    a_turn,
    build,
    rows,
    sent_batches,
    the_section,
)


def a_looked_up_turn(number: int, found: str, **changes: object) -> Batch:
    """A user's question, a call, its result, an answer."""
    name, at = f"batch_{number}", number * 100
    return Batch(
        name,
        (
            a_message(at, Role.USER, TextPart("look"), batch=name),
            a_message(at + 1, Role.ASSISTANT, ToolCallPart(f"c{number}", "find", '{"q":1}'), batch=name),
            a_message(at + 2, Role.TOOL, ToolResultPart(f"c{number}", found), batch=name),
            a_message(at + 3, Role.ASSISTANT, TextPart("there"), batch=name),
        ),
    )


def texts_of(request: Request, snapshot: Snapshot) -> dict[str, str]:
    """What is sent of each message, as one text."""
    stored = {message.id: message for batch in snapshot.history for message in batch.messages}
    return {
        sent.id: "|".join(
            part.text if isinstance(part, TextPart) else part.content
            for part in sent_content(sent, stored[sent.id])
            if isinstance(part, TextPart | ToolResultPart)
        )
        for sent in request.messages
    }


HEAVY = tuple(a_looked_up_turn(number, f"found {number} " * 60) for number in range(1, 11))


def test_that_old_results_are_elided_before_anything_is_folded() -> None:
    snapshot = a_snapshot(history=HEAVY)
    request = build(snapshot, strategy=Hysteresis(0.95, 0.9), history=1500)
    assert len(request.messages) == 40
    texts = texts_of(request, snapshot)
    assert texts["msg_102"] == "[result of find elided: 181 tokens, id c1]"
    assert all("found" in texts[f"msg_{number}02"] for number in (8, 9, 10))
    assert the_section(request, "messages").tokens <= 1500 * 0.9
    assert not rows(request, OutRule.SUMMARY_DUE)


def test_that_elided_results_are_told_of_with_what_brings_them_back() -> None:
    snapshot = a_snapshot(history=HEAVY)
    request = build(snapshot, strategy=Hysteresis(0.95, 0.9), history=1500)
    told = rows(request, OutRule.HISTORY_ELIDED)
    stubs = [sent for sent in request.messages if sent.content is not None]
    assert len(told) == len(stubs) > 2
    fix = told[0].fix
    assert fix is not None
    assert fix.action == "raise_history_tokens"
    assert isinstance(fix.value, int)
    whole = build(snapshot, strategy=Hysteresis(0.95, 0.9), history=fix.value)
    assert all(sent.content is None for sent in whole.messages)
    less = build(snapshot, strategy=Hysteresis(0.95, 0.9), history=fix.value - 1)
    assert any(sent.content is not None for sent in less.messages)


def test_that_the_largest_results_are_elided_first() -> None:
    sizes = {1: 40, 2: 400, 3: 120, 4: 40, 5: 40, 6: 40}
    history = tuple(a_looked_up_turn(number, "word " * size) for number, size in sizes.items())
    request = build(a_snapshot(history=history), strategy=Hysteresis(0.95, 0.9), history=860)
    assert [sent.id for sent in request.messages if sent.content is not None] == ["msg_202"]


def test_that_no_result_is_elided_for_little() -> None:
    history = tuple(a_looked_up_turn(number, "word " * 25) for number in range(1, 11))
    request = build(a_snapshot(history=history), strategy=Hysteresis(), history=500)
    assert all(sent.content is None for sent in request.messages)
    assert rows(request, OutRule.SUMMARY_DUE)


def test_that_an_elided_result_stays_elided_and_its_place_keeps_its_tokens_and_marks() -> None:
    snapshot = a_snapshot(history=HEAVY)
    before = build(snapshot, strategy=Hysteresis(0.95, 0.9), history=1500)
    assert before.history_state is not None
    assert ElidedResult("msg_102", "c1") in before.history_state.elided
    more = replace(snapshot, history=(*HEAVY, a_turn(11)), history_state=before.history_state)
    after = build(more, strategy=Hysteresis(0.95, 0.9), history=1500)
    pieces = the_section(before, "messages").pieces
    assert the_section(after, "messages").pieces[: len(pieces)] == pieces
    stub = next(piece for piece in pieces if piece.id == "message:msg_102")
    assert stub.text == "=== result c1 ===\n[result of find elided: 181 tokens, id c1]\n"
    assert [(mark.kind, mark.name) for mark in stub.marks] == [("tool_result", "c1")]


def test_that_a_state_made_under_other_limits_does_not_count() -> None:
    snapshot = a_snapshot(history=HEAVY)
    state = build(snapshot, strategy=Hysteresis(), history=900).history_state
    assert state is not None
    assert state.first > 0
    again = replace(snapshot, history_state=state)
    assert len(build(again, strategy=Hysteresis(), history=80_000).messages) == 40
    assert build(again, strategy=Hysteresis(), history=900) == build(
        snapshot, strategy=Hysteresis(), history=900
    )


def test_that_a_state_of_messages_that_are_gone_begins_with_the_next_that_a_user_began() -> None:
    history = (*HEAVY[:5], a_turn(6, role=Role.ASSISTANT), *HEAVY[6:])
    state = build(a_snapshot(history=HEAVY), strategy=Hysteresis(), history=900).history_state
    assert state is not None
    moved = HistoryState(state.limits, 600)
    request = build(a_snapshot(history=history, history_state=moved), strategy=Hysteresis(), history=900)
    assert sent_batches(request, history)[0] == "batch_7"


def test_that_what_is_folded_is_due_until_a_summary_stands_for_it() -> None:
    history = tuple(a_turn(number, "word " * 20) for number in range(1, 41))
    snapshot = a_snapshot(history=history)
    request = build(snapshot, strategy=Hysteresis(), history=1000)
    due = [row.source.id for row in rows(request, OutRule.SUMMARY_DUE)]
    assert due == [batch.id for batch in history[: len(due)]]
    assert len(due) > 10
    told = replace(snapshot, summaries=(a_summary("old", 100, 599),))
    request = build(told, strategy=Hysteresis(), history=1000)
    assert [row.source.id for row in rows(request, OutRule.HISTORY_SUMMARISED)] == due[:5]
    assert next(row.source.id for row in rows(request, OutRule.SUMMARY_DUE)) == "batch_6"
    assert request.history_state is not None
    assert request.history_state.checkpoint == "sum_old"
    gone = replace(snapshot, summaries=(a_summary("old", 100, 599, is_deleted=True),))
    assert not rows(build(gone, strategy=Hysteresis(), history=1000), OutRule.HISTORY_SUMMARISED)


def test_that_hysteresis_leaves_between_its_marks_what_it_has_and_goes_down_to_the_low_one() -> None:
    history = tuple(a_turn(number, "word " * 20) for number in range(1, 200))
    state, folds = None, 0
    shares: list[float] = []
    for count in range(1, 200):
        snapshot = a_snapshot(history=history[:count], history_state=state)
        request = build(snapshot, strategy=Hysteresis(0.95, 0.5), history=1000)
        share = the_section(request, "messages").tokens / 1000
        if shares and share < shares[-1]:
            folds += 1
            assert 0.4 < share <= 0.5
            assert shares[-1] > 0.88
        assert share <= 0.95
        shares.append(share)
        state = request.history_state
    assert folds > 5


def test_that_hysteresis_does_not_slide_by_one_at_the_cap_on_messages() -> None:
    history = tuple(a_turn(number) for number in range(1, 100))
    state, firsts = None, []
    for count in range(1, 100):
        snapshot = a_snapshot(history=history[:count], history_state=state)
        request = build(snapshot, strategy=Hysteresis(), max_messages_cap=40)
        assert len(request.messages) <= 40
        firsts.append(request.messages[0].id)
        state = request.history_state
    assert len(set(firsts)) < 12


def test_that_recursive_summarization_folds_whole_chunks() -> None:
    history = tuple(a_turn(number, "word " * 20) for number in range(1, 61))
    strategy = RecursiveSummarization(chunk_size=20)
    request = build(a_snapshot(history=history), strategy=strategy, history=2000)
    due = rows(request, OutRule.SUMMARY_DUE)
    assert len(due) % 10 == 0
    assert len(due) > 0
    kept = the_section(request, "messages").tokens
    chunk = sum(row.tokens for row in due[:10])
    assert 1800 - chunk < kept <= 1800


def test_that_a_chunk_larger_than_the_budget_does_not_leave_the_history_empty() -> None:
    history = tuple(a_turn(number, "word " * 20) for number in range(1, 61))
    request = build(a_snapshot(history=history), strategy=RecursiveSummarization(1000), history=500)
    assert 400 < the_section(request, "messages").tokens <= 500


def test_that_only_folding_strategies_propose_a_state() -> None:
    snapshot = a_snapshot(history=HEAVY)
    folding = (Hysteresis(), RecursiveSummarization())
    others: tuple[Strategy, ...] = (Truncate(), WindowStrategy(), ImportanceBased(), TimeDecay())
    assert all(build(snapshot, strategy=each).history_state is not None for each in folding)
    assert all(build(snapshot, strategy=each).history_state is None for each in others)


def test_that_important_batches_stay_behind_a_marked_gap() -> None:
    plain = [a_turn(number, "nothing of note") for number in range(1, 31)]
    plain[4] = a_turn(5, "Remember: the deadline is important and must never move. Why?")
    history = tuple(plain)
    request = build(a_snapshot(history=history), strategy=ImportanceBased(4, 4))
    assert sent_batches(request, history) == ["batch_1", "batch_5", "batch_29", "batch_30"]
    section = the_section(request, "messages")
    assert section.pieces[2].text == (
        "=== user ===\n[6 messages left out here]\n"
        "Remember: the deadline is important and must never move. Why?\n"
    )
    assert [(mark.kind, mark.name) for mark in section.pieces[2].marks] == [("gap", "before"), ("text", "0")]
    assert section.pieces[4].text.startswith("=== user ===\n[46 messages left out here]\n")
    assert section.pieces[2].rule == InRule.HISTORY_IMPORTANT
    assert section.pieces[4].rule == InRule.HISTORY_RECENT
    row = next(row for row in request.left_out if row.source.id == "batch_28")
    assert row.rule == OutRule.HISTORY_UNIMPORTANT
    assert row.fix is not None
    assert (row.fix.action, row.fix.value) == ("raise_keep_recent", 6)


def test_that_a_long_batch_is_no_less_important_for_its_length() -> None:
    short = a_turn(1, "Remember this.", size=2)
    long = a_turn(2, "Remember this.", size=9)
    assert importance(long.messages) == importance(short.messages)


def test_that_a_score_tells_role_length_question_keywords_and_calls_apart() -> None:
    def score(role: Role, text: str, *more: ToolCallPart) -> float:
        return message_score(a_message(1, role, TextPart(text), *more))

    plain = score(Role.USER, "so it is")
    assert score(Role.ASSISTANT, "so it is") < plain
    assert score(Role.USER, "so is it?") > plain
    assert score(Role.USER, "そうですか\uff1f") > plain
    assert score(Role.USER, "http://a/?b=1") == plain
    assert score(Role.USER, "remember it") > plain
    assert score(Role.USER, "so it is " * 40) > plain
    assert score(Role.ASSISTANT, "x", ToolCallPart("c", "find", "{}")) > score(Role.ASSISTANT, "x")


def test_that_time_decay_leaves_out_what_is_old_down_to_its_floor() -> None:
    def at(number: int, hours: float) -> Batch:
        return a_turn(number, created_at=NOW - timedelta(hours=hours))

    history = tuple(at(number, 48 - number) for number in range(1, 31))
    request = build(a_snapshot(history=history), strategy=TimeDecay(24, 10))
    assert sent_batches(request, history)[0] == "batch_24"
    row = next(row for row in request.left_out if row.source.id == "batch_20")
    assert row.rule == OutRule.HISTORY_DECAYED
    assert row.fix is not None
    assert (row.fix.action, row.fix.value) == ("raise_compress_after_hours", 28)
    old = tuple(at(number, 100 - number) for number in range(1, 31))
    assert len(build(a_snapshot(history=old), strategy=TimeDecay(24, 10)).messages) == 10
    few = build(a_snapshot(history=old), strategy=TimeDecay(24, 10), history=30)
    assert 0 < len(few.messages) < 10


def test_that_a_young_batch_before_an_old_one_stays_behind_a_gap() -> None:
    def at(number: int, hours: float) -> Batch:
        return a_turn(number, created_at=NOW - timedelta(hours=hours))

    history = (at(1, 99), at(2, 1), at(3, 99), at(4, 99), at(5, 1))
    request = build(a_snapshot(history=history), strategy=TimeDecay(24, 2))
    assert sent_batches(request, history) == ["batch_2", "batch_5"]
    assert (
        the_section(request, "messages")
        .pieces[2]
        .text.startswith("=== user ===\n[4 messages left out here]\n")
    )


def test_that_a_batch_that_alone_is_too_large_is_shortened_inside() -> None:
    lines = "".join(f"line {number} of the log\n" for number in range(2000))
    batch = a_looked_up_turn(2, lines)
    thinking = replace(
        batch.messages[1], content=(ThinkingPart("t " * 50, "sig"), *batch.messages[1].content)
    )
    large = Batch(batch.id, (batch.messages[0], thinking, *batch.messages[2:]))
    history = (a_turn(1), large)
    snapshot = a_snapshot(history=history)
    request = build(snapshot, history=600)
    assert sent_batches(request, history) == ["batch_2"]
    tokens = the_section(request, "messages").tokens
    assert 560 < tokens <= 600
    result = texts_of(request, snapshot)["msg_202"]
    head, _, tail = result.partition("[… ")
    assert head.startswith("line 0 of the log\nline 1 of")
    assert head.endswith(" of the log\n")
    assert tail.endswith("line 1999 of the log\n")
    assert " characters left out …]\nline " in tail
    kept = len(head) + len(tail.partition("]\n")[2])
    assert f"[… {len(lines) - kept} characters left out …]" in result
    assert [sent.id for sent in request.messages if sent.content is not None] == ["msg_202"]
    [row] = rows(request, OutRule.HISTORY_SHORTENED)
    assert row.source.id == "msg_202"
    assert row.fix is not None
    assert row.fix.action == "raise_history_tokens"
    assert isinstance(row.fix.value, int)
    whole = build(snapshot, history=row.fix.value)
    assert all(sent.content is None for sent in whole.messages)


def test_that_the_last_unit_is_shortened_only_when_the_others_do_not_suffice() -> None:
    batch = Batch(
        "b",
        (
            a_message(1, Role.USER, TextPart("word " * 400), batch="b"),
            a_message(2, Role.ASSISTANT, TextPart("word " * 100), batch="b"),
        ),
    )
    snapshot = a_snapshot(history=(batch,))
    first = build(snapshot, history=300)
    assert [sent.content is not None for sent in first.messages] == [True, False]
    both = build(snapshot, history=90)
    assert [sent.content is not None for sent in both.messages] == [True, True]


def test_that_a_batch_of_which_nothing_can_be_shortened_is_left_out() -> None:
    batch = a_looked_up_turn(1, "ok")
    call = replace(batch.messages[1], content=(ToolCallPart("c1", "find", "[" + "1," * 500 + "1]"),))
    history = (Batch("batch_1", (batch.messages[0], call, *batch.messages[2:])),)
    request = build(a_snapshot(history=history), history=200)
    assert not request.messages
    assert [row.rule for row in request.left_out] == [OutRule.HISTORY_FULL]


def test_that_results_of_a_batch_in_progress_are_shortened_where_the_window_demands_but_no_word_of_a_person() -> (
    None
):
    batch = a_looked_up_turn(1, "word " * 2000)
    asked = Batch("batch_1", batch.messages[:3])
    snapshot = a_snapshot(history=(asked,))
    request = build(snapshot, window=700, reserved=0, active_batch="batch_1")
    assert request.tokens <= 700
    assert request.tokens > 650
    assert [sent.id for sent in request.messages if sent.content is not None] == ["msg_102"]
    [row] = rows(request, OutRule.HISTORY_SHORTENED)
    assert row.source.id == "msg_102"


def test_that_units_keep_calls_and_results_together() -> None:
    batch = a_looked_up_turn(1, "found")
    assert [len(unit) for unit in units_of(batch.messages)] == [1, 2, 1]


@settings(max_examples=400, deadline=None)
@given(st.text(alphabet="ab \n漢é\u0301👩\u200d🌾🏽"), st.integers(0, 80))
def test_that_a_cut_text_is_its_beginning_a_mark_and_its_end(text: str, most: int) -> None:
    cut = cut_text(text, most)
    if len(text) <= most:
        assert cut == text
        return
    head, _, rest = cut.partition("[… ")
    missing, _, tail = rest.partition(" characters left out …]")
    kept = len(text) - int(missing)
    assert kept <= most
    # A newline is put where a line is cut in its middle.
    ways = [(one, other) for one in (head, head[:-1]) for other in (tail, tail[1:])]
    assert any(
        len(one) + len(other) == kept and text.startswith(one) and text.endswith(other) for one, other in ways
    )


def test_that_a_cut_parts_no_visible_character() -> None:
    family = "👩\u200d👩\u200d👧"
    for most in range(1, 40):
        cut = cut_text(family * 10, most)
        head, _, rest = cut.partition("[… ")
        assert not head.strip("\n").endswith("\u200d")
        assert "]\n\u200d" not in rest
