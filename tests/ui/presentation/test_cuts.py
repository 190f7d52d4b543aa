"""What the window calls findings."""

from inspector.domain.lint import LintRule
from inspector.ui.presentation.cuts import KIND_NAMES


def test_that_every_kind_of_finding_has_a_name_of_its_own() -> None:
    assert set(KIND_NAMES) == set(LintRule)
    assert len({name() for name in KIND_NAMES.values()}) == len(LintRule)
