"""The budget as rows: figures that add up, names, what is left out, and what a fix's button does."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.domain.activity import Importance
from inspector.domain.agents import Agent
from inspector.domain.blocks import Block, BlockType, LogSchema
from inspector.domain.counts import Method
from inspector.domain.edits.base import Edit, Operation
from inspector.domain.edits.block_rows import SetBlockType, SetPinned, SetSchema
from inspector.domain.edits.rows import ConfigureAgent
from inspector.domain.errors import Parameters
from inspector.domain.limits import LimitOverrides, Truncate, WindowStrategy
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix, LeftOut, Piece, Request, Source, SourceKind
from inspector.domain.rules import InRule
from inspector.ui.models.tree import TreeRow
from inspector.ui.presentation import budget
from inspector.ui.presentation.budget import (
    STRUCTURE,
    BudgetGrounds,
    BudgetRow,
    BudgetRows,
    member_rows,
    out_rows,
    piece_name,
)
from inspector.ui.presentation.fixes import edit_for
from inspector.ui.wording import tr_code
from tests.ui import values
from tests.ui.values import made_piece, made_request

NAMES = ("core", "working", "tools", "messages")
RULES = st.sampled_from([rule.value for rule in InRule])


@st.composite
def requests(draw: st.DrawFn) -> Request:
    """Requests with figures of any size and pieces of any rule."""
    made: dict[str, list[Piece | str]] = {}
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True)):
        count = draw(st.integers(1, 5))
        made[name] = [
            made_piece(f"{name}/{n}", "text\n", rule=draw(RULES), tokens=draw(st.integers(0, 9_999)))
            for n in range(count)
        ]
    return made_request(made)


def value(row: TreeRow) -> BudgetRow:
    found = row.value
    assert isinstance(found, BudgetRow)
    return found


@given(requests())
def test_that_sections_add_up_to_the_total_and_rows_to_their_section(request: Request) -> None:
    rows = BudgetRows().rows(request, None)
    assert sum(value(row).tokens for row in rows) == request.tokens
    for row in rows:
        if row.children:
            assert sum(value(child).tokens for child in row.children) == value(row).tokens


@given(requests(), requests())
def test_that_the_changes_of_sections_are_those_of_the_request(saved: Request, request: Request) -> None:
    rows = BudgetRows().rows(request, BudgetGrounds(saved))
    kept = {section.name for section in request.sections}
    before = sum(section.tokens for section in saved.sections if section.name in kept)
    assert sum(value(row).change for row in rows) == request.tokens - before


@given(requests())
def test_that_keys_are_unique(request: Request) -> None:
    keys = [each.key for row in BudgetRows().rows(request, None) for each in (row, *row.children)]
    assert len(keys) == len(set(keys))


@given(requests(), requests())
def test_that_rows_taken_over_are_those_made_anew(first: Request, second: Request) -> None:
    rows = BudgetRows()
    for request, saved in ((first, None), (second, first), (second, first), (first, second), (first, None)):
        assert rows.rows(request, BudgetGrounds(saved)) == BudgetRows().rows(request, BudgetGrounds(saved))


def test_that_a_section_in_which_nothing_changed_keeps_its_row() -> None:
    rows = BudgetRows()
    same = [made_piece(f"p{number}", "text\n") for number in range(3)]
    first = rows.rows(made_request({"core": same, "log": ["a\n"]}), None)
    second = rows.rows(made_request({"core": same, "log": ["another\n"]}), None)
    assert second[0] is first[0]
    assert second[1] is not first[1]


def test_that_headings_and_frames_of_a_section_are_one_row_below_its_pieces() -> None:
    pieces = [
        made_piece("head", "# Core\n", rule="heading", tokens=3),
        made_piece("persona", "I am Ada.\n", tokens=10),
        made_piece("join", "\n", rule="join", tokens=1),
    ]
    [row] = BudgetRows().rows(made_request({"core": pieces}), None)
    assert [(value(each).name, value(each).tokens) for each in row.children] == [
        ("persona", 10),
        ("headings and frames", 4),
    ]
    assert value(row).tokens == 14


def test_that_a_section_of_structure_alone_has_no_rows_below() -> None:
    [row] = BudgetRows().rows(
        made_request({"reply": [made_piece("r", "=== reply ===\n", rule="reply_overhead")]}), None
    )
    assert row.children == ()


def test_that_a_draft_is_told_as_the_difference_to_what_is_saved() -> None:
    saved = made_request({"core": [made_piece("a", "x\n", tokens=10), made_piece("b", "y\n", tokens=5)]})
    now = made_request({"core": [made_piece("a", "x\n", tokens=19), made_piece("b", "y\n", tokens=5)]})
    [row] = BudgetRows().rows(now, BudgetGrounds(saved))
    assert [value(each).change for each in (row, *row.children)] == [9, 9, 0]
    [unchanged] = BudgetRows().rows(now, None)
    assert value(unchanged).change == 0


def test_that_a_piece_is_called_by_its_label_and_structure_by_its_rule() -> None:
    assert piece_name(made_piece("persona", "x\n")) == "persona"
    for rule in STRUCTURE:
        assert piece_name(made_piece("core/heading", "x\n", rule=rule)) != "core/heading"


def left_out(
    kind: SourceKind, id_: str, rule: str, tokens: int, fix: Fix | None = None, *, batch: bool = False
) -> LeftOut:
    source = Source(kind, id_, None if kind is SourceKind.MESSAGE else f"label of {id_}", values.ADA, batch)
    return LeftOut(source, "messages", rule, tokens, Method.EXACT, fix)


def raise_to(value: int) -> Fix:
    return Fix("raise_history_tokens", Ref(RefKind.AGENT, values.ADA), value, {"value": value})


def test_that_batches_of_one_rule_stand_together_with_the_smallest_fix() -> None:
    rows = out_rows(
        replace(
            made_request({}),
            left_out=(
                left_out(SourceKind.MESSAGE, "old", "history_full", 100, raise_to(900), batch=True),
                left_out(SourceKind.MESSAGE, "new", "history_full", 50, raise_to(700), batch=True),
                left_out(SourceKind.MESSAGE, "other", "archived", 30, None, batch=True),
                left_out(SourceKind.BLOCK, "notes", "memory_full", 120),
            ),
        )
    )
    assert [(row.name, row.tokens, row.count) for row in rows] == [
        ("2 turns", 150, 2),
        ("label of notes", 120, 1),
        ("other", 30, 1),
    ]
    assert rows[0].fix == raise_to(700)


def test_that_the_rest_of_a_block_is_named_in_the_windows_own_words() -> None:
    rests = [
        replace(
            left_out(SourceKind.BLOCK, id_, rule, 9), parameters={"label": id_, "count": count, "shown": 3}
        )
        for id_, rule, count in (("notes", "shortened_for_room", 1_133), ("journal", "log_no_room", 1))
    ]
    rows = out_rows(replace(made_request({}), left_out=tuple(rests)))
    assert sorted(row.name for row in rows) == ["journal: 1 older entry", "notes: 1,133 more lines"]


def test_that_events_and_messages_of_one_rule_stand_together_and_blocks_do_not() -> None:
    rows = out_rows(
        replace(
            made_request({}),
            left_out=(
                *(left_out(SourceKind.EVENT, f"e{n}", "event_limit", 10) for n in range(4)),
                *(left_out(SourceKind.MESSAGE, f"m{n}", "archived", 20) for n in range(3)),
                *(left_out(SourceKind.BLOCK, f"b{n}", "memory_full", 1) for n in range(2)),
            ),
        )
    )
    # Events last: there are always hundreds of them.
    assert [row.name for row in rows] == ["3 messages", "label of b0", "label of b1", "4 events"]
    assert sum(row.tokens for row in rows) == 102
    assert len({row.key for row in rows}) == 4


def reaching(id_: str, reach: int, tokens: int, fix: Fix) -> LeftOut:
    out = left_out(SourceKind.MESSAGE, id_, "history_full", tokens, fix, batch=True)
    return replace(out, parameters={"needed": tokens, "reach": reach})


def test_that_what_takes_two_settings_is_no_nearer_than_what_takes_one() -> None:
    both = Fix("raise_history", Ref(RefKind.AGENT, values.ADA), None, {"messages": 161, "tokens": 10_517})
    more = replace(both, parameters={"messages": 150, "tokens": 9_000})
    oldest, older = reaching("oldest", 10_517, 300, both), reaching("older", 9_000, 200, more)
    near = reaching("near", 5_703, 100, raise_to(5_703))
    [row] = out_rows(replace(made_request({}), left_out=(oldest, older, near)))
    assert row.fix == near.fix
    assert "5,703" in row.why
    [row] = out_rows(replace(made_request({}), left_out=(oldest, older)))
    assert row.fix == more
    assert "9,000" in row.why


def test_that_the_highest_importance_and_then_the_smallest_is_the_nearest() -> None:
    def event(id_: str, level: str, tokens: int) -> LeftOut:
        fix = Fix("lower_activity_min_importance", Ref(RefKind.AGENT, values.ADA), level, {"value": level})
        return left_out(SourceKind.EVENT, id_, "event_below_importance", tokens, fix)

    outs = (event("a", "low", 1), event("b", "medium", 9), event("c", "medium", 8))
    [row] = out_rows(replace(made_request({}), left_out=outs))
    assert row.fix == outs[2].fix
    assert row.ref == outs[2].source.ref


def test_that_a_reason_that_all_of_a_group_have_is_not_called_that_of_the_nearest() -> None:
    outs = tuple(
        replace(left_out(SourceKind.EVENT, f"e{n}", "event_too_old", 10), parameters={"needed": n})
        for n in range(3)
    )
    [row] = out_rows(replace(made_request({}), left_out=outs))
    assert row.why == "Older than the activity window."


def test_that_a_reason_that_thousands_share_is_worded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    worded: list[object] = []

    def counting(code: str, parameters: Parameters | None = None) -> str:
        worded.append(parameters)
        return tr_code(code, parameters)

    monkeypatch.setattr(budget, "tr_code", counting)
    same = left_out(SourceKind.EVENT, "e", "history_full", 10)
    outs = [replace(same, parameters={"needed": 7, "reach": 9}) for _ in range(5_000)]
    [row] = out_rows(replace(made_request({}), left_out=tuple(outs)))
    assert len(worded) == 1
    assert not row.why.startswith("Next one")
    worded.clear()
    outs[4_000] = replace(same, tokens=11, parameters={"needed": 8, "reach": 10})
    [row] = out_rows(replace(made_request({}), left_out=tuple(outs)))
    assert len(worded) == 2
    assert row.why.startswith("Next one: ")


@pytest.fixture
def agent() -> Agent:
    return values.agent(values.ADA)


@pytest.fixture
def log_block() -> Block:
    return values.state("blk_observations").block


def configured(edit: Edit | None) -> ConfigureAgent:
    assert edit is not None
    assert edit.target == Ref(RefKind.AGENT, values.ADA)
    assert isinstance(edit.operation, ConfigureAgent)
    return edit.operation


@pytest.mark.parametrize(
    ("field", "limits"),
    [
        ("memory_tokens", LimitOverrides(memory_tokens=6_789)),
        ("history_tokens", LimitOverrides(history_tokens=6_789)),
        ("max_tokens", LimitOverrides(max_tokens=6_789)),
    ],
)
def test_that_raising_a_limit_changes_that_limit_alone(
    agent: Agent, field: str, limits: LimitOverrides
) -> None:
    fix = Fix(f"raise_{field}", Ref(RefKind.AGENT, agent.id), 6_789)
    assert configured(edit_for(fix, agent)).config == replace(agent.config, limits=limits)


@pytest.mark.parametrize(
    ("action", "value", "read"),
    [
        ("raise_max_messages_cap", 900, lambda config: config.max_messages_cap),
        ("raise_activity_lookback_hours", 48, lambda config: config.activity.lookback_hours),
        ("raise_activity_entries_limit", 30, lambda config: config.activity.entries_limit),
        ("raise_keep_recent", 150, lambda config: config.strategy.keep_recent),
        ("set_layout", "xml", lambda config: config.layout),
        ("lower_activity_min_importance", "low", lambda config: config.activity.min_importance.label),
    ],
)
def test_that_a_fix_of_a_setting_sets_its_value(
    agent: Agent, action: str, value: object, read: object
) -> None:
    assert callable(read)
    high = replace(agent.config.activity, min_importance=Importance.HIGH)
    agent = replace(agent, config=replace(agent.config, activity=high))
    config = configured(edit_for(Fix(action, Ref(RefKind.AGENT, agent.id), value), agent)).config  # type: ignore[arg-type]
    assert read(config) == value
    assert config != agent.config


def test_that_a_fix_of_another_strategy_is_told_in_words_only(agent: Agent) -> None:
    window = replace(agent, config=replace(agent.config, strategy=WindowStrategy(8)))
    assert edit_for(Fix("raise_keep_recent", None, 150), window) is None
    assert edit_for(Fix("raise_verbatim_count", None, 12), agent) is None
    config = configured(edit_for(Fix("raise_verbatim_count", None, 12), window)).config
    assert config is not None
    assert config.strategy == WindowStrategy(12)
    assert agent.config.strategy == Truncate()


@pytest.mark.parametrize(
    ("fix", "operation"),
    [
        (Fix("pin", Ref(RefKind.BLOCK, "blk_observations"), True), SetPinned(True)),
        (Fix("set_type", Ref(RefKind.BLOCK, "blk_observations"), "working"), SetBlockType(BlockType.WORKING)),
        (Fix("set_display_limit", Ref(RefKind.BLOCK, "blk_observations"), 50), SetSchema(LogSchema(50))),
    ],
)
def test_that_a_fix_of_a_block_is_an_edit_of_that_block(
    agent: Agent, log_block: Block, fix: Fix, operation: Operation
) -> None:
    assert edit_for(fix, agent, log_block) == Edit(Ref(RefKind.BLOCK, "blk_observations"), operation)


@pytest.mark.parametrize(
    "fix",
    [
        Fix("raise_history", Ref(RefKind.AGENT, values.ADA), None),
        Fix("unarchive", Ref(RefKind.BATCH, "bat_1"), False),
        Fix("undrop", Ref(RefKind.BLOCK, "blk_notes"), False),
        Fix("raise_memory_tokens", Ref(RefKind.AGENT, values.ADA), None),
        Fix("raise_memory_tokens", Ref(RefKind.AGENT, values.ADA), True),
        Fix("set_type", Ref(RefKind.BLOCK, "blk_notes"), "no such type"),
        Fix("set_display_limit", Ref(RefKind.BLOCK, "blk_notes"), 50),
        Fix("pin", None, True),
        Fix("lower_activity_min_importance", None, "no such level"),
        Fix("an action of a later version", None, 1),
    ],
)
def test_that_a_fix_that_no_single_edit_makes_gives_none(agent: Agent, fix: Fix) -> None:
    assert edit_for(fix, agent, values.state("blk_notes").block) is None


def test_that_the_member_that_comes_in_next_stands_first_and_then_the_largest() -> None:
    small, near = reaching("small", 9_000, 100, raise_to(9_000)), reaching("near", 5_703, 80, raise_to(5_703))
    large = reaching("large", 10_517, 300, raise_to(10_517))
    [row] = out_rows(replace(made_request({}), left_out=(large, small, near)))
    assert [each.ref.id for each in member_rows(row, 10) if each.ref is not None] == [
        "near",
        "large",
        "small",
    ]
