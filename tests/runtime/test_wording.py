"""Every code that the engine can say has words, and wording never fails."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inspector.domain.lint import LintRule
from inspector.domain.rules import InRule, OutRule
from inspector.runtime.wording import catalogue, word

PACKAGE = Path(__file__).resolve().parents[2] / "inspector"
CODE = re.compile(
    r"\"((?:refused|not_found|ambiguous|malformed|input|file|document|told|problem)\.[a-z0-9_]+)\""
)


@pytest.mark.parametrize("rule", list(InRule))
def test_that_every_reason_to_be_in_has_words(rule: InRule) -> None:
    assert f"rule.{rule}" in catalogue()


@pytest.mark.parametrize("rule", list(OutRule))
def test_that_every_reason_to_be_out_has_words(rule: OutRule) -> None:
    assert f"left_out.{rule}" in catalogue()


def test_that_every_code_in_the_source_has_words() -> None:
    # The window's actions are called `file.open` and the like.
    sources = (path for path in PACKAGE.rglob("*.py") if "ui" not in path.relative_to(PACKAGE).parts)
    codes = {match[1] for path in sources for match in CODE.finditer(path.read_text(encoding="utf-8"))}
    assert len(codes) > 50
    assert sorted(codes - set(catalogue())) == []


PROBLEM = re.compile(r"Problem\(\s*\"([a-z0-9_.]+)\"")


def test_that_every_problem_has_words_wherever_it_is_told() -> None:
    sources = (path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    codes = {match[1] for source in sources for match in PROBLEM.finditer(source)}
    assert {"unknown_model", "row.unreadable", "problem.summary_unreadable"} <= codes
    wordless = [code for code in codes if word(code) == code or word(f"problem.{code}") == f"problem.{code}"]
    assert wordless == []


def test_that_untrusted_values_are_put_in_as_they_are() -> None:
    told = word("not_found.message", {"name": "{name} {0} %s <b>"})
    assert "{name} {0} %s <b>" in told


def test_that_a_missing_parameter_shows_as_a_question_mark() -> None:
    assert "?" in word("not_found.message")


def test_that_numbers_have_thousands_separators() -> None:
    assert "12,345" in word("refused.char_limit", {"length": 12345, "limit": 12345})


def test_that_a_long_name_is_cut_in_a_sentence() -> None:
    told = word("ambiguous.nowhere", {"name": "a" * 1_000_000 + "b", "names": tuple(map(str, range(1000)))})
    assert len(told) < 1_000
    assert "a … a" in told
    assert "ab," in told
    assert "39, … (+960)" in told


@pytest.mark.parametrize(("count", "shown"), [(0, "0 findings"), (1, "1 finding"), (1234, "1,234 findings")])
def test_that_one_and_many_have_their_own_words(count: int, shown: str) -> None:
    assert word("told.lint_total", {"count": count, "tokens": 5}).startswith(f"{shown}.")


def test_that_a_list_of_one_is_one() -> None:
    assert word("not_found.message", {"name": "a"}, lambda _: "{name:is|are} {name}") == "are a"
    assert word("not_found.message", {"name": ("a",)}, lambda _: "{name:is|are} {name}") == "is a"
    assert word("not_found.message", {"name": ("a", "b")}, lambda _: "{name:is|are} {name}") == "are a, b"


@pytest.mark.parametrize("rule", list(LintRule))
def test_that_every_kind_of_finding_has_its_sentence(rule: LintRule) -> None:
    assert f"lint.{rule}" in catalogue()
