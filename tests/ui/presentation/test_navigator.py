from dataclasses import replace

from inspector.domain.blocks import BlockType
from inspector.domain.counts import Count, Method
from inspector.ui.models.tree import TreeRow
from inspector.ui.presentation.navigator import (
    NavigatorAgent,
    NavigatorBlock,
    NavigatorCounts,
    NavigatorRow,
    NavigatorState,
    navigator_rows,
)

PERSONA = NavigatorBlock("b1", "persona", BlockType.CORE, Count(431, Method.EXACT))
NOTES = NavigatorBlock("b2", "design_notes", BlockType.WORKING, description="queue per tenant")
GLOSSARY = NavigatorBlock("b3", "harbor/glossary", BlockType.CORE, Count(5, Method.EXACT), owner_name="Grace")
ADA = NavigatorAgent(
    "a",
    "Ada",
    Count(10_554, Method.EXACT),
    shown=True,
    own=(PERSONA, NOTES),
    shared=(GLOSSARY,),
    counts=NavigatorCounts(messages=312),
)
STATE = NavigatorState(0.8, (ADA, NavigatorAgent("g", "Grace", loaded=False)))


def every(rows: tuple[TreeRow, ...]) -> list[NavigatorRow]:
    return [each for row in rows for each in (row.value, *every(row.children))]


def titles(rows: tuple[TreeRow, ...]) -> list[str]:
    return [row.title for row in every(rows)]


def badges(block: NavigatorBlock, state: NavigatorState = STATE) -> list[str]:
    agent = replace(ADA, own=(block,), shared=())
    rows = every(navigator_rows(replace(state, agents=(agent,))))
    row = next(row for row in rows if row.title == block.label)
    return [badge.text or badge.icon for badge in row.badges]


def test_that_blocks_stand_under_their_type_and_lists_after_them() -> None:
    assert titles(navigator_rows(STATE)) == [
        "Ada",
        "Core",
        "persona",
        "Working",
        "design_notes",
        "Shared with Ada",
        "harbor/glossary",
        "Archival entries",
        "Messages",
        "Summaries",
        "Activity",
        "Queue",
        "Approvals",
        "Sharing",
        "Grace",
        "Loading …",
    ]


def test_that_keys_are_unique_even_for_a_block_under_two_agents() -> None:
    state = NavigatorState(0.8, (ADA, replace(ADA, id="g", shared=(), own=(GLOSSARY, PERSONA))))
    keys: list[object] = []

    def gather(rows: tuple[TreeRow, ...]) -> None:
        for row in rows:
            keys.append(row.key)
            gather(row.children)

    gather(navigator_rows(state))
    assert len(keys) == len(set(keys))


def test_that_the_filter_wants_all_words_in_label_description_or_owner() -> None:
    assert "design_notes" in titles(navigator_rows(STATE, "QUEUE tenant"))
    assert titles(navigator_rows(STATE, "queue absent")) == []
    assert titles(navigator_rows(STATE, "grace")) == ["Ada", "Shared with Ada", "harbor/glossary", "Grace"]


def test_that_empty_groups_show_only_when_asked_for() -> None:
    assert "Log" not in titles(navigator_rows(STATE))
    assert "Log" in titles(navigator_rows(replace(STATE, show_empty=True)))


def test_that_each_state_of_a_block_has_its_badge() -> None:
    assert badges(PERSONA) == ["431"]
    assert badges(replace(PERSONA, count=Count(431, Method.RECONSTRUCTED))) == ["~431"]
    assert badges(replace(PERSONA, draft=True)) == ["draft", "431"]
    assert badges(replace(PERSONA, changed_elsewhere=True)) == ["●", "431"]
    assert badges(replace(PERSONA, left_out=True)) == ["left out"]
    assert badges(replace(PERSONA, in_part=True)) == ["in part", "431"]
    assert badges(replace(PERSONA, read_only=True, pinned=True)) == ["431", "pin", "lock"]
    assert badges(replace(PERSONA, problem="unreadable")) == ["warning", "431"]


def test_that_a_shared_block_has_its_tokens_and_its_owner_goes_first_where_there_is_no_room() -> None:
    row = next(row for row in every(navigator_rows(STATE)) if row.title == "harbor/glossary")
    assert [(badge.text, badge.yields) for badge in row.badges] == [("Grace", True), ("5", False)]
    assert row.tip == "harbor/glossary\nowned by Grace"


def test_that_a_block_near_its_limit_says_how_near() -> None:
    assert badges(replace(PERSONA, filled=0.96)) == ["96 %", "431"]
    assert badges(replace(PERSONA, filled=1014.78)) == ["101,478 %", "431"]
    assert badges(replace(PERSONA, filled=0.79)) == ["431"]
    assert badges(replace(PERSONA, filled=0.79), replace(STATE, near_limit=0.5)) == ["79 %", "431"]


def test_that_an_agent_of_which_nothing_is_exact_says_so() -> None:
    agent = replace(ADA, count=Count(10_554, Method.ESTIMATE))
    assert navigator_rows(NavigatorState(0.8, (agent,)))[0].value.badges[0].text == "~10,554"


def test_that_what_is_only_coloured_is_spoken() -> None:
    agent = replace(ADA, own=(replace(PERSONA, draft=True, changed_elsewhere=True),))
    row = next(row for row in every(navigator_rows(NavigatorState(0.8, (agent,)))) if row.title == "persona")
    assert row.spoken == "persona, changed elsewhere, unsaved draft, 431 tokens"


def test_that_a_waiting_consent_stands_out() -> None:
    agent = replace(ADA, counts=NavigatorCounts(consent=1, messages=0))
    rows = {row.title: row for row in every(navigator_rows(NavigatorState(0.8, (agent,))))}
    assert rows["Approvals"].badges[0].tone == "warning"
    assert rows["Messages"].badges[0].tone == "muted"
    assert rows["Queue"].badges == ()
