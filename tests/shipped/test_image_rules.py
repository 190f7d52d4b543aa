import json
from pathlib import Path

import pytest

from inspector.domain.errors import MalformedError
from inspector.domain.models import ImageKind
from inspector.shipped.image_rules import load_image_rules, read_image_rules
from inspector.shipped.locate import resource_path
from inspector.shipped.models import load_model_table


@pytest.mark.parametrize(
    ("model", "rule"),
    [
        ("gpt-4o", "openai_tiles"),
        ("gpt-4o-mini", "openai_tiles_4o_mini"),
        ("claude-opus-4-6", "claude_standard"),
        ("claude-opus-4-7", "claude_high"),
        ("claude-sonnet-5", "claude_high"),
        ("gemini-2.5-pro", "gemini_crops"),
        ("gemini-3.5-flash", "gemini_fixed"),
    ],
)
def test_that_the_longest_beginning_that_fits_tells_the_rule(model: str, rule: str) -> None:
    found = load_image_rules().for_model(model)
    assert (found.name, found.is_assumed) == (rule, False)


def test_that_every_model_of_the_large_providers_has_a_rule_of_its_own() -> None:
    rules = load_image_rules()
    for facts in load_model_table().models.values():
        if facts.provider in ("anthropic", "openai", "gemini") and not facts.id.startswith("gpt-3"):
            assert not rules.for_model(facts.id).is_assumed, facts.id


def test_that_every_rule_says_where_it_is_from_and_has_the_figures_that_it_needs() -> None:
    for rule in load_image_rules().by_beginning.values():
        assert rule.source
        if rule.kind is ImageKind.PATCHES:
            assert min(rule.patch, rule.longest, rule.most, rule.factor) > 0
        else:
            assert rule.base > 0


def _altered(folder: Path, change: str) -> Path:
    stored = json.loads(resource_path("models", "images.json").read_text(encoding="utf-8"))
    if change == "twice":
        stored["rules"].append(stored["rules"][0])
    else:
        stored["generic"] = "nobody's"
    path = folder / "images.json"
    path.write_text(json.dumps(stored), encoding="utf-8")
    return path


@pytest.mark.parametrize("change", ["twice", "generic"])
def test_that_a_faulty_table_is_refused(tmp_path: Path, change: str) -> None:
    with pytest.raises(MalformedError):
        read_image_rules(_altered(tmp_path, change))
