import json
from pathlib import Path

import pytest

from inspector.domain.counts import RequestBand, RequestKind
from inspector.domain.errors import MalformedError
from inspector.shipped.bands import load_bands, read_bands
from inspector.shipped.locate import resource_path
from inspector.shipped.models import load_model_table

BAND = RequestBand("any", "tools", 0.5, 1.5, 2, 20, 0.95, "bills")


def test_that_every_family_has_a_band_of_every_kind_that_is_not_exact() -> None:
    table = load_bands()
    for family in {facts.tokenizer for facts in load_model_table().models.values()} | {"nobody"}:
        assert table.for_family(family).keys() == {*RequestKind} - {RequestKind.EXACT}


def test_that_a_family_has_its_groups_own_band_where_there_were_enough_bills() -> None:
    table = load_bands()
    assert table.for_family("claude_3")["tools"].group == "claude"
    assert table.for_family("nobody")["tools"].group == "any"


def test_that_every_band_held_for_bills_it_was_not_made_of() -> None:
    bands = load_bands().by_class.values()
    assert all(each.n >= 12 and each.covered >= 0.93 and 0 < each.low <= 1 for each in bands)
    assert all((each.high is None) is (each.kind == RequestKind.OPEN) for each in bands)


def test_that_a_range_lets_a_few_tokens_go_and_may_have_no_upper_end() -> None:
    assert BAND.around(100) == (48, 152)
    assert BAND.around(0) == (0, 2)
    assert RequestBand("any", "open", 0.5, None, 2, 20, 0.95, "bills").around(100) == (48, None)


def test_that_a_kind_without_a_band_of_any_group_is_refused(tmp_path: Path) -> None:
    stored = json.loads(resource_path("models", "bands.json").read_text(encoding="utf-8"))
    stored["classes"] = [
        each for each in stored["classes"] if (each["group"], each["kind"]) != ("any", "tools")
    ]
    path = tmp_path / "bands.json"
    path.write_text(json.dumps(stored), encoding="utf-8")
    with pytest.raises(MalformedError):
        read_bands(path)
