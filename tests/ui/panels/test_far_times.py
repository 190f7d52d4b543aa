"""Times at the ends of the calendar, which programs write for "never" or for no time at all."""

from datetime import UTC, datetime

import pytest

from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.consent import GrantConsent
from inspector.domain.edits.rows import AppendMessage, LogEvent, SetWakeup
from inspector.domain.messages import Role, TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.ui.failures import FailureText
from inspector.ui.panels.timeline import TimelinePanel
from inspector.ui.presentation.navigator import list_ref
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file

FIRST, LAST = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)


async def write(studio: Studio, at: datetime) -> None:
    """Somebody stores a message and an event of that time, a wakeup and a grant that ends then."""
    world = studio.opener
    said = AppendMessage(values.ADA, "bat_far", Role.USER, (TextPart("said then"),))
    edits = (
        Edit(Ref(RefKind.MESSAGE, "msg_far"), said),
        Edit(Ref(RefKind.EVENT, "evt_far"), LogEvent(values.ADA, "far", "{}", None)),
        Edit(Ref(RefKind.WAKEUP, "wak_far"), SetWakeup(values.ADA, "Wake up then.", at)),
        Edit(Ref(RefKind.GRANT, "grt_far"), GrantConsent(values.ADA, None, LAST)),
    )
    engine = await Engine.open(world.path, world.environment)
    await engine.apply([Intent(each, values.NOOR, at=at) for each in edits])
    await engine.close()


@pytest.mark.parametrize(
    ("zone", "at"), [("America/New_York", FIRST), ("Europe/Berlin", LAST)], indirect=["zone"]
)
async def test_that_times_at_the_ends_of_the_calendar_are_listed_and_drawn(
    zone: None, studio: Studio, until: Until, at: datetime
) -> None:
    await write(studio, at)
    failures: list[FailureText] = []
    studio.bridge.failed.connect(failures.append)
    await open_file(studio, until)
    for kind in ("messages", "queue", "consent"):
        studio.contents.services.selection.open(list_ref(values.ADA, kind))
        await calm(studio, until)
        studio.window.grab()
    studio.contents.services.actions.run("view.activity")
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, TimelinePanel)
    await until(lambda: panel.rows.model.rowCount())
    for action in ("timeline.zoom_in", "timeline.zoom_out", "timeline.fit", "timeline.sum_visible"):
        studio.contents.services.actions.run(action)
        await calm(studio, until)
        studio.window.grab()
    assert not failures
