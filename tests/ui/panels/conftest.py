"""What tests of the panels stand on."""

from pathlib import Path

import pytest

from inspector.domain.ref import Ref, RefKind
from inspector.ui.panels.block import BlockPanel
from tests.ui.conftest import Studio, Until
from tests.ui.merging_doors import MergingDoors
from tests.ui.panels.open_block import ID, Desk, OpenDesk, Prepare


@pytest.fixture
def desk(studio: Studio, until: Until) -> OpenDesk:
    """``await desk()``: a window with the block open."""

    async def opened(prepare: Prepare | None = None, block_id: str = ID) -> Desk:
        doors = MergingDoors(Path("harbor.constellation"))
        if prepare is not None:
            prepare(doors)
        studio.opener.prepare = lambda _: doors  # type: ignore[assignment]
        studio.contents.workspace.open(doors.path)
        await until(lambda: studio.contents.workspace.file.request)
        studio.contents.services.selection.open(Ref(RefKind.BLOCK, block_id))
        panel = studio.window.centre.currentWidget()
        assert isinstance(panel, BlockPanel)
        panel.first_focus().setFocus()
        made = Desk(studio, until, doors, panel)
        await made.calm()
        return made

    return opened
