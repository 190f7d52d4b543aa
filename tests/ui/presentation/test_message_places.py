"""In which batch a message stands, by its position, also where one batch stands inside another."""

import pytest

from inspector.domain.message_outline import BatchOutline, MessageOutline
from inspector.ui.presentation.message_source import PlacesOfBatches


@pytest.mark.parametrize(
    "positions",
    [((1, 2), (3,), (7, 8, 9)), ((1, 6), (2, 3), (5,)), (), ((4,),)],
)
def test_that_a_position_leads_to_its_batch(positions: tuple[tuple[int, ...], ...]) -> None:
    batches = tuple(BatchOutline(f"bat_{place}", each) for place, each in enumerate(positions))
    places = PlacesOfBatches(MessageOutline(batches))
    for place, each in enumerate(positions):
        assert {places[position] for position in each} == {place}
    for missing in (0, 10):
        with pytest.raises(KeyError):
            places[missing]
