import random
from dataclasses import replace
from typing import Any

import pytest

from inspector.context.counting.pool import counter_for
from inspector.context.linting.lint import lint
from inspector.context.linting.passages import Words, passages
from inspector.domain.agents import ToolRule, ToolRuleKind
from inspector.domain.blocks import ListSchema, Permission
from inspector.domain.content import ListContent, ListItem
from inspector.domain.limits import LimitOverrides
from inspector.domain.lint import Finding, LintRule, LintSettings
from inspector.domain.messages import Batch
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import Snapshot
from tests.context.builders import (
    BUILDER,
    EXACT_MODEL,
    LAYOUTS,
    MODELS,
    POOL,
    a_block,
    a_call_turn,
    a_snapshot,
    a_spec,
    a_tool,
    a_turn,
    all_pieces,
    an_agent,
    working,
)

POLICY = (
    "After the freeze only fixes with a number go into a release branch, and whoever merges one writes down why "
    "it could not wait for the next version."
)


def look(snapshot: Snapshot, settings: LintSettings | None = None, **spec: object) -> list[Finding]:
    request = BUILDER.build(snapshot, a_spec(**spec))
    return list(lint(snapshot, request, counter_for(request.model, MODELS, POOL), settings))


def of(findings: list[Finding], rule: LintRule) -> list[Finding]:
    return [each for each in findings if each.rule is rule]


def block(name: str) -> Ref:
    return Ref(RefKind.BLOCK, f"blk_{name}")


def test_that_the_same_words_in_two_blocks_are_found_with_what_they_cost() -> None:
    snapshot = a_snapshot(
        a_block("a", f"Policy.\n{POLICY}\nMore of this block."),
        a_block("b", f"Something else first. {POLICY.upper()} And on."),
        agent=an_agent(model=EXACT_MODEL),
    )
    (found,) = of(look(snapshot), LintRule.DUPLICATE_TEXT)
    assert (found.where, found.others) == (block("b"), (block("a"),))
    assert found.tokens == POOL.counter(MODELS.resolve(EXACT_MODEL)).count(POLICY.upper()[:-1]).tokens
    assert found.fix is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Be brief and kind to everybody.", "Be brief and kind to everybody."),
        (POLICY, " ".join(reversed(POLICY.split()))),
        ("- - - -\n" * 40, "- - - -\n" * 40),
        ("0 0 0 0 " * 20, "0 0 0 0 " * 20),
        (POLICY[:60], POLICY[60:]),
    ],
    ids=["short", "other order", "a border", "zeros", "halves"],
)
def test_that_what_only_looks_alike_is_no_duplicate(one: str, other: str) -> None:
    assert not of(look(a_snapshot(a_block("a", one), a_block("b", other))), LintRule.DUPLICATE_TEXT)


def test_that_a_block_that_repeats_itself_is_no_duplicate_of_another() -> None:
    assert not of(look(a_snapshot(a_block("a", f"{POLICY}\n{POLICY}"))), LintRule.DUPLICATE_TEXT)


def test_that_what_a_layout_writes_around_each_block_is_no_duplicate() -> None:
    frame = "<{label}>\n{description}\n<note>" + POLICY + "</note>\n{value}\n</{label}>"
    layout = replace(LAYOUTS["minimal"], name="framed", block=frame, line="{number}: {line}")
    one = a_block("a", "Something of its own.\nAnd more of it.", description="The same for both.")
    other = a_block("b", "Quite another thing.\nIn two lines.", description="The same for both.")
    snapshot = replace(a_snapshot(one, other), layouts={"framed": layout})
    assert not of(look(snapshot, layout="framed"), LintRule.DUPLICATE_TEXT)
    same = a_block("b", f"Quite another thing.\n{POLICY}\nAnd more.")
    there = a_block("a", f"First.\n{POLICY}\nLast.")
    snapshot = replace(a_snapshot(there, same), layouts={"framed": layout})
    (found,) = of(look(snapshot, layout="framed"), LintRule.DUPLICATE_TEXT)
    assert (found.where, found.others) == (block("b"), (block("a"),))


def test_that_a_message_that_quotes_a_block_is_no_duplicate() -> None:
    snapshot = a_snapshot(a_block("a", POLICY), history=(a_turn(1, POLICY),))
    assert not of(look(snapshot), LintRule.DUPLICATE_TEXT)


def test_that_text_without_spaces_is_compared_too() -> None:
    text = "凍結後は番号のある修正だけがリリースブランチに入ります。"
    snapshot = a_snapshot(a_block("a", text), a_block("b", f"別の話。{text}"))
    assert of(look(snapshot), LintRule.DUPLICATE_TEXT)


def test_that_all_passages_of_two_texts_are_found_and_no_word_twice() -> None:
    words = [f"w{n}" for n in range(60)]
    texts = [Words.of(" ".join(words)), Words.of(" ".join([*words[:20], "x", *words[30:55]]))]
    assert [(each.start, each.end) for each in passages(texts, 12)] == [(0, 20), (21, 46)]


class OneHash(str):
    """A word whose hash is that of every other."""

    def __hash__(self) -> int:
        return 1


def test_that_passages_are_the_same_where_all_words_have_one_hash() -> None:
    chance = random.Random(5)
    for _ in range(30):
        texts = [Words.of(" ".join(chance.choices("abcd", k=60))) for _ in range(3)]
        same = [replace(each, words=tuple(map(OneHash, each.words))) for each in texts]
        found = list(passages(texts, 3))
        assert found == list(passages(same, 3))
        for each in found:
            words = texts[each.here].words[each.start : each.start + 3]
            there = texts[each.there].words
            assert any(there[at : at + 3] == words for at in range(len(there)))


class Counted(tuple[str, ...]):
    """Words that count in `reads` how many of them are read."""

    reads: list[int]

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        self.reads.append(len(found) if isinstance(at, slice) else 1)
        return found


@pytest.mark.parametrize("text", ["same ", "one two three ", "{} "])
def test_that_the_work_grows_with_the_text_and_not_with_its_square(text: str) -> None:
    def reads(size: int) -> int:
        plain = Words.of("".join(text.format(n) for n in range(size)))
        counted = Counted(plain.words)
        counted.reads = []
        list(passages([plain, replace(plain, words=counted)], 12))
        return sum(counted.reads)

    assert 0 < reads(4000) <= 5 * reads(1000)


def test_that_a_description_that_says_the_same_is_found() -> None:
    text = "How the release is cut."
    snapshot = a_snapshot(a_block("a", text, description="How the release is cut"))
    (found,) = of(look(snapshot), LintRule.DESCRIPTION_IS_CONTENT)
    assert found.where == block("a")
    assert found.tokens > 0


@pytest.mark.parametrize(
    ("text", "description"),
    [("How the release is cut, step by step.", "How the release is cut"), ("Ada", "Ada"), ("Linus", "")],
)
def test_that_a_description_that_says_less_or_hardly_anything_is_fine(text: str, description: str) -> None:
    snapshot = a_snapshot(a_block("a", text, description=description))
    assert not of(look(snapshot), LintRule.DESCRIPTION_IS_CONTENT)


def test_that_a_description_that_is_not_sent_costs_nothing() -> None:
    text = "How the release is cut."
    snapshot = a_snapshot(a_block("a", text, description=text))
    assert not of(look(snapshot, include_descriptions=False), LintRule.DESCRIPTION_IS_CONTENT)


@pytest.mark.parametrize(("length", "is_near"), [(89, False), (90, True), (100, True), (101, False)])
def test_that_a_block_is_near_its_limit_from_nine_tenths_on_and_until_it_is_over(
    length: int, is_near: bool
) -> None:
    snapshot = a_snapshot(a_block("a", "x" * length, char_limit=100))
    found = of(look(snapshot), LintRule.NEAR_CHAR_LIMIT)
    assert bool(found) is is_near
    assert all(each.fix is not None and each.fix.value == 150 for each in found)


def test_that_a_list_is_near_its_limit() -> None:
    items = ListContent(tuple(ListItem(f"i{n}", "text") for n in range(9)))
    snapshot = a_snapshot(a_block("a", items, schema=ListSchema(max_items=10)))
    assert of(look(snapshot), LintRule.NEAR_MAX_ITEMS)


def test_that_memory_and_window_are_told_when_they_are_nearly_full() -> None:
    snapshot = a_snapshot(a_block("a", "word " * 200))
    limits = LimitOverrides(max_tokens=290, memory_tokens=220, reserved_response_tokens=30)
    found = look(snapshot, limits=limits)
    assert of(found, LintRule.NEAR_MEMORY_CAP)
    assert of(found, LintRule.NEAR_WINDOW)
    assert not of(look(snapshot), LintRule.NEAR_MEMORY_CAP)


def with_tools(count: int, *rules: ToolRule, **changes: object) -> Snapshot:
    return a_snapshot(
        agent=an_agent(tools=("find", "save")),
        tools=(a_tool("find"), a_tool("save")),
        history=tuple(a_call_turn(n) for n in range(1, count + 1)),
        tool_rules=rules,
        **changes,
    )


def test_that_a_tool_without_a_call_is_found_with_what_its_definition_takes() -> None:
    snapshot = with_tools(20)
    (found,) = of(look(snapshot), LintRule.UNUSED_TOOL)
    assert found.where == Ref(RefKind.TOOL, "save")
    request = BUILDER.build(snapshot, a_spec())
    assert found.tokens == next(each.tokens for each in all_pieces(request) if each.id == "tool:save")


def test_that_a_tool_s_rules_are_saved_with_its_definition() -> None:
    rule = ToolRule("r1", "agent_ada", "save", ToolRuleKind.CONTINUE, "{}")
    snapshot = with_tools(20, rule)
    (found,) = of(look(snapshot), LintRule.UNUSED_TOOL)
    pieces = all_pieces(BUILDER.build(snapshot, a_spec()))
    both = {each.id: each.tokens for each in pieces if each.id in ("tool:save", "tool_rules:save")}
    assert len(both) == 2
    assert found.tokens == sum(both.values())


def test_that_few_calls_prove_nothing() -> None:
    assert not of(look(with_tools(19)), LintRule.UNUSED_TOOL)
    assert not of(look(with_tools(0)), LintRule.UNUSED_TOOL)


def test_that_a_call_in_the_archive_counts() -> None:
    old = a_call_turn(50, "save")
    archived = Batch(old.id, tuple(replace(each, is_archived=True) for each in old.messages))
    snapshot = with_tools(20)
    assert not of(look(replace(snapshot, history=(archived, *snapshot.history))), LintRule.UNUSED_TOOL)


def test_that_a_tool_that_another_s_rule_asks_for_is_of_use() -> None:
    rule = ToolRule("r1", "agent_ada", "find", ToolRuleKind.REQUIRES_PRECEDING, '{"tools": ["save"]}')
    assert not of(look(with_tools(20, rule)), LintRule.UNUSED_TOOL)


OLD = {"minutes": 60 * 24 * 50}


def turns(count: int) -> tuple[Batch, ...]:
    # Their messages are of three days before NOW.
    return tuple(a_turn(n) for n in range(1, count + 1))


def test_that_a_block_that_nobody_writes_while_the_agent_works_is_stale() -> None:
    snapshot = a_snapshot(working("old", "text", **OLD), working("new"), history=turns(10))
    (found,) = of(look(snapshot), LintRule.STALE_BLOCK)
    assert found.where == block("old")
    assert found.tokens > 0


@pytest.mark.parametrize(
    "changes", [{"pinned": True}, {"permission": Permission.READ_ONLY}, {"minutes": 60 * 24 * 20}]
)
def test_that_what_is_held_on_purpose_or_is_not_old_is_not_stale(changes: dict[str, object]) -> None:
    snapshot = a_snapshot(working("old", "text", **{**OLD, **changes}), history=turns(10))
    assert not of(look(snapshot), LintRule.STALE_BLOCK)


def test_that_nothing_is_stale_where_the_agent_did_not_work() -> None:
    snapshot = a_snapshot(working("old", "text", **OLD), history=turns(9))
    assert not of(look(snapshot), LintRule.STALE_BLOCK)
    assert not of(look(replace(snapshot, history=())), LintRule.STALE_BLOCK)


def test_that_a_secret_is_found_wherever_it_is_sent_and_never_repeated() -> None:
    secret = "ghp_" + "".join(random.Random(1).choices("abcdefghijkABCDEFG0123456789", k=36))
    snapshot = a_snapshot(
        a_block("a", f"token {secret}"),
        agent=an_agent(persona=f"I use {secret}."),
        history=(a_turn(1, f"take {secret}", size=1), a_turn(2)),
    )
    found = of(look(snapshot), LintRule.SECRET)
    assert {each.where.kind for each in found} >= {RefKind.BLOCK, RefKind.LITERAL}
    assert all(secret not in str(each) for each in found)
    assert found[0] == look(snapshot)[0]


def test_that_findings_are_the_same_each_time_and_a_plain_context_has_none() -> None:
    snapshot = a_snapshot(a_block("a", POLICY), a_block("b", POLICY), history=turns(3))
    assert look(snapshot) == look(snapshot)
    assert look(a_snapshot(a_block("a", "A few words."), history=turns(3))) == []


@pytest.mark.parametrize("first", ["DB_PASSWORD=", "PGPASS: "])
def test_that_no_secret_is_told_by_a_duplicate_that_begins_with_it(first: str) -> None:
    secret = "Zx81kQpLm27Tt"
    second = {"DB_PASSWORD=": "PGPASS: ", "PGPASS: ": "DB_PASSWORD="}[first]
    snapshot = a_snapshot(
        a_block("a", f"{first}{secret} {POLICY}"), a_block("b", f"{second}{secret} {POLICY}")
    )
    found = look(snapshot)
    assert of(found, LintRule.DUPLICATE_TEXT)
    assert all(secret not in str(each) for each in found)


def test_that_a_private_key_in_two_blocks_is_in_no_finding() -> None:
    body = "".join(random.Random(3).choices("abcdefghijkABCDEFG0123456789+/", k=64))
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n{body}==\n-----END RSA PRIVATE KEY-----"
    found = look(a_snapshot(a_block("a", f"{key}\n{POLICY}"), a_block("b", f"{key}\n{POLICY}")))
    assert of(found, LintRule.DUPLICATE_TEXT)
    assert all(body[:12] not in str(each) for each in found)


def test_that_no_secret_is_told_even_where_it_is_a_label() -> None:
    secret = "ghp_" + "a1B2" * 9
    passage = f"{POLICY[:60]} {secret} {POLICY[60:]}"
    tool = a_tool(secret)
    snapshot = a_snapshot(
        a_block(secret, passage, id="blk_a", char_limit=len(passage)),
        a_block("b", passage, id="blk_b"),
        agent=an_agent(tools=(secret,)),
        tools=(tool,),
        history=tuple(a_call_turn(at) for at in range(1, 4)),
    )
    found = look(snapshot, LintSettings(least_calls=3))
    rules = {each.rule for each in found}
    assert rules >= {LintRule.SECRET, LintRule.DUPLICATE_TEXT, LintRule.NEAR_CHAR_LIMIT, LintRule.UNUSED_TOOL}
    for each in found:
        told = [each.parameters, {} if each.fix is None else each.fix.parameters]
        assert secret not in str(told)
        assert "ghp_" in str(told) or each.where == block("b")


def test_that_rules_pause_in_long_texts_and_find_the_same() -> None:
    text = f"{POLICY}\nkey sk-ant-api03-{'aB3dE5fG7h' * 9}\n" + " ".join(f"word{n}" for n in range(20_000))
    snapshot = a_snapshot(a_block("a", text, char_limit=0), a_block("b", text, char_limit=0))
    request = BUILDER.build(snapshot, a_spec())
    pauses: list[None] = []
    counter = counter_for(request.model, MODELS, POOL)
    found = lint(snapshot, request, counter, pause=lambda: pauses.append(None))
    assert found == lint(snapshot, request, counter)
    assert {LintRule.SECRET, LintRule.DUPLICATE_TEXT} <= {each.rule for each in found}
    # Each text is searched for secrets in stretches, cut into words, and compared.
    assert len(pauses) > 3 * len(text) // 32_000
