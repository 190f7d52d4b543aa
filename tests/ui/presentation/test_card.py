from dataclasses import replace

from inspector.domain.blocks import Permission
from inspector.domain.counts import Method
from inspector.domain.errors import DocumentError, Parameters, Problem, Severity
from inspector.domain.messages import BatchType, Message, Role, TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix, LeftOut, Source, SourceKind
from inspector.domain.rules import OutRule
from inspector.domain.summaries import PositionRange, Summary, SummaryDetails
from inspector.runtime.wording import word
from inspector.ui.presentation.card import card_for, level_name
from inspector.ui.presentation.card_values import Card, CardFacts, StoredMessage
from tests.ui import values

CHECKLIST = Ref(RefKind.BLOCK, "blk_checklist")
FACTS = CardFacts(
    values.NOW,
    values.request(),
    {},
    {block_id: values.state(block_id) for block_id in values.BLOCKS},
    {block_id: values.shared(block_id) for block_id in values.SHARED},
    values.NAMES,
    {"blk_checklist": 167},
)


def card(ref: Ref, facts: CardFacts = FACTS) -> Card:
    made = card_for(ref, facts)
    assert made is not None
    return made


def rows(ref: Ref, facts: CardFacts = FACTS) -> dict[str, str]:
    return {row.name: row.text for row in card(ref, facts).rows}


def test_that_nothing_selected_is_no_card() -> None:
    assert card_for(None, FACTS) is None


def test_that_a_block_says_why_it_is_in_who_wrote_and_what_it_costs() -> None:
    said = rows(CHECKLIST)
    assert said["Why it's in"] == word("rule.working_pinned", {"tokens": 96, "available": 2306})
    assert said["Last written"].startswith("Ada, ")
    assert said["Last written"].endswith("tool call call_block_edit · version 31")
    assert said["Characters"] == "167 of 5,000"
    assert said["Tokens"] == "96 · exact (o200k_base) · 0.7 % of the context window (14,500)"
    assert card(CHECKLIST).note == "working · list · read and write"


def test_that_every_level_has_words_of_its_own() -> None:
    said = [level_name(level) for level in Permission]
    assert len(set(said)) == len(said)
    assert not [each for each in said if "_" in each]


def test_that_a_left_out_block_says_why_and_what_would_help() -> None:
    said = rows(Ref(RefKind.BLOCK, "blk_notes"))
    assert said["Why it's out"] == word("left_out.memory_full", {"needed": 2310, "available": 2306})
    assert said["To include it"] == word("fix.pin")
    assert said["Would need"] == "2,310 · exact"


def test_that_a_block_of_which_only_a_part_had_room_says_both() -> None:
    request = values.request()
    source = Source(SourceKind.BLOCK, "blk_checklist", "release_checklist: 9 more lines", values.ADA)
    told_of: Parameters = {"label": "release_checklist", "count": 9, "shown": 3}
    row = LeftOut(source, "working", OutRule.SHORTENED, 120, Method.EXACT, None, told_of)
    facts = replace(FACTS, request=replace(request, left_out=(row, *request.left_out)))
    said = rows(CHECKLIST, facts)
    assert said["Why it's in"]
    assert said["Why only a part"] == word("left_out.shortened_for_room", told_of)
    # What a hint's absence tells is no part of the block's own text.
    hint = replace(row, rule=OutRule.WINDOW_FULL, section="hints")
    facts = replace(FACTS, request=replace(request, left_out=(hint, *request.left_out)))
    assert "Why only a part" not in rows(CHECKLIST, facts)


def test_that_a_text_of_the_layout_is_told_without_the_programs_own_name_of_it() -> None:
    request = values.request()
    piece = next(
        each
        for section in request.sections
        for each in section.pieces
        if each.source.kind is SourceKind.LITERAL
    )
    assert piece.source.id
    said = rows(Ref(RefKind.LITERAL, piece.id))
    assert said["Source"].startswith("instructions and layout text")
    assert piece.source.id not in said["Source"]


def test_that_a_draft_with_which_no_request_can_be_built_has_no_difference() -> None:
    facts = replace(
        FACTS,
        request=None,
        saved_tokens={"block:blk_checklist": 87},
        blocks={"blk_checklist": replace(values.state("blk_checklist"), draft=True)},
    )
    assert rows(CHECKLIST, facts)["Your draft"] == "unsaved"


def test_that_a_draft_says_its_difference_in_tokens() -> None:
    facts = replace(
        FACTS,
        saved_tokens={"block:blk_checklist": 87},
        blocks={"blk_checklist": replace(values.state("blk_checklist"), draft=True)},
    )
    assert rows(CHECKLIST, facts)["Your draft"] == "unsaved, +9 tokens"
    one_less = replace(facts, saved_tokens={"block:blk_checklist": 97})
    assert rows(CHECKLIST, one_less)["Your draft"] == "unsaved, −1 token"


def test_that_a_shared_block_names_its_owner_and_the_lower_level() -> None:
    assert card(Ref(RefKind.BLOCK, "blk_oncall")).note == "shared by Grace · working · text · read-only"


def test_that_an_unreadable_block_tells_its_problem() -> None:
    problem = Problem("document.damaged", Severity.ERROR, str(CHECKLIST))
    facts = replace(FACTS, blocks={"blk_checklist": replace(values.state("blk_checklist"), problem=problem)})
    assert rows(CHECKLIST, facts)["Problem"] == word(DocumentError("document.damaged").code)


def test_that_a_full_block_is_told_in_the_tone_of_its_fill() -> None:
    tones = {}
    for count in (100, 4_100, 5_001):
        facts = replace(FACTS, characters={"blk_checklist": count})
        tones[count] = next(row.tone for row in card(CHECKLIST, facts).rows if row.name == "Characters")
    assert tones == {100: "text", 4_100: "warning", 5_001: "error"}


def test_that_a_message_section_and_agent_have_cards_too() -> None:
    assert rows(Ref(RefKind.MESSAGE, "msg_3"))["Source"] == "message msg_3 of Ada"
    assert rows(Ref(RefKind.SECTION, "messages"))["Contains"] == "10 pieces"
    assert rows(Ref(RefKind.AGENT, values.ADA))["Model"] == "gpt-5-mini"


def test_that_what_is_nowhere_in_the_request_says_so() -> None:
    assert rows(Ref(RefKind.MESSAGE, "msg_unknown")) == {"In the Request": "no"}


def test_that_only_fitting_actions_are_offered() -> None:
    assert "block.unpin" in card(CHECKLIST).actions
    assert "block.pin" in card(Ref(RefKind.BLOCK, "blk_notes")).actions
    assert card(Ref(RefKind.BLOCK, "blk_gone")).actions == ("block.restore",)


def test_that_what_has_only_an_id_is_called_by_its_kind() -> None:
    assert card(Ref(RefKind.CONSENT, "con_01m8e3sw0r33m2tnrbztx4")).title == "Request for approval"
    assert card(Ref(RefKind.MESSAGE, "msg_1", "nod_01m8e3swvp6v1y7q904pp0")).note == ""
    assert card(Ref(RefKind.MESSAGE, "msg_1", "phase")).note == "part phase"


def test_that_a_thing_says_what_it_adds_to_the_bill_where_prices_are_known() -> None:
    assert "$" not in rows(CHECKLIST)["Tokens"]
    priced = replace(FACTS, input_price=0.25 / 1_000_000)
    # 96 tokens, a thousand times.
    assert rows(CHECKLIST, priced)["Tokens"].endswith(" · $0.0240 for 1,000 calls without a cache")
    section = rows(Ref(RefKind.SECTION, "working"), priced)
    assert section["Tokens"].endswith(" for 1,000 calls without a cache")


MESSAGE = Message(
    "msg_old", values.ADA, 3, "bat_old", 0, Role.USER, (TextPart("Hi"),), BatchType.USER_REQUEST, values.NOW
)
SUMMARY = Summary(
    "sum_1",
    values.ADA,
    "They greeted " + "each other " * 60,
    (),
    values.NOW,
    values.NOW,
    4,
    0,
    None,
    PositionRange(1, 4),
    (),
    SummaryDetails(),
    values.NOW,
)


def of_message(message: Message, summary: Summary | None = None, facts: CardFacts = FACTS) -> dict[str, str]:
    ref = Ref(RefKind.MESSAGE, message.id)
    return rows(ref, replace(facts, message=StoredMessage(message, summary)))


def test_that_a_message_that_is_out_says_why_whatever_keeps_it_out() -> None:
    assert of_message(MESSAGE)["Why it's out"] == "Further back than the history reaches."
    assert of_message(replace(MESSAGE, is_deleted=True))["Why it's out"] == "Deleted."
    said = of_message(replace(MESSAGE, is_archived=True), SUMMARY)
    assert said["Why it's out"].startswith("Archived")
    assert said["To include it"] == "Restore it from the archive."
    assert said["Summary of it"].startswith("They greeted ")
    assert len(said["Summary of it"]) < 200
    made = card_for(Ref(RefKind.MESSAGE, "msg_old"), replace(FACTS, message=StoredMessage(MESSAGE)))
    assert made is not None
    assert made.title == "Message"
    assert made.note.startswith("user · ")


def test_that_a_message_in_a_turn_that_is_out_has_its_turns_reason() -> None:
    request = values.request()
    source = Source(SourceKind.MESSAGE, "bat_old", "4 messages", values.ADA, batch=True)
    told_of: Parameters = {"needed": 238, "reach": 5330}
    fix = Fix("raise_history_tokens", Ref(RefKind.AGENT, values.ADA), 5330, {"value": 5330})
    row = LeftOut(source, "history", OutRule.HISTORY_FULL, 238, Method.EXACT, fix, told_of)
    facts = replace(FACTS, request=replace(request, left_out=(row, *request.left_out)))
    said = of_message(MESSAGE, facts=facts)
    assert said["Why it's out"] == word("left_out.history_full", told_of)
    assert said["Its turn needs"] == "238 · exact"
    assert "Would need" not in said
    assert card(Ref(RefKind.MESSAGE, "msg_old"), facts).title == "Message"


def test_that_an_archival_entry_says_that_it_is_found_by_search() -> None:
    said = rows(Ref(RefKind.ARCHIVAL, "ent_1"))
    assert "finds them by search" in said["Why it's out"]
    assert "In the Request" not in said
