"""The shipped ready-made schemas: each can be used, and each has its own name."""

import pytest

from inspector.domain.blocks import ReadySchema
from inspector.domain.schema_faults import schema_fault
from inspector.shipped.ready_schemas import load_ready_schemas


@pytest.mark.parametrize("ready", load_ready_schemas(), ids=lambda each: each.id)
def test_that_a_ready_made_schema_has_no_fault(ready: ReadySchema) -> None:
    assert schema_fault(ready.schema) is None
    assert ready.title
    assert ready.description


def test_that_no_two_ready_made_schemas_share_a_name() -> None:
    found = load_ready_schemas()
    assert len({each.id for each in found}) == len({each.title for each in found}) == len(found)
