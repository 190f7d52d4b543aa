from collections.abc import Iterator
from dataclasses import replace
from random import Random

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from inspector.context.blocks import read_block
from inspector.context.builder import ContextBuilder
from inspector.context.identity import BuildCache
from inspector.domain.blocks import TextSchema, Viewport
from inspector.domain.content import TextContent
from inspector.domain.errors import InspectorError
from inspector.domain.requests import Mark, MarksOnDemand, Request
from inspector.domain.snapshot import RequestSpec, Snapshot
from tests.context.builders import (
    a_block,
    a_snapshot,
    a_spec,
    a_turn,
    all_pieces,
    new_builder,
    working,
)
from tests.context.random_cases import a_request_case, hostile


def outcome(builder: ContextBuilder, snapshot: Snapshot, spec: RequestSpec) -> Request | str:
    try:
        return builder.build(snapshot, spec)
    except InspectorError as error:
        return str(error)


@settings(max_examples=30)
@given(st.integers(0, 2**32))
# A persona that ends with a line break begins the system string of one layout and stands within that of another.
@example(8230)
# A persona that begins with a space begins the system string bare and stands within that of another enclosed.
@example(8232)
def test_that_caches_change_no_result_whatever_was_built_before(seed: int) -> None:
    chance, warm = Random(seed), new_builder()
    snapshot, _ = a_request_case(seed)
    asked = [replace(a_request_case(seed + at)[1], active_batch=None) for at in range(chance.randint(1, 3))]
    for spec in asked:
        assert outcome(warm, snapshot, spec) == outcome(new_builder(), snapshot, spec)
    plain = [state.block.id for state in snapshot.own if isinstance(state.block.schema, TextSchema)]
    assume(plain)
    for _ in range(chance.randrange(4)):
        drafted = snapshot.with_drafts({chance.choice(plain): TextContent(hostile(chance))})
        spec = chance.choice(asked)
        assert outcome(warm, drafted, spec) == outcome(new_builder(), drafted, spec)
        assert outcome(warm, snapshot, spec) == outcome(new_builder(), snapshot, spec)


def test_that_a_draft_makes_one_new_piece_and_takes_over_the_others() -> None:
    builder = new_builder()
    blocks = [working(f"w{number}", f"text {number}") for number in range(20)]
    snapshot = a_snapshot(*blocks, history=tuple(a_turn(number) for number in range(1, 30)))
    before = {piece.id: piece for piece in all_pieces(builder.build(snapshot, a_spec()))}
    drafted = snapshot.with_drafts({"blk_w7": TextContent("another text")})
    after = {piece.id: piece for piece in all_pieces(builder.build(drafted, a_spec()))}
    new = {name for name, piece in after.items() if piece is not before[name]}
    assert new <= {"block:blk_w7", "literal:system/frame", "literal:reply"}
    assert "block:blk_w7" in new


def test_that_rows_of_the_left_out_history_are_taken_over_while_their_figures_stay() -> None:
    builder = new_builder()
    history = tuple(a_turn(number, "word " * 30) for number in range(1, 200))
    snapshot = a_snapshot(a_block("persona", "a"), history=history)
    before = builder.build(snapshot, a_spec()).left_out
    drafted = snapshot.with_drafts({"blk_persona": TextContent("a b c d")})
    after = builder.build(drafted, a_spec()).left_out
    assert len(before) > 100
    assert all(one is other for one, other in zip(before, after, strict=True))


def test_that_one_builder_serves_many_agents() -> None:
    builder = new_builder()
    one = a_snapshot(a_block("persona", "one"))
    other = a_snapshot(a_block("persona", "other"), agent=replace(one.agent, id="agent_eve", name="Eve"))
    for snapshot in (one, other, one, other):
        assert builder.build(snapshot, a_spec()) == new_builder().build(snapshot, a_spec())


def test_that_what_was_made_of_a_draft_is_forgotten_with_the_builds_that_follow() -> None:
    cache, made = BuildCache(), list[object]()
    kept, drafts = (
        working("kept", "text"),
        [replace(working("draft", f"{at}"), draft=True) for at in range(3)],
    )

    def note(value: object) -> object:
        def make() -> object:
            made.append(value)
            return value

        return cache.parts.get(value, "part", make)

    for draft in drafts:
        cache.note_build()
        for value in (kept, draft, draft):
            assert note(value) is value
    assert made == [kept, *drafts]
    note(kept)
    note(drafts[0])
    assert made == [kept, *drafts, drafts[0]]


@given(st.text(alphabet="a\n", max_size=6), st.booleans())
def test_that_a_block_can_be_cut_where_it_has_more_than_one_line(text: str, windowed: bool) -> None:
    schema = TextSchema(Viewport(1, 3) if windowed else None)
    view = read_block(a_block("cut", TextContent(text), schema=schema))
    assert view.is_divisible is (view.whole.count > 1)


@given(st.lists(st.integers(0, 50), max_size=5))
def test_that_marks_on_demand_are_the_marks_and_made_once(starts: list[int]) -> None:
    made: list[int] = []

    def make() -> Iterator[Mark]:
        made.append(1)
        yield from (Mark("item", f"i{at}", at, at + 1) for at in starts)

    marks, plain = MarksOnDemand(make), tuple(Mark("item", f"i{at}", at, at + 1) for at in starts)
    assert made == []
    assert marks == plain
    assert plain == marks
    assert marks == MarksOnDemand(lambda: plain)
    assert marks != (*plain, Mark("item", "more", 0, 1))
    assert (tuple(marks), len(marks), marks[:2], hash(marks)) == (plain, len(plain), plain[:2], hash(plain))
    assert made == [1]
