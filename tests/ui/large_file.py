"""The world's file with one very large message in an earlier turn of Ada's, and room for it."""

from dataclasses import replace

from inspector.domain.agents import ContextConfig
from inspector.domain.edits.base import Edit
from inspector.domain.edits.rows import AppendMessage, ConfigureAgent
from inspector.domain.limits import LimitOverrides
from inspector.domain.messages import Role, TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.ui.panels.budget import BudgetPanel
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import open_file
from tests.ui.world import ADA

LARGE = Ref(RefKind.MESSAGE, "msg_large")
WORDS = "Build log line with nothing of interest in it at all. "
ROOMY = replace(ContextConfig(), limits=LimitOverrides(None, 120_000, 4_000, 90_000, 1_200))


def large_edits() -> tuple[Edit, ...]:
    """The edits that give Ada a large message, and a turn after it."""
    said = AppendMessage(values.ADA, "bat_large", Role.USER, (TextPart(WORDS * 1_800),))
    answer = AppendMessage(values.ADA, "bat_large", Role.ASSISTANT, (TextPart("Read it."),))
    after = AppendMessage(values.ADA, "bat_after", Role.USER, (TextPart("And now?"),))
    last = AppendMessage(values.ADA, "bat_after", Role.ASSISTANT, (TextPart("Ready."),))
    new = Ref(RefKind.MESSAGE, "")
    return (
        Edit(ADA, ConfigureAgent(config=ROOMY)),
        Edit(LARGE, said),
        Edit(new, answer),
        Edit(new, after),
        Edit(new, last),
    )


async def open_large(studio: Studio, until: Until) -> BudgetPanel:
    """Open the file and wait for the findings; gives the budget panel."""
    await studio.opener.change_file(*large_edits())
    await open_file(studio, until)
    await until(lambda: studio.contents.workspace.file.findings)
    panel = studio.window.panel("budget")
    assert isinstance(panel, BudgetPanel)
    return panel
