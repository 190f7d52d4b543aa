"""The figures of unsaved work are those of what saving it gives, also while somebody else writes."""

from PySide6.QtTest import QTest

from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.text import AppendText
from inspector.domain.requests import Request
from inspector.runtime.engine import Engine
from tests.fixtures import NOOR
from tests.ui.conftest import Scene
from tests.ui.file_builders import NOTES, calm, content_of, make_file, open_block, press, show


async def test_that_a_drafts_figures_hold_what_others_wrote_meanwhile(scene: Scene) -> None:
    path = await make_file(scene.folder / "a.constellation", scene.surroundings)
    workspace = scene.real.contents.workspace

    def sent() -> tuple[str, int]:
        request = workspace.file.request
        assert isinstance(request, Request)
        pieces = [
            piece
            for section in request.sections
            for piece in section.pieces
            if piece.source.ref == NOTES and "stored text" in piece.text
        ]
        return "".join(piece.text for piece in pieces), sum(piece.tokens for piece in pieces)

    await show(scene.real, path, scene.until)
    panel = await open_block(scene.real, scene.until)
    panel.page.editor.select_range(0, 0)
    QTest.keyClicks(panel.page.editor, "mine ")
    await calm(scene.real, scene.until)
    assert "mine stored text" in sent()[0]
    other = await Engine.open(path, scene.surroundings)
    await other.apply([Intent(Edit(NOTES, AppendText("\ntheirs, of quite a few words")), NOOR)])
    await other.close()
    await scene.until(lambda: "mine stored text\ntheirs, of quite a few words" in sent()[0])
    QTest.keyClicks(panel.page.editor, "and more, ")
    await scene.until(lambda: "mine and more, stored text\ntheirs" in sent()[0])
    drafted = sent()
    press(panel, panel.save_button.text())
    await scene.until(lambda: not panel.work.is_dirty and not panel.work.is_saving)
    await calm(scene.real, scene.until)
    assert sent() == drafted
    assert await content_of(path, scene.surroundings) == TextContent(
        "mine and more, stored text\ntheirs, of quite a few words"
    )
