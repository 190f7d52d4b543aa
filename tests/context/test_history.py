from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.context.history.index import HistoryReader
from inspector.context.identity import BuildCache
from inspector.domain.counts import Method
from inspector.domain.errors import BudgetError, NotFoundError
from inspector.domain.limits import (
    STRATEGIES,
    Hysteresis,
    ImportanceBased,
    RecursiveSummarization,
    Strategy,
    TimeDecay,
    Truncate,
    WindowStrategy,
)
from inspector.domain.messages import (
    Batch,
    ImagePart,
    Role,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)
from inspector.domain.requests import LeftOut, Request
from inspector.domain.rules import InRule, OutRule
from tests.context.builders import (
    BUILDER,
    EXACT_MODEL,
    MODELS,
    POOL,
    a_block,
    a_call_turn,
    a_message,
    a_snapshot,
    a_spec,
    a_tool,
    a_turn,
    all_pieces,
    an_agent,
    build,
    codes,
    has_section,
    rows,
    sent_batches,
    the_section,
)

LONG = tuple(a_turn(number, "word " * 30) for number in range(1, 121))
COSTS = POOL.costs(MODELS.resolve(EXACT_MODEL))


def turns(count: int, **changes: object) -> tuple[Batch, ...]:
    return tuple(a_turn(number, **changes) for number in range(1, count + 1))  # type: ignore[arg-type]


def batch_row(request: Request, batch: str) -> LeftOut:
    return next(row for row in request.left_out if row.source.id == batch)


def test_that_a_history_that_fits_is_sent_whole_in_order() -> None:
    history = turns(3)
    request = build(a_snapshot(history=history))
    assert sent_batches(request, history) == ["batch_1", "batch_2", "batch_3"]
    assert [message.id for message in request.messages][:2] == ["msg_100", "msg_101"]


def test_that_the_text_form_of_messages_is_to_the_letter() -> None:
    user = a_message(1, Role.USER, TextPart("hi"), TextPart(""), TextPart("there"), name="Eve")
    call = a_message(2, Role.ASSISTANT, TextPart("look"), ToolCallPart("c1", "find", '{"q":1}'))
    result = a_message(3, Role.TOOL, ToolResultPart("c1", "found"))
    last = a_message(4, Role.ASSISTANT, TextPart("done"))
    request = build(a_snapshot(history=(Batch("b", (user, call, result, last)),)))
    assert the_section(request, "messages").text == (
        "=== user ===\nhi\nthere\n"
        "=== assistant ===\nlook\n=== call find c1 ===\n"
        '{"q":1}\n'
        "=== result c1 ===\nfound\n"
        "=== assistant ===\ndone\n"
    )


def test_that_frames_cost_what_the_provider_says() -> None:
    named = a_message(1, Role.USER, TextPart("hi"), name="Eve")
    plain = a_message(2, Role.ASSISTANT, TextPart("yes"))
    request = build(a_snapshot(history=(Batch("b", (named, plain)),)))
    first, second = the_section(request, "messages").pieces
    assert [(run.sent, run.tokens) for run in first.runs] == [(False, 5), (True, 1), (False, 0)]
    assert second.runs[0].tokens == 4
    assert the_section(request, "reply").tokens == 3
    assert the_section(request, "instructions").pieces[0].tokens == 4
    assert request.method is Method.EXACT
    assert request.overheads == {"tools": 0, "system": 4, "messages": 9, "reply": 3}


def test_that_a_part_is_a_mark_with_its_frame() -> None:
    history = (a_call_turn(1),)
    piece = the_section(build(a_snapshot(history=history)), "messages").pieces[1]
    assert [(mark.kind, mark.name) for mark in piece.marks] == [("text", "0"), ("tool_call", "c1")]
    call = piece.marks[1]
    assert piece.text[call.start : call.end] == "=== call find c1 ===\n{}\n"


def test_that_only_the_newest_messages_are_kept_in_whole_batches() -> None:
    history = turns(10, size=3)
    request = build(a_snapshot(history=history), strategy=Truncate(8))
    assert sent_batches(request, history) == ["batch_9", "batch_10"]
    row = batch_row(request, "batch_8")
    assert row.rule == OutRule.HISTORY_KEEP_RECENT
    assert row.source.batch
    assert row.source.label == "3 messages"
    assert row.fix is not None
    assert (row.fix.action, row.fix.value) == ("raise_keep_recent", 9)
    again = build(a_snapshot(history=history), strategy=Truncate(9))
    assert sent_batches(again, history)[0] == "batch_8"


def test_that_the_cap_on_messages_holds() -> None:
    history = turns(500)
    request = build(a_snapshot(history=history), strategy=Truncate(100_000), max_messages_cap=200)
    assert len(request.messages) == 200
    assert batch_row(request, "batch_400").rule == OutRule.HISTORY_CAP


def test_that_fifty_messages_of_400_characters_keep_between_15_and_49() -> None:
    history = tuple(a_turn(number, "word " * 80, size=2) for number in range(1, 26))
    request = build(a_snapshot(history=history), history=2000)
    assert 15 <= len(request.messages) <= 49
    assert the_section(request, "messages").tokens <= 2000
    row = batch_row(request, "batch_1")
    assert row.rule == OutRule.HISTORY_FULL
    assert row.fix is not None
    assert row.fix.action == "raise_history_tokens"
    assert isinstance(row.fix.value, int)
    whole = build(a_snapshot(history=history), history=row.fix.value)
    assert sent_batches(whole, history)[0] == "batch_1"
    less = build(a_snapshot(history=history), history=row.fix.value - 1)
    assert sent_batches(less, history)[0] == "batch_2"


def test_that_the_window_bounds_the_history() -> None:
    history = turns(40, text="word " * 50)
    request = build(a_snapshot(history=history), window=1000, reserved=200)
    assert request.tokens <= 800
    row = batch_row(request, "batch_1")
    assert row.rule == OutRule.WINDOW_FULL
    assert row.fix is not None
    assert isinstance(row.fix.value, int)
    assert (
        sent_batches(build(a_snapshot(history=history), window=row.fix.value, reserved=200), history)[0]
        == "batch_1"
    )


def test_that_a_batch_that_several_limits_keep_out_names_them_all() -> None:
    history = turns(10, text="word " * 50)
    request = build(a_snapshot(history=history), strategy=Truncate(4), history=250)
    row = batch_row(request, "batch_1")
    assert row.fix is not None
    assert (row.fix.action, row.fix.value) == ("raise_history", None)
    assert row.fix.parameters["messages"] == 20
    assert {step.action for step in row.fix.steps} == {"raise_keep_recent", "raise_history_tokens"}
    settings = {step.action: step.value for step in row.fix.steps}
    keep, tokens = settings["raise_keep_recent"], settings["raise_history_tokens"]
    assert keep == 20
    assert isinstance(keep, int)
    assert isinstance(tokens, int)
    mended = build(a_snapshot(history=history), strategy=Truncate(keep), history=tokens)
    assert sent_batches(mended, history)[0] == "batch_1"
    for short, little in ((keep - 1, tokens), (keep, tokens - 1)):
        tight = build(a_snapshot(history=history), strategy=Truncate(short), history=little)
        assert sent_batches(tight, history)[0] != "batch_1"


def test_that_a_shortened_history_begins_with_a_user() -> None:
    history = (a_turn(1), a_turn(2, role=Role.ASSISTANT), a_turn(3), a_turn(4))
    request = build(a_snapshot(history=history), strategy=Truncate(6))
    assert sent_batches(request, history) == ["batch_3", "batch_4"]
    assert batch_row(request, "batch_2").rule == OutRule.HISTORY_FIRST_USER


def test_that_a_conversation_that_begins_otherwise_stays_so() -> None:
    history = (a_turn(1, role=Role.ASSISTANT), a_turn(2))
    assert sent_batches(build(a_snapshot(history=history)), history) == ["batch_1", "batch_2"]


def test_that_of_incomplete_batches_the_newest_is_sent_if_the_model_is_to_answer_it() -> None:
    history = (a_turn(1), a_call_turn(2, answered=False), a_turn(3), a_turn(4, size=1))
    request = build(a_snapshot(history=history))
    assert sent_batches(request, history) == ["batch_1", "batch_3", "batch_4"]
    assert {row.source.id for row in rows(request, OutRule.HISTORY_INCOMPLETE)} == {"batch_2"}
    assert all_pieces(request)[-2].rule == InRule.HISTORY_ACTIVE
    assert request.problems == ()


def test_that_a_call_without_its_result_waits_and_is_a_problem_of_the_request() -> None:
    history = (a_turn(1), a_call_turn(2, answered=False))
    request = build(a_snapshot(history=history))
    assert sent_batches(request, history) == ["batch_1"]
    (problem,) = request.problems
    assert (problem.code, problem.where) == ("turn_waits", "batch:batch_2")
    assert request.method is Method.ESTIMATE
    assert build(a_snapshot(history=history[:1])).method is Method.EXACT
    named = build(a_snapshot(history=history), active_batch="batch_2")
    assert sent_batches(named, history) == ["batch_1", "batch_2"]
    assert named.problems == ()


def test_that_the_active_batch_is_sent_beyond_the_history_budget() -> None:
    history = (a_turn(1), a_turn(2, "word " * 100, size=1))
    request = build(a_snapshot(history=history), history=20, active_batch="batch_2")
    assert sent_batches(request, history) == ["batch_2"]


def test_that_an_active_batch_larger_than_the_window_is_an_error() -> None:
    history = (a_turn(1, "word " * 1000, size=1),)
    with pytest.raises(BudgetError) as caught:
        build(a_snapshot(history=history), window=500, reserved=0, active_batch="batch_1")
    assert caught.value.parameters["piece"] == "message:msg_100"


def test_that_an_unknown_active_batch_is_an_error() -> None:
    with pytest.raises(NotFoundError):
        build(a_snapshot(), active_batch="nope")


@pytest.mark.parametrize(
    ("mark", "rule"), [("is_archived", OutRule.ARCHIVED), ("compiled", OutRule.COMPILED)]
)
def test_that_archived_and_compiled_messages_are_never_sent(mark: str, rule: OutRule) -> None:
    marks: dict[str, Any] = {mark: True}
    history = (a_turn(1, **marks), a_turn(2))
    request = build(a_snapshot(history=history))
    assert sent_batches(request, history) == ["batch_2"]
    assert rows(request, rule)


def test_that_deleted_messages_are_not_even_candidates() -> None:
    history = (a_turn(1, is_deleted=True), a_turn(2))
    request = build(a_snapshot(history=history))
    assert sent_batches(request, history) == ["batch_2"]
    assert not request.left_out


def test_that_a_message_that_cannot_be_read_is_told_and_the_rest_is_sent() -> None:
    whole = a_turn(1, size=3)
    lost = replace(whole.messages[1], content=(), problem="not JSON")
    history = (Batch("batch_1", (whole.messages[0], lost, whole.messages[2])),)
    request = build(a_snapshot(history=history))
    assert [message.id for message in request.messages] == ["msg_100", "msg_102"]
    [row] = rows(request, OutRule.UNREADABLE)
    assert row.source.id == "msg_101"


def test_that_a_result_without_its_call_is_never_sent() -> None:
    orphan = Batch(
        "b", (a_message(1, Role.USER, TextPart("x")), a_message(2, Role.TOOL, ToolResultPart("c", "r")))
    )
    request = build(a_snapshot(history=(orphan,)))
    assert not has_section(request, "messages")
    assert rows(request, OutRule.HISTORY_INCOMPLETE)


def test_that_archiving_half_of_a_pair_keeps_the_other_half_out() -> None:
    batch = a_call_turn(1)
    split = tuple(replace(each, is_archived=each.role is Role.TOOL) for each in batch.messages)
    request = build(a_snapshot(history=(Batch("batch_1", split),)))
    assert not has_section(request, "messages")


@pytest.mark.parametrize(("count", "kept"), [(8, 8), (5, 4), (10, 10)])
def test_that_a_window_keeps_the_newest_batches(count: int, kept: int) -> None:
    history = turns(10)
    request = build(a_snapshot(history=history), strategy=WindowStrategy(count))
    assert len(request.messages) == kept
    assert request.strategy == "window"


@pytest.mark.parametrize("strategy", [Truncate(), WindowStrategy(), Hysteresis(), RecursiveSummarization()])
def test_that_more_room_never_loses_the_last_turn_beside_one_in_progress(strategy: Strategy) -> None:
    history = (*turns(3), a_turn(4, "word " * 200), a_turn(5, "word " * 20, size=1))
    for tokens in range(100, 600, 20):
        request = build(
            a_snapshot(history=history), strategy=strategy, history=tokens, active_batch="batch_5"
        )
        assert sent_batches(request, history)[-2:] == ["batch_4", "batch_5"], tokens


def test_that_a_last_turn_past_the_high_mark_is_kept_while_it_fits() -> None:
    history = (*turns(3), a_turn(4, "word " * 200))
    for tokens in (405, 420, 500, 2000):
        request = build(a_snapshot(history=history), strategy=Hysteresis(0.5, 0.3), history=tokens)
        assert sent_batches(request, history)[-1] == "batch_4", tokens


@pytest.mark.parametrize("strategy", [WindowStrategy(8), Truncate(8), ImportanceBased(8, 0)])
def test_that_a_last_turn_of_more_messages_than_are_wanted_is_in_whole_and_alone(strategy: Strategy) -> None:
    history = (*turns(10), a_turn(11, size=12))
    request = build(a_snapshot(history=history), strategy=strategy)
    assert sent_batches(request, history) == ["batch_11"]
    assert len(request.messages) == 12
    assert not build(a_snapshot(history=history), strategy=strategy, max_messages_cap=8).messages
    for size, kept in ((1, ["batch_11", "batch_12"]), (8, ["batch_12"])):
        more = (*history, a_turn(12, size=size))
        assert (
            sent_batches(build(a_snapshot(history=more), strategy=strategy, active_batch="batch_12"), more)
            == kept
        )


@pytest.mark.parametrize("strategy", [WindowStrategy(0), Truncate(0), ImportanceBased(0, 0)])
def test_that_who_wants_no_message_gets_none(strategy: Strategy) -> None:
    assert not build(a_snapshot(history=turns(3)), strategy=strategy).messages


@pytest.mark.parametrize("kind", STRATEGIES)
def test_that_every_strategy_is_what_it_says_and_no_other(kind: type[Strategy]) -> None:
    request = build(a_snapshot(history=turns(2)), strategy=kind())
    assert request.strategy == kind.kind
    assert codes(request.problems) == []


@st.composite
def sized_histories(draw: st.DrawFn) -> tuple[Batch, ...]:
    sizes = draw(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 4), st.booleans()), max_size=25))
    return tuple(
        a_turn(at, "word " * words, size=size, role=Role.USER if by_user else Role.ASSISTANT)
        for at, (words, size, by_user) in enumerate(sizes, start=1)
    )


@settings(max_examples=100)
@given(sized_histories(), st.integers(0, 1500), st.integers(0, 60), st.integers(0, 60))
def test_that_no_larger_run_would_have_been_allowed(
    history: tuple[Batch, ...], budget: int, keep: int, cap: int
) -> None:
    # A turn that waits for its reply is sent whatever the bounds are.
    while history and not history[-1].is_complete:
        history = history[:-1]
    request = build(
        a_snapshot(history=history), history=budget, strategy=Truncate(keep), max_messages_cap=cap
    )
    sent = sent_batches(request, history)
    whole = [batch for batch in history if batch.is_complete]
    assert sent == [batch.id for batch in whole][len(whole) - len(sent) :]
    tokens = {batch.id: _tokens(batch) for batch in whole}
    assert len(request.messages) <= cap
    assert len(request.messages) <= keep or len(sent) == 1
    if any(message.content is not None for message in request.messages):
        assert sent == [whole[-1].id]
        assert the_section(request, "messages").tokens <= budget < tokens[whole[-1].id]
        return
    assert sum(tokens[each] for each in sent) <= budget
    for more in range(len(sent) + 1, len(whole) + 1):
        run = whole[len(whole) - more :]
        allowed = (
            sum(tokens[batch.id] for batch in run) <= budget
            and sum(len(batch.messages) for batch in run) <= min(keep, cap)
            and (more == len(whole) or run[0].messages[0].role is Role.USER)
        )
        assert not allowed


def _tokens(batch: Batch) -> int:
    request = BUILDER.build(a_snapshot(history=(batch,)), a_spec(active_batch=batch.id))
    return the_section(request, "messages").tokens


def _history_tokens(request: Request) -> int:
    return sum(section.tokens for section in request.sections if section.name == "messages")


def test_that_a_message_of_calls_alone_is_not_taken_for_an_empty_one() -> None:
    turn = a_call_turn(1)
    call = replace(turn.messages[1], content=(ToolCallPart("c1", "find", "{}"),))
    history = (Batch("batch_1", (turn.messages[0], call, *turn.messages[2:])),)
    assert [sent.id for sent in build(a_snapshot(history=history)).messages] == [
        message.id for message in history[0].messages
    ]


def test_that_each_strategy_chooses_in_its_own_way() -> None:
    history = tuple(
        a_turn(number, "Remember: why?" if number == 3 else "word " * 30) for number in range(1, 121)
    )
    found = {
        strategy.kind: tuple(
            sent_batches(build(a_snapshot(history=history), strategy=strategy, history=4500), history)
        )
        for strategy in (
            Truncate(30),
            RecursiveSummarization(20),
            ImportanceBased(10, 10),
            TimeDecay(71, 4),
            WindowStrategy(8),
            Hysteresis(),
        )
    }
    assert len(set(found.values())) == 6


def test_that_memory_tools_and_the_reply_take_their_room_from_the_window_first() -> None:
    bare = build(a_snapshot(history=LONG), window=2000, reserved=0, strategy=Truncate(1000))
    full = build(
        a_snapshot(
            a_block("notes", "word " * 200), history=LONG, tools=(a_tool(),), agent=an_agent(tools=("find",))
        ),
        window=2000,
        reserved=500,
        strategy=Truncate(1000),
    )
    assert full.tokens <= 1500
    assert 1800 < bare.tokens <= 2000
    assert _history_tokens(full) < _history_tokens(bare) - 700


def test_that_images_thinking_and_calls_are_counted_as_they_are_sent() -> None:
    plain = a_turn(1)
    parts = (
        ThinkingPart("word " * 50, "sig"),
        ImagePart("image/png", 750, 750, "AAAA"),
        *plain.messages[1].content,
    )
    rich = Batch("batch_1", (plain.messages[0], replace(plain.messages[1], content=parts)))
    less = _history_tokens(build(a_snapshot(history=(plain,))))
    more = _history_tokens(build(a_snapshot(history=(rich,))))
    assert more - less >= 50 + 750


def test_that_a_batch_more_reads_no_other_batch_again() -> None:
    counted: list[str] = []
    counter = COSTS.counter

    class Listening:
        tokenizer = counter.tokenizer
        count_chunks = counter.count_chunks

        def count(self, text: str) -> object:
            counted.append(text)
            return counter.count(text)

    listening = replace(COSTS, counter=Listening())  # type: ignore[arg-type]
    reader = HistoryReader(BuildCache())
    reader.index(LONG, None, listening)
    counted.clear()
    reader.index((*LONG, a_turn(999, "one more")), None, listening)
    assert counted == ["one more", "one more"]
