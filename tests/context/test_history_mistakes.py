"""Mistakes that earlier designs made with histories, each as something that does not happen here."""

from dataclasses import replace
from itertools import pairwise

import pytest

from inspector.context.counting.frames import FrameCosts
from inspector.context.history.importance import importance
from inspector.context.history.index import HistoryIndex, HistoryReader
from inspector.context.history.limits import first_within
from inspector.context.history.strategies import STRATEGY_CHOICES
from inspector.context.identity import BuildCache
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
from inspector.domain.rules import OutRule
from tests.context.builders import (
    EXACT_MODEL,
    MODELS,
    POOL,
    a_block,
    a_call_turn,
    a_message,
    a_snapshot,
    a_summary,
    a_tool,
    a_turn,
    an_agent,
    build,
    has_section,
    rows,
    sent_batches,
    the_section,
)

ALL = [kind() for kind in STRATEGIES]
LONG = tuple(a_turn(number, "word " * 30) for number in range(1, 121))


def costs() -> FrameCosts:
    return POOL.costs(MODELS.resolve(EXACT_MODEL))


def index_of(history: tuple[Batch, ...]) -> HistoryIndex:
    return HistoryReader(BuildCache()).index(history, None, costs())


def messages_tokens(request: object) -> int:
    sections = request.sections  # type: ignore[attr-defined]
    return sum(section.tokens for section in sections if section.name == "messages")


def test_that_the_token_limit_is_not_taken_for_a_number_of_messages() -> None:
    request = build(a_snapshot(history=LONG), strategy=Truncate(100_000), history=400)
    assert 300 < messages_tokens(request) <= 400
    assert len(request.messages) < 20


@pytest.mark.parametrize("strategy", ALL)
def test_that_no_floor_of_messages_overrides_the_token_limit(strategy: Strategy) -> None:
    request = build(a_snapshot(history=LONG), strategy=strategy, history=150)
    assert messages_tokens(request) <= 150
    assert len(request.messages) < 10


def test_that_sums_of_tokens_never_run_below_nothing() -> None:
    index = index_of(LONG[:5])
    assert index.tokens_from(5) == 0
    assert index.first_of_tokens(-1000) == 5
    assert index.first_of_messages(-1) == 5
    assert first_within(index, ()) == 0
    for strategy in ALL:
        assert messages_tokens(build(a_snapshot(history=LONG), strategy=strategy, history=0)) == 0


def test_that_a_run_is_found_by_sums_and_nothing_is_taken_off_one_by_one() -> None:
    index = index_of(LONG)
    for most in range(0, 4000, 37):
        first = index.first_of_tokens(most)
        assert index.tokens_from(first) <= most
        assert first == 0 or index.tokens_from(first - 1) > most
        assert index.tokens_from(first) == sum(view.tokens for view in index.views(first))
    build(a_snapshot(history=LONG), history=100)
    assert index.count == len(LONG) == 120


@pytest.mark.parametrize("strategy", ALL)
@pytest.mark.parametrize("budget", [60, 150, 400])
def test_that_pairs_stay_together_and_a_user_s_message_is_first(strategy: Strategy, budget: int) -> None:
    history = tuple(a_call_turn(number) if number % 2 else a_turn(number) for number in range(1, 61))
    request = build(a_snapshot(history=history), strategy=strategy, history=budget)
    stored = {message.id: message for batch in history for message in batch.messages}
    parts = [part for sent in request.messages for part in stored[sent.id].content]
    calls = {part.id for part in parts if isinstance(part, ToolCallPart)}
    assert calls == {part.call_id for part in parts if isinstance(part, ToolResultPart)}
    assert not request.messages or stored[request.messages[0].id].role is Role.USER


def test_that_the_cap_on_messages_cuts_between_batches_too() -> None:
    history = tuple(a_call_turn(number) for number in range(1, 21))
    request = build(a_snapshot(history=history), max_messages_cap=10)
    assert len(request.messages) == 8
    assert request.messages[0].id == "msg_1900"


def test_that_a_message_of_calls_alone_is_not_taken_for_an_empty_one() -> None:
    turn = a_call_turn(1)
    call = replace(turn.messages[1], content=(ToolCallPart("c1", "find", "{}"),))
    history = (Batch("batch_1", (turn.messages[0], call, *turn.messages[2:])),)
    assert [sent.id for sent in build(a_snapshot(history=history)).messages] == [
        message.id for message in history[0].messages
    ]


@pytest.mark.parametrize("strategy", ALL)
def test_that_no_strategy_becomes_another_in_silence(strategy: Strategy) -> None:
    assert set(STRATEGY_CHOICES) == set(STRATEGIES)
    request = build(a_snapshot(history=LONG), strategy=strategy, history=1000)
    assert request.strategy == strategy.kind


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
    assert messages_tokens(full) < messages_tokens(bare) - 700


def test_that_a_request_of_nothing_has_no_system_text_and_no_messages() -> None:
    agent = an_agent(persona="", instructions=())
    request = build(a_snapshot(agent=agent))
    assert request.system is None
    assert not request.messages
    assert not has_section(request, "messages")


def test_that_images_thinking_and_calls_are_counted_as_they_are_sent() -> None:
    plain = a_turn(1)
    parts = (
        ThinkingPart("word " * 50, "sig"),
        ImagePart("image/png", 750, 750, "AAAA"),
        *plain.messages[1].content,
    )
    rich = Batch("batch_1", (plain.messages[0], replace(plain.messages[1], content=parts)))
    less = messages_tokens(build(a_snapshot(history=(plain,))))
    more = messages_tokens(build(a_snapshot(history=(rich,))))
    assert more - less >= 50 + 750


def test_that_a_batch_more_reads_no_other_batch_again() -> None:
    counted: list[str] = []
    counter = costs().counter

    class Listening:
        tokenizer = counter.tokenizer
        count_chunks = counter.count_chunks

        def count(self, text: str) -> object:
            counted.append(text)
            return counter.count(text)

    listening = replace(costs(), counter=Listening())  # type: ignore[arg-type]
    reader = HistoryReader(BuildCache())
    reader.index(LONG, None, listening)
    counted.clear()
    reader.index((*LONG, a_turn(999, "one more")), None, listening)
    assert counted == ["one more", "one more"]


def test_that_dropped_text_leaves_a_mark_and_a_row() -> None:
    large = a_turn(1, "word " * 3000)
    request = build(a_snapshot(history=(large,)), history=500)
    texts = [piece.text for piece in the_section(request, "messages").pieces]
    assert all(" characters left out …]" in text for text in texts)
    assert {row.source.id for row in rows(request, OutRule.HISTORY_SHORTENED)} == {"msg_100", "msg_101"}


@pytest.mark.parametrize("strategy", [Truncate(100), TimeDecay(1000, 100), ImportanceBased(100, 100)])
def test_that_every_strategy_checks_tokens_again_after_messages(strategy: Strategy) -> None:
    request = build(a_snapshot(history=LONG), strategy=strategy, history=700)
    assert 600 < messages_tokens(request) <= 700


def test_that_one_build_is_enough_to_be_within_the_budget() -> None:
    for strategy in (RecursiveSummarization(2), Hysteresis()):
        request = build(a_snapshot(history=LONG), strategy=strategy, history=300)
        assert messages_tokens(request) <= 300
        assert len(rows(request, OutRule.SUMMARY_DUE)) > 100


@pytest.mark.parametrize("strategy", ALL)
def test_that_nothing_runs_backwards(strategy: Strategy) -> None:
    history = (*LONG, a_turn(121, size=1))
    request = build(a_snapshot(history=history), strategy=strategy, history=2000, active_batch="batch_121")
    places = [int(sent.id.removeprefix("msg_")) for sent in request.messages]
    assert all(one < other for one, other in pairwise(places))
    assert places[-1] == 12100
    due = [row.source.id for row in request.left_out if row.source.batch]
    assert due == sorted(due, key=lambda name: int(str(name).removeprefix("batch_")))


def test_that_an_incomplete_batch_is_never_put_behind_the_newest() -> None:
    history = (a_turn(1), a_call_turn(2, answered=False), a_turn(3))
    request = build(a_snapshot(history=history), active_batch="batch_2")
    assert sent_batches(request, history) == ["batch_1", "batch_2", "batch_3"]
    places = [int(sent.id.removeprefix("msg_")) for sent in request.messages]
    assert places == sorted(places)


def test_that_importance_is_a_score_of_what_is_seen_and_does_not_punish_length() -> None:
    short = (a_message(1, Role.USER, TextPart("Remember this!")),)
    more = tuple(a_message(number, Role.ASSISTANT, TextPart("ok")) for number in range(2, 40))
    assert importance((*short, *more)) == importance(short)


def test_that_only_what_a_stored_summary_speaks_of_counts_as_summarised() -> None:
    snapshot = a_snapshot(history=LONG, summaries=(a_summary("first", 100, 2099),))
    request = build(snapshot, strategy=Hysteresis(), history=1000)
    told = [
        int(str(row.source.id).removeprefix("batch_")) for row in rows(request, OutRule.HISTORY_SUMMARISED)
    ]
    due = [int(str(row.source.id).removeprefix("batch_")) for row in rows(request, OutRule.SUMMARY_DUE)]
    assert told == list(range(1, 21))
    assert due[0] == 21
    gone = replace(snapshot, summaries=(a_summary("first", 100, 2099, is_deleted=True),))
    again = build(gone, strategy=Hysteresis(), history=1000)
    assert not rows(again, OutRule.HISTORY_SUMMARISED)
    assert len(rows(again, OutRule.SUMMARY_DUE)) >= len(told) + len(due)
