"""What can be done with the selected thing, and the reason where it cannot be."""

from inspector.domain.ref import Ref, RefKind
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import open_file


async def test_that_an_agent_opens_in_its_settings_whichever_is_shown(studio: Studio, until: Until) -> None:
    workspace, services = studio.contents.workspace, studio.contents.services
    selection, actions = services.selection, services.actions
    await open_file(studio, until)
    for id_ in (values.ADA, values.GRACE):
        agent = Ref(RefKind.AGENT, id_)
        selection.select(agent)
        assert actions.row("selection.open").why_not() == ""
        assert actions.run("selection.open")
        assert studio.window.centre.current_key == ("agent", agent)
    assert workspace.file.agent_id == values.ADA
    assert actions.run("agent.show")
    await until(lambda: workspace.file.agent_id == values.GRACE)
