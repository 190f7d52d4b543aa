import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.context.packing import (
    Item,
    Packing,
    RoomNeeded,
    SpaceDemand,
    Variant,
    fill_sections,
    most_value,
    pack,
    steps,
    take_steps,
)

MANY = settings(max_examples=200, deadline=None)

wishes = st.lists(
    st.builds(
        SpaceDemand,
        st.just(""),
        st.integers(0, 60),
        st.integers(0, 12),
        st.one_of(st.none(), st.integers(0, 60)),
        st.sampled_from([0, 10, 50]),
        st.sampled_from([0.5, 1.0, 1.0, 3.0, 10.0]),
        st.booleans(),
    ),
    min_size=1,
    max_size=7,
).map(
    lambda found: [
        SpaceDemand(f"s{at}", w.demand, w.minimum, w.maximum, w.priority, w.weight, w.grow)
        for at, w in enumerate(found)
    ]
)
variants = st.builds(Variant, st.integers(0, 40), st.floats(0, 50, allow_nan=False))
items = st.lists(st.lists(variants, min_size=1, max_size=4), max_size=12)


def filled(asked: list[SpaceDemand], room: int) -> dict[str, int]:
    return fill_sections(asked, room + sum(wish.reserved for wish in asked))


def test_that_a_higher_priority_is_served_first_beyond_everybody_s_reserve() -> None:
    asked = [SpaceDemand("low", 100, minimum=15), SpaceDemand("high", 100, priority=1)]
    assert fill_sections(asked, 90) == {"low": 15, "high": 75}
    assert fill_sections(asked, 130) == {"low": 30, "high": 100}


@MANY
@given(wishes, st.integers(0, 300))
def test_that_sections_get_no_more_than_there_is_and_all_of_it_where_they_want_it(
    asked: list[SpaceDemand], room: int
) -> None:
    given_ = filled(asked, room)
    total = room + sum(wish.reserved for wish in asked)
    assert sum(given_.values()) <= total
    for wish in asked:
        assert wish.reserved <= given_[wish.name] <= wish.most
    if all(wish.grow for wish in asked):
        assert sum(given_.values()) == min(total, sum(wish.most for wish in asked))


@MANY
@given(wishes, st.integers(0, 200))
def test_that_with_more_room_no_section_gets_less(asked: list[SpaceDemand], room: int) -> None:
    before, after = filled(asked, room), filled(asked, room + 1)
    assert all(after[name] >= count for name, count in before.items())


@MANY
@given(wishes, st.integers(0, 60))
def test_that_the_room_that_is_told_gives_a_section_what_it_wants(
    asked: list[SpaceDemand], wanted: int
) -> None:
    name = asked[0].name
    room = RoomNeeded(asked, name).room(wanted)
    assert fill_sections(asked, room)[name] >= min(wanted, asked[0].most)
    if all(wish.grow for wish in asked) and wanted > asked[0].reserved and asked[0].most >= wanted:
        less = max(room - len(asked), sum(wish.reserved for wish in asked))
        assert less >= room or fill_sections(asked, less)[name] < wanted


def fits(found: Packing, given_: list[Item], room: int) -> bool:
    spent = sum(
        item[form].tokens for item, form in zip(given_, found.chosen, strict=True) if form is not None
    )
    return spent == found.tokens <= max(0, room)


@MANY
@given(items, st.integers(-5, 200))
def test_that_a_choice_fits_and_misses_less_than_one_step_of_the_best(given_: list[Item], room: int) -> None:
    found = pack(given_, room)
    assert fits(found, given_, room)
    largest = max((step.value for step in steps(given_)), default=0.0)
    assert found.value >= most_value(given_, room) - largest - 1e-6


@MANY
@given(st.lists(st.lists(variants, min_size=1, max_size=2), max_size=6), st.integers(0, 90))
def test_that_no_choice_is_worth_more_than_the_bound(given_: list[Item], room: int) -> None:
    best = 0.0
    for forms in product(*[(None, *range(len(item))) for item in given_]):
        taken = [item[form] for item, form in zip(given_, forms, strict=True) if form is not None]
        if sum(each.tokens for each in taken) <= room:
            best = max(best, sum(each.value for each in taken))
    assert pack(given_, room).value <= best + 1e-6 <= most_value(given_, room) + 2e-6


@MANY
@given(items, st.integers(0, 150))
def test_that_more_room_never_gives_less_value_by_steps(given_: list[Item], room: int) -> None:
    ordered = steps(given_)

    def worth(space: int) -> float:
        chosen, _ = take_steps(ordered, len(given_), space)
        return sum(item[form].value for item, form in zip(given_, chosen, strict=True) if form is not None)

    assert worth(room + 1) >= worth(room) - 1e-9


def test_that_a_form_that_costs_more_and_gives_less_is_never_taken() -> None:
    assert pack([[Variant(10, 5.0), Variant(20, 4.0)]], 100).chosen == (0,)


def pilot_items(chance: random.Random, count: int) -> list[Item]:
    """Items as the pilot's: sizes as texts have them, value apart from size, shorter forms worth more a token."""
    found: list[Item] = []
    for _ in range(count):
        tokens, value = max(20, int(chance.lognormvariate(6.5, 0.8))), chance.uniform(0.1, 1.0)
        forms = [Variant(tokens, value)]
        forms += [
            Variant(max(5, int(tokens * part)), value * worth) for part, worth in ((0.35, 0.6), (0.04, 0.2))
        ]
        found.append(forms)
    return found


@pytest.mark.parametrize(
    ("count", "room", "utilisation", "share"), [(100, 20_000, 0.996, 0.998), (30, 8_000, 0.961, 0.9905)]
)
def test_that_utilisation_and_value_reach_what_the_pilot_reached(
    count: int, room: int, utilisation: float, share: float
) -> None:
    chance = random.Random(7)
    for _ in range(60):
        given_ = pilot_items(chance, count)
        found = pack(given_, room)
        assert found.value / most_value(given_, room) >= share
        if sum(item[0].tokens for item in given_) >= room:
            assert found.tokens / room >= utilisation
