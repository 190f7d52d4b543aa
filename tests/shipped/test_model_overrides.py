import json
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.errors import MalformedError
from inspector.domain.models import PriceTier, ResolvedBy
from inspector.shipped.model_overrides import with_overrides
from inspector.shipped.models import ModelTable, load_model_table

TABLE = load_model_table()


def laid_over(folder: Path, *models: dict[str, Any]) -> ModelTable:
    path = folder / "models.json"
    path.write_text(json.dumps({"models": models}))
    return with_overrides(TABLE, path)


def test_that_without_a_file_the_table_is_the_shipped_one(tmp_path: Path) -> None:
    assert with_overrides(TABLE, tmp_path / "models.json") is TABLE


def test_that_what_a_user_knows_holds_for_the_id_and_its_variants(tmp_path: Path) -> None:
    table = laid_over(tmp_path, {"id": "qwen3", "context_window": 40_960, "flags": ["function_calling"]})
    facts = table.resolve("qwen3:8b")
    assert facts is not None
    assert (facts.context_window, facts.flags) == (40_960, frozenset({"function_calling"}))
    assert facts.overridden == {"context_window", "flags"}
    assert facts.resolved_by is ResolvedBy.FAMILY
    assert facts.tokenizer == "qwen3"
    before = TABLE.resolve("qwen3")
    assert before is not None
    assert (before.context_window, before.overridden) == (None, frozenset())


def test_that_an_alias_can_have_facts_of_its_own(tmp_path: Path) -> None:
    table = laid_over(tmp_path, {"id": "chatgpt-4o-latest", "max_input": 64_000})
    alias, known = table.resolve("openai/chatgpt-4o-latest"), table.resolve("gpt-4o")
    assert alias is not None
    assert known is not None
    assert (alias.max_input, known.max_input) == (64_000, 128_000)


def test_that_a_model_that_nobody_knows_can_be_told_of(tmp_path: Path) -> None:
    told = {"id": "House-1", "provider": "openai_compatible", "max_input": 9_000, "prices": {"input": 1}}
    facts = laid_over(tmp_path, told).resolve("house-1")
    assert facts is not None
    assert (facts.max_input, facts.tokenizer, facts.encoding) == (9_000, "generic", None)
    assert facts.prices is not None
    assert facts.prices.at(5).input == 1


def test_that_null_says_that_a_fact_is_not_known_after_all(tmp_path: Path) -> None:
    facts = laid_over(tmp_path, {"id": "gpt-4o", "prices": None, "max_input": None}).resolve("gpt-4o")
    assert facts is not None
    assert (facts.prices, facts.max_input, facts.max_output) == (None, None, 16_384)
    assert facts.exact


def test_that_another_tokenizer_is_an_estimate(tmp_path: Path) -> None:
    facts = laid_over(tmp_path, {"id": "gpt-4o", "tokenizer": "qwen3"}).resolve("gpt-4o")
    assert facts is not None
    assert (facts.tokenizer, facts.encoding) == ("qwen3", None)


def test_that_tiers_of_prices_are_read(tmp_path: Path) -> None:
    tiers = [{"above": 1_000, "input": 4, "output": 8}]
    table = laid_over(tmp_path, {"id": "m-1", "prices": {"input": 2, "output": 4, "tiers": tiers}})
    facts = table.resolve("m-1")
    assert facts is not None
    assert facts.prices is not None
    assert facts.prices.at(1_001) == PriceTier(1_000, 4, 8, None, None)


@pytest.mark.parametrize(
    ("models", "place"),
    [
        ([{"id": ""}], "$.models[0].id"),
        ([{"id": "a"}, {"id": "A "}], "$.models[1].id"),
        ([{"id": "a", "max_input": 0}], "$.models[0].max_input"),
        ([{"id": "a", "context_window": 10**12}], "$.models[0].context_window"),
        ([{"id": "a", "prices": {"input": -1}}], "$.models[0].prices"),
        ([{"id": "a", "colour": "red"}], "$.models[0]"),
        ([{"id": "a", "max_input": "many"}], "$.models[0].max_input"),
        ([{}], "$.models[0]"),
    ],
)
def test_that_a_file_that_cannot_hold_is_refused_with_its_place(
    tmp_path: Path, models: list[dict[str, Any]], place: str
) -> None:
    with pytest.raises(MalformedError) as caught:
        laid_over(tmp_path, *models)
    assert str(caught.value.parameters["where"]).endswith(place)
