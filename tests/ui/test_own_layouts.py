"""Layouts of a user's own in the window: to be chosen beside the shipped ones, as soon as they are stored."""

from __future__ import annotations

from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import DeleteRow
from inspector.domain.edits.rows import PutLayout
from inspector.domain.layouts import Layout, SectionLayout, Wrapper
from inspector.domain.ref import Ref, RefKind
from inspector.domain.what_if import WhatIf
from tests.ui.conftest import Scene
from tests.ui.file_builders import calm, make_file, show

MINE = Ref(RefKind.LAYOUT, "mine")
OWN = Layout("mine", "", "\n\n", Wrapper.ELEMENT, (SectionLayout("persona", "# Who I am"),))
SHIPPED = ["cache_friendly", "minimal", "standard", "xml"]


async def test_that_an_own_layout_can_be_tried_out_until_it_is_deleted(scene: Scene) -> None:
    real, until = scene.real, scene.until
    await show(real, await make_file(scene.folder / "a.constellation", scene.surroundings), until)
    workspace = real.contents.workspace
    assert sorted(workspace.file.layouts) == SHIPPED
    workspace.apply([Edit(MINE, PutLayout(OWN))])
    await until(lambda: "mine" in workspace.file.layouts)
    assert sorted(workspace.file.layouts) == sorted([*SHIPPED, "mine"])
    workspace.try_out(WhatIf(layout="mine"))
    await until(lambda: workspace.file.request is not None and workspace.file.request.layout == "mine")
    assert workspace.file.request is not None
    assert workspace.file.request.system == "# Who I am\n\nI am Ada."
    await calm(real, until)
    assert "mine" in [action.text() for action in real.window.top_bar.layout_.menu().actions()]
    workspace.apply([Edit(MINE, DeleteRow())])
    await until(lambda: "mine" not in workspace.file.layouts)
    await until(lambda: workspace.file.request is not None and workspace.file.request.layout == "standard")
    assert workspace.file.what_if == WhatIf()
    assert "not_found.layout" not in [problem.code for problem in workspace.file.problems]


async def test_that_an_own_layout_in_place_of_a_shipped_one_is_offered_once(scene: Scene) -> None:
    real, until = scene.real, scene.until
    await show(real, await make_file(scene.folder / "a.constellation", scene.surroundings), until)
    workspace = real.contents.workspace
    standard = Layout("standard", "", "\n\n", Wrapper.ELEMENT, (SectionLayout("persona"),))
    workspace.apply([Edit(Ref(RefKind.LAYOUT, "standard"), PutLayout(standard))])
    await until(lambda: workspace.file.request is not None and workspace.file.request.system == "I am Ada.")
    assert sorted(workspace.file.layouts) == SHIPPED
