import pytest

from inspector.ui.wording import with_unit


@pytest.mark.parametrize(
    ("figure", "shown"),
    [
        ("1", "1 token"),
        ("~1", "~1 token"),
        ("+1", "+1 token"),
        ("−1", "−1 token"),
        ("0", "0 tokens"),
        ("±0", "±0 tokens"),
        ("1,001", "1,001 tokens"),
        ("?", "? tokens"),
        ("", ""),
    ],
)
def test_that_a_figure_has_the_unit_of_its_number(figure: str, shown: str) -> None:
    assert with_unit(figure) == shown
