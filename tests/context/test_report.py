import json
from collections.abc import Mapping

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from inspector.context.comparison import diff
from inspector.context.report import report
from inspector.domain.errors import Parameters
from inspector.domain.requests import Request
from tests.context.builders import BUILDER, a_block, a_snapshot, a_turn, an_agent, build, working
from tests.context.history_laws import built
from tests.context.random_cases import a_request_case

SEEDS = st.integers(0, 2**32)


def word(code: str, parameters: Parameters) -> str:
    return f"{code}:{sorted(parameters)}"


def test_that_a_report_has_exactly_the_keys_of_the_contract() -> None:
    request = build(
        a_snapshot(a_block("persona", "a</persona>"), history=(a_turn(1), a_turn(2))),
        history=14,
        model="no-such",
    )
    told = report(request, word)
    assert list(told) == [
        "agent",
        "model",
        "limits",
        "total",
        "sections",
        "left_out",
        "overheads",
        "problems",
        "adaptations",
    ]
    assert list(told["limits"]) == [
        "max_tokens",
        "memory_tokens",
        "history_tokens",
        "reserved_response_tokens",
    ]
    assert list(told["total"]) == ["tokens", "exact_tokens", "method", "tokenizer", "low", "high", "range"]
    section = told["sections"][0]
    assert list(section) == ["name", "tokens", "pieces"]
    assert list(section["pieces"][0]) == ["id", "source", "rule", "tokens", "method", "span", "runs"]
    assert list(section["pieces"][0]["source"]) == ["kind", "id", "label", "owner"]
    assert list(section["pieces"][0]["runs"][0]) == ["span", "sent", "tokens", "method"]
    assert list(told["left_out"][0]) == ["source", "rule", "tokens", "fix"]
    assert list(told["left_out"][0]["fix"]) == ["action", "target", "value", "text"]
    assert list(told["problems"][0]) == ["code", "severity", "where", "message"]
    assert told["problems"][0]["message"].startswith("problem.unknown_model:")
    assert told["adaptations"][0]["code"] == "closing_tag_escaped"
    assert json.loads(json.dumps(told)) == told


@settings(max_examples=60)
@given(SEEDS)
def test_that_a_report_adds_up_and_covers_the_text(seed: int) -> None:
    request = _built(seed)
    told = report(request, word)
    end = total = 0
    for section in told["sections"]:
        assert section["tokens"] == sum(piece["tokens"] for piece in section["pieces"])
        total += section["tokens"]
        for piece in section["pieces"]:
            assert piece["tokens"] == sum(run["tokens"] for run in piece["runs"])
            assert piece["span"] == [piece["runs"][0]["span"][0], piece["runs"][-1]["span"][1]]
            for run in piece["runs"]:
                assert run["span"][0] == end
                end = run["span"][1]
    assert end == len(request.text)
    assert total == told["total"]["tokens"]


def test_that_a_comparison_names_what_came_went_changed_and_moved() -> None:
    before = build(a_snapshot(a_block("a", "one"), a_block("b", "two"), a_block("c", "three")))
    changed = a_block("b", "two and more")
    after = build(a_snapshot(a_block("c", "three"), changed, working("d", "new"), a_block("e", "five")))
    rows = {row.piece_id: row for row in diff(before, after).changes}
    assert rows["block:blk_a"].kind == "removed"
    assert rows["block:blk_a"].after == 0
    assert rows["block:blk_b"].kind == "changed"
    assert rows["block:blk_d"].kind == "added"
    assert rows["block:blk_c"].moved
    # What joins it to the next one came after it, which is no other content.
    assert rows["block:blk_c"].kind == "respelled"


def test_that_equal_requests_have_no_differences() -> None:
    snapshot = a_snapshot(a_block("a"), agent=an_agent())
    assert diff(build(snapshot), build(snapshot)).changes == ()


@settings(max_examples=60)
@given(SEEDS, SEEDS)
def test_that_differences_sum_to_the_total_s(first: int, second: int) -> None:
    before, after = _built(first), _built(second)
    found = diff(before, after)
    assert (found.before, found.after) == (before.tokens, after.tokens)
    assert sum(row.after - row.before for row in found.changes) == after.tokens - before.tokens


def _built(seed: int) -> Request:
    request = built(BUILDER, *a_request_case(seed))
    assume(request is not None)
    assert request is not None
    return request


def test_that_a_mapping_is_enough_to_word_a_report() -> None:
    words: Mapping[str, str] = {"fix.raise_history_tokens": "more"}
    request = build(a_snapshot(history=(a_turn(1), a_turn(2))), history=14)
    told = report(request, lambda code, _: words[code])
    assert told["left_out"][0]["fix"]["text"] == "more"
