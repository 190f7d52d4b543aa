"""What can be done with the selected thing, and the reason where it cannot be."""

from inspector.domain.ref import Ref, RefKind
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import open_file


async def test_that_another_agent_is_shown_and_not_opened(studio: Studio, until: Until) -> None:
    workspace, services = studio.contents.workspace, studio.contents.services
    selection, actions = services.selection, services.actions
    await open_file(studio, until)
    selection.open(Ref(RefKind.BLOCK, "blk_questions"))
    ada, grace = Ref(RefKind.AGENT, values.ADA), Ref(RefKind.AGENT, values.GRACE)
    selection.select(ada)
    assert actions.row("selection.open").why_not() == ""
    assert actions.run("selection.open")
    assert studio.window.centre.current_key == ("request", None)
    selection.select(ada)
    assert actions.row("selection.open").why_not() == "it is shown in the Request"
    # Whatever is in front, it is Ada's Request that would be opened.
    for front in (("request", None), ("block", Ref(RefKind.BLOCK, "blk_questions"))):
        studio.contents.open_view(*front)
        selection.select(grace)
        assert actions.row("selection.open").why_not() == "another agent's Request is shown"
        assert not actions.item("selection.open").isEnabled()
        assert actions.row("agent.show").why_not() == ""
    assert actions.run("agent.show")
    await until(lambda: workspace.file.agent is not None and workspace.file.agent.id == values.GRACE)
    selection.select(grace)
    assert actions.row("selection.open").why_not() != "another agent's Request is shown"
    selection.select(ada)
    assert actions.row("selection.open").why_not() == "another agent's Request is shown"
