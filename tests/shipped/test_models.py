import json
from pathlib import Path
from typing import Any

import pytest
import tiktoken

from inspector.domain.errors import MalformedError
from inspector.domain.models import Prices, PriceTier, ResolvedBy
from inspector.shipped.estimators import load_estimators
from inspector.shipped.locate import resource_path
from inspector.shipped.models import load_model_table, read_model_table
from inspector.shipped.overheads import load_overheads

TABLE = load_model_table()

# The table of the providers' notes: id, most input, most output, price in, out, cache read, cache write.
KNOWN = [
    ("claude-opus-5-5", 1_000_000, 128_000, 4, 20, 0.2, 5),
    ("claude-sonnet-5-5", 1_000_000, 128_000, 2, 10, 0.1, 2.5),
    ("claude-haiku-5-5", 1_000_000, 128_000, 0.1, 0.5, 0.01, 0.125),
    ("claude-fable-5-1", 1_000_000, 128_000, 10, 50, 0.25, 12.5),
    ("claude-opus-4-8", 1_000_000, 128_000, 5, 25, 0.5, 6.25),
    ("claude-haiku-4-5", 200_000, 64_000, 1, 5, 0.1, 1.25),
    ("gpt-6.1-sol", 922_000, 128_000, 2, 10, 0.1, 2.5),
    ("gpt-6.1-terra", 922_000, 128_000, 1, 5, 0.05, 1.25),
    ("gpt-6-luna", 922_000, 128_000, 0.1, 0.5, 0.01, 0.125),
    ("gpt-5.6", 922_000, 128_000, 4, 20, 0.4, 5),
    ("gpt-5-mini", 272_000, 128_000, 0.25, 2, 0.025, None),
    ("gpt-4.1", 1_047_576, 32_768, 2, 8, 0.5, None),
    ("gemini-3.8-flash", 1_048_576, 65_536, 0.75, 3.75, 0.075, None),
    ("gemini-3.1-pro-preview", 1_048_576, 65_536, 2, 12, 0.2, None),
    ("gemini-2.5-flash", 1_048_576, 65_536, 0.3, 2.5, 0.03, None),
]
CACHE_MINIMUMS = {
    "claude-opus-5": 512,
    "claude-haiku-5-5": 512,
    "claude-sonnet-4-6": 1024,
    "claude-opus-4-8": 1024,
    "claude-opus-4-7": 2048,
    "claude-opus-4-6": 4096,
    "claude-haiku-4-5": 4096,
}
ALIAS, FAMILY, MAKER, EXACT = ResolvedBy.ALIAS, ResolvedBy.FAMILY, ResolvedBy.MAKER, ResolvedBy.EXACT


@pytest.mark.parametrize("row", KNOWN, ids=lambda row: row[0])
def test_that_limits_and_prices_are_the_published_ones(row: tuple[Any, ...]) -> None:
    name, max_input, max_output, *prices = row
    facts = TABLE.resolve(name)
    assert facts is not None
    assert facts.prices is not None
    assert (facts.max_input, facts.max_output) == (max_input, max_output)
    assert [
        facts.prices.input,
        facts.prices.output,
        facts.prices.cache_read,
        facts.prices.cache_write,
    ] == prices


@pytest.mark.parametrize(("name", "minimum"), CACHE_MINIMUMS.items())
def test_that_the_smallest_cached_prefix_is_known(name: str, minimum: int) -> None:
    assert TABLE.models[name].cache_minimum == minimum


@pytest.mark.parametrize(
    ("asked", "known", "how"),
    [
        ("gpt-4o", "gpt-4o", EXACT),
        ("openai/gpt-4o", "gpt-4o", ALIAS),
        ("OpenAI/GPT-4o", "gpt-4o", ALIAS),
        ("claude-4-sonnet", "claude-sonnet-4", ALIAS),
        ("letta/letta-free", "letta-free", ALIAS),
        ("models/gemini-2.5-pro", "gemini-2.5-pro", ALIAS),
        ("gpt-oss:20b", "gpt-oss-20b", ALIAS),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5", FAMILY),
        ("anthropic/claude-opus-4-5-20251101", "claude-opus-4-5", FAMILY),
        ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5", FAMILY),
        ("anthropic.claude-opus-4-7", "claude-opus-4-7", ALIAS),
        ("claude-3-5-sonnet@20240620", "claude-3-5-sonnet", FAMILY),
        ("gpt-4o-mini-2024-07-18", "gpt-4o-mini", FAMILY),
        ("llama3.1:8b", "llama3.1", FAMILY),
        ("meta-llama/llama-3.3-70b-instruct", "llama3.3", FAMILY),
        ("gemini-2.5-pro-preview-05-06", "gemini-2.5-pro", FAMILY),
        ("claude-opus-4-9", "claude-opus-4-9", MAKER),
        ("gpt-6", "gpt-6", MAKER),
        ("gpt-5.7", "gpt-5.7", MAKER),
        ("zai/glm-5", "glm-5", MAKER),
        ("gpt-5-nimble", "gpt-5-nimble", MAKER),
    ],
)
def test_that_an_id_is_recognised_in_its_usual_spellings(asked: str, known: str, how: ResolvedBy) -> None:
    facts = TABLE.resolve(asked)
    assert facts is not None
    assert (facts.id, facts.resolved_by) == (known, how)


@pytest.mark.parametrize(
    "asked", ["", "my-model", "/", "ollama/", "42", "clau", "\ud800", "<|endoftext|>", "ft:", "-"]
)
def test_that_an_unknown_id_resolves_to_nothing(asked: str) -> None:
    assert TABLE.resolve(asked) is None


@pytest.mark.parametrize("asked", ["claude-opus-4-9", "gpt-6", "glm-5"])
def test_that_a_model_known_by_its_maker_alone_has_no_invented_figures(asked: str) -> None:
    facts = TABLE.resolve(asked)
    assert facts is not None
    assert (facts.max_input, facts.max_output, facts.context_window, facts.prices) == (None, None, None, None)


def test_that_a_fine_tuned_model_has_the_limits_of_its_base_but_not_its_prices() -> None:
    facts = TABLE.resolve("ft:gpt-4o-2024-08-06:team::id")
    assert facts is not None
    assert (facts.id, facts.max_input, facts.prices, facts.exact) == ("gpt-4o", 128_000, None, True)


def test_that_counts_are_exact_only_for_ids_that_tiktoken_maps() -> None:
    others = ("gpt-5.9", "gpt-4-june", "gpt-6", "o1-preview", "ft:gpt-4o:a::b", "ft:gpt-4.1:a::b")
    for name in (*TABLE.models, *others):
        facts = TABLE.resolve(name)
        assert facts is not None, name
        try:
            mapped = tiktoken.encoding_name_for_model(name)
        except KeyError:
            mapped = None
        assert facts.exact == (mapped is not None), name
        assert facts.encoding in (None, f"{facts.tokenizer}_base"), name


def test_that_every_model_and_maker_has_an_estimator_and_overheads_of_its_own() -> None:
    stored = json.loads(resource_path("models", "models.json").read_text(encoding="utf-8"))
    families = {entry["tokenizer"] for entry in stored["models"] + stored["makers"]}
    assert families <= load_estimators().by_family.keys()
    assert families <= load_overheads().chat.keys()


def test_that_limits_agree_with_each_other() -> None:
    for facts in TABLE.models.values():
        if facts.max_input is not None and facts.context_window is not None:
            assert facts.max_input <= facts.context_window, facts.id
        assert facts.input_limit is None or facts.input_limit > 0, facts.id


def test_that_a_window_without_an_input_limit_leaves_room_for_the_reply() -> None:
    facts = TABLE.models["gpt-5.4"]
    assert (facts.max_input, facts.context_window, facts.input_limit) == (None, 1_050_000, 922_000)


def test_that_a_request_beyond_a_tier_costs_the_tiers_price() -> None:
    prices = Prices(1.0, 5.0, 0.1, None, (PriceTier(200, 2.0), PriceTier(100, 1.5, 6.0)))
    assert prices.at(100).input == 1.0
    assert (prices.at(101).input, prices.at(101).output) == (1.5, 6.0)
    assert (prices.at(201).input, prices.at(201).output, prices.at(201).cache_read) == (2.0, 5.0, 0.1)


def _written(folder: Path, **changes: object) -> Path:
    stored = json.loads(resource_path("models", "models.json").read_text(encoding="utf-8"))
    path = folder / "models.json"
    path.write_text(json.dumps({**stored, **changes}), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("models", "place"),
    [
        ([{"id": "a", "provider": "p", "tokenizer": "t", "colour": 1}], "$.models[0]"),
        ([{"id": "a", "provider": "p", "tokenizer": "t", "max_input": "9"}], "$.models[0].max_input"),
        ([{"id": "a", "provider": "p", "tokenizer": "t", "aliases": ["a"]}], "$.models[0].aliases[0]"),
        ([{"id": "A", "provider": "p", "tokenizer": "t"}], "$.models[0].id"),
    ],
)
def test_that_a_faulty_table_is_refused_with_file_and_place(
    tmp_path: Path, models: object, place: str
) -> None:
    with pytest.raises(MalformedError) as caught:
        read_model_table(_written(tmp_path, models=models))
    assert caught.value.parameters["where"] == f"{tmp_path.name}/models.json {place}"


def test_that_a_file_that_is_no_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "models.json"
    path.write_bytes(b'{"dated": \xff')
    with pytest.raises(MalformedError):
        read_model_table(path)
