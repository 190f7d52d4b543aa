"""Columns of a table follow the size of the text."""

from typing import Any

import pytest

from inspector.ui.appearance import Appearance, FontChoice, ThemeChoice
from tests.ui.editors.structured_blocks import TASKS

pytestmark = pytest.mark.slow


async def test_that_titles_of_columns_stay_readable_where_the_text_is_enlarged(
    open_block: Any, appearance: Appearance
) -> None:
    one = await open_block(TASKS)
    header, model = one.page.view.table.horizontalHeader(), one.page.model

    def are_readable() -> bool:
        metrics = header.fontMetrics()
        return all(
            header.sectionSize(at) > metrics.horizontalAdvance(column.title)
            for at, column in enumerate(model.columns)
        )

    assert are_readable()
    try:
        appearance.apply(ThemeChoice.LIGHT, 2.0, FontChoice.SHIPPED)
        await one.until(are_readable)
    finally:
        appearance.apply(ThemeChoice.DARK, 1.0, FontChoice.SHIPPED)
