from pathlib import Path

import pytest

from inspector.domain.errors import MalformedError
from inspector.shipped.estimators import load_estimators
from inspector.shipped.reconstructions import load_reconstructions, read_reconstructions


def test_that_every_reconstructed_family_has_an_estimator_to_fall_back_on() -> None:
    assert load_reconstructions().keys() <= load_estimators().by_family.keys()


@pytest.mark.parametrize(
    ("family", "version"), [("claude_3", "3.0"), ("claude_4_7", "4.7"), ("claude_4_8", "4.8")]
)
def test_that_claudes_generations_are_asked_for_by_their_versions(family: str, version: str) -> None:
    known = load_reconstructions()[family]
    assert (known.family, known.version) == (family, version)
    assert 0 < known.under <= known.band < 0.05


def test_that_a_table_of_another_shape_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "reconstructions.json"
    path.write_text('{"families": []}', encoding="utf-8")
    with pytest.raises(MalformedError):
        read_reconstructions(path)
